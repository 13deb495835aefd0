//! `mpn_copy_shared`: r := a, words that threads share.
//!
//! Shapes     r\[n\], a\[n\]; n >= 1.
//! Input      other threads may read r, or write to a, meanwhile, word by word or with this.
//! Output     each word of r is a value that the word of a had meanwhile.
//! Overlap    none allowed.
//! Timing     depends on n only.
//! Source     bytewise atomic memcpy (Boehm, P1478), a word at least at once.

use crate::{Isa, Limb, op::*};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

op! {
    /// Copies words that threads share, not ordered with anything else.
    pub struct CopyShared("mpn_copy_shared");
    call: (r: *mut Limb, a: *const Limb, n: usize);
    contract: Contract {
        effect: "r := a, words that threads share",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N)],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Boehm, P1478",
    };
    kernels {
        x86_64 {
            /// AVX-512 F: 8 words at a time.
            avx512: Isa::AVX512F => { super::shared::copy_registers!("vmovdqu64", "zmm0", 8, r, a, n) };
            /// AVX2: 4 words at a time.
            avx2: Isa::AVX2 => { super::shared::copy_registers!("vmovdqu", "ymm0", 4, r, a, n) };
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n);
}

impl CopyShared {
    /// Reads `words` from where threads share them, each as if by a relaxed load.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, mpn::CopyShared};
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    /// let copy = CopyShared::best(Cpu::native());
    /// let shared = [const { AtomicU64::new(0) }; 3];
    /// copy.write(&shared, &[1, 2, 3]);
    /// assert_eq!(shared[2].load(Relaxed), 3);
    /// let mut words = [0; 3];
    /// copy.read(&mut words, &shared);
    /// assert_eq!(words, [1, 2, 3]);
    /// ```
    pub fn read(&self, words: &mut [Limb], shared: &[AtomicU64]) {
        assert!(!words.is_empty() && words.len() == shared.len());
        if self.is_portable() {
            let cells = words.iter_mut().zip(shared);
            return cells.for_each(|(word, cell)| *word = cell.load(Relaxed));
        }
        // SAFETY: the shapes were checked above, the processor by `all`; a cell has the layout of a word.
        unsafe { (self.f)(words.as_mut_ptr(), shared.as_ptr().cast(), words.len()) }
    }

    /// Writes `words` to where threads share them, each as if by a relaxed store.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn write(&self, shared: &[AtomicU64], words: &[Limb]) {
        assert!(!words.is_empty() && words.len() == shared.len());
        if self.is_portable() {
            let cells = shared.iter().zip(words);
            return cells.for_each(|(cell, &word)| cell.store(word, Relaxed));
        }
        let to = shared.as_ptr().cast::<Limb>().cast_mut();
        // SAFETY: the shapes were checked above, the processor by `all`; a cell may be written to through what is
        // shared, and these kernels do so in assembly.
        unsafe { (self.f)(to, words.as_ptr(), words.len()) }
    }

    /// Asks for the cache lines of what is written to soon, so that no other processor has them then. Changes nothing.
    pub fn expect_write(&self, shared: &[AtomicU64]) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if !self.is_portable() {
            const LINE: usize = 64 / size_of::<AtomicU64>();
            for line in shared.chunks(LINE) {
                // SAFETY: it reads and writes nothing; processors with AVX2 that do not know it take it for nothing at all.
                unsafe {
                    core::arch::asm!(
                        "prefetchw [{}]",
                        in(reg) line.as_ptr(),
                        options(nostack, preserves_flags, readonly),
                    );
                }
            }
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = shared;
    }

    /// Whether cells are loaded and stored here one by one, as the kernel in plain Rust is for memory that no other
    /// thread uses.
    fn is_portable(&self) -> bool {
        self.name == "portable"
    }
}
