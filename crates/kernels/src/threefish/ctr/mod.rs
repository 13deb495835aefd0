//! `threefish_ctr`: r_i := x_i xor E(key, t, c + i), n blocks.
//!
//! Shapes     r\[n\]\[m\], x\[n\]\[m\], key\[m + 1\], t\[2\], c\[m\]; n >= 1; m 4, 8 or 16.
//! Input      any; r and x are bytes at any address, a word eight of them with the lowest first. The last word of the key
//!            is its parity.
//! Output     r is x encrypted, or decrypted, in counter mode; what is added to the counter's lowest word is reduced
//!            modulo 2^64.
//! Overlap    r may be x exactly; partial overlap is not allowed.
//! Timing     depends on n and m only.
//! Source     Skein 1.3, section 3.3; NIST SP 800-38A, 6.5.

use super::blocks;
use super::operands::SIZES;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use crate::simd;
use crate::{Isa, Limb, op::*};

op! {
    /// Counter mode.
    pub struct Ctr("threefish_ctr");
    call: (
        r: *mut Limb,
        x: *const Limb,
        key: *const Limb,
        t: *const Limb,
        c: *const Limb,
        n: usize,
        m: usize,
    );
    contract: Contract {
        effect: "r[i] := x[i] xor E(key, t, c + i) for n blocks of m words",
        operands: &[
            Operand::out("r", Len::N.by(Len::M)).unaligned(),
            Operand::input("x", Len::N.by(Len::M)).unaligned(),
            Operand::input("key", Len::M.plus(Len::words(1))),
            Operand::input("t", Len::words(2)),
            Operand::input("c", Len::M),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "x")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "Ferguson et al., Skein 1.3, section 3.3; NIST SP 800-38A, 6.5",
    };
    kernels {
        x86_64 {
            /// AVX-512: eight blocks a vector; of Threefish-256 six vectors are in flight, of -512 three. Counters need
            /// no transposition.
            avx512: Isa::AVX512F => super::sliced::counter::<simd::Zmm>;
            /// AVX2: four blocks a vector; of Threefish-256 two vectors are in flight. Counters need no transposition.
            avx2: Isa::AVX2 => super::sliced::counter::<simd::Ymm>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => super::sliced::counter::<simd::Words<4>>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.p[4], x.n, x.m);
}

impl Ctr {
    /// `r := r xor E(c), E(c + 1), ...`, where the counter's lowest word grows.
    ///
    /// The key is followed by its parity ([`extend_key`](super::extend_key)), and says how long a block is.
    ///
    /// # Panics
    /// If `r` is not one block or more, or the key has not a word more than a block, or the counter not as many.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, threefish::{C240, Ctr, extend_key}};
    /// let mut key = [0; 9];
    /// extend_key(&mut key, C240);
    /// let ctr = Ctr::best(Cpu::native());
    /// let mut text = [7; 640];
    /// ctr.call_in_place(&mut text, &key, [0, 0], &[0; 8]);
    /// assert_ne!(text[..64], text[64..128]);
    /// ctr.call_in_place(&mut text, &key, [0, 0], &[0; 8]);
    /// assert_eq!(text, [7; 640]);
    /// ```
    pub fn call_in_place(&self, r: &mut [u8], key: &[Limb], t: [Limb; 2], c: &[Limb]) {
        let n = blocks(r.len(), key);
        assert_eq!(c.len() + 1, key.len());
        let r: *mut Limb = r.as_mut_ptr().cast();
        // SAFETY: the shapes were checked above, the processor by `all`; r = x exactly is allowed.
        unsafe { (self.f)(r, r, key.as_ptr(), t.as_ptr(), c.as_ptr(), n, c.len()) }
    }

    /// `r := x xor E(c), E(c + 1), ...`, likewise.
    ///
    /// # Panics
    /// If `r` and `x` are not equally long, and as above.
    pub fn call(&self, r: &mut [u8], x: &[u8], key: &[Limb], t: [Limb; 2], c: &[Limb]) {
        let n = blocks(x.len(), key);
        assert!(r.len() == x.len() && c.len() + 1 == key.len());
        let (r, x) = (r.as_mut_ptr().cast(), x.as_ptr().cast());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r, x, key.as_ptr(), t.as_ptr(), c.as_ptr(), n, c.len()) }
    }
}
