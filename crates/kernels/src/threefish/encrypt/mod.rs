//! `threefish_encrypt`: r_i := E(key, t + i s, x_i), n blocks.
//!
//! Shapes     r\[n\]\[m\], x\[n\]\[m\], key\[m + 1\], t\[2\]; n >= 1; m 4, 8 or 16.
//! Input      any; r and x are bytes at any address, a word eight of them with the lowest first. The last word of the key
//!            is its parity.
//! Output     r is x encrypted block by block; what is added to the tweak's lower word is reduced modulo 2^64.
//! Overlap    r may be x exactly; partial overlap is not allowed.
//! Timing     depends on n and m only, and on whether s is 0.
//! Source     Ferguson et al., The Skein Hash Function Family, version 1.3, section 3.3.

#[cfg(target_arch = "x86_64")]
use super::block::x86::{Sse2, Xmm, Ymm};
use super::blocks;
use super::operands::{SIZES, STEP};
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use crate::simd;
use crate::{Isa, Limb, op::*};

op! {
    /// Encryption of blocks, the tweak's lower word growing from block to block.
    pub struct Encrypt("threefish_encrypt");
    call: (r: *mut Limb, x: *const Limb, key: *const Limb, t: *const Limb, n: usize, m: usize, s: Limb);
    contract: Contract {
        effect: "r[i] := E(key, t + i*s, x[i]) for n blocks of m words",
        operands: &[
            Operand::out("r", Len::N.by(Len::M)).unaligned(),
            Operand::input("x", Len::N.by(Len::M)).unaligned(),
            Operand::input("key", Len::M.plus(Len::words(1))),
            Operand::input("t", Len::words(2)),
        ],
        scalar: Scalar::Public(Word::Custom(&STEP)),
        returns: Returns::Nothing,
        same: &[("r", "x")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "Ferguson et al., Skein 1.3, section 3.3",
    };
    kernels {
        x86_64 {
            /// AVX-512: eight blocks a vector; of Threefish-256 six vectors are in flight, of -512 three, of -1024 one.
            avx512: Isa::AVX512F => super::sliced::code::<simd::Zmm, false>;
            /// AVX2: four blocks a vector; of Threefish-256 two vectors are in flight, of the others one, which fills
            /// the registers.
            avx2: Isa::AVX2 => super::sliced::code::<simd::Ymm, false>;
        }
        any {
            /// Plain Rust: block by block, all rounds written out, subkeys made where they are added.
            portable: Isa::NONE => super::rounds::code::<false>;
            /// Plain Rust, all subkeys made beforehand. For comparison.
            schedule: Isa::NONE => super::block::code::<Limb, Limb, true, false>;
        }
        x86_64 {
            /// AVX2 within a block, all subkeys made beforehand; of Threefish-256 only half a vector. For comparison.
            block_avx2: Isa::AVX2, "avx2" => super::block::code::<Xmm, Ymm, true, false>;
            /// SSE2 within a block, all subkeys made beforehand. For comparison.
            block_sse2: Isa::NONE => super::block::code::<Sse2, Sse2, true, false>;
            /// SSE2 within a block, all subkeys made beforehand, at odd multiples of eight bytes. For comparison.
            block_sse2_unaligned: Isa::NONE => super::block::code::<Sse2, Sse2, false, false>;
            /// SSE2 within a block, subkeys made where they are added. For comparison.
            block_sse2_on_the_fly: Isa::NONE => super::block::code_on_the_fly::<Sse2, false>;
        }
        checked {
            vartime words: Isa::NONE => super::sliced::code::<simd::Words<4>, false>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.m, x.s);
}

impl Encrypt {
    /// `r := E(x)`: block i with the tweak `t`, to whose lower word `i * step` was added.
    ///
    /// The key is followed by its parity ([`extend_key`](super::extend_key)), and says how long a block is.
    ///
    /// # Panics
    /// If `r` and `x` are not equally long and one block or more, or the key has not a word more than a block.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, threefish::{Encrypt, extend_key, C240}};
    /// let mut key = [0; 5];
    /// extend_key(&mut key, C240);
    /// let (mut r, mut s) = ([0; 64], [0; 64]);
    /// let encrypt = Encrypt::best(Cpu::native());
    /// encrypt.call(&mut r, &[7; 64], &key, [1, 2], 1);
    /// encrypt.call(&mut s[..32], &[7; 32], &key, [1, 2], 0);
    /// encrypt.call(&mut s[32..], &[7; 32], &key, [2, 2], 0);
    /// assert_eq!(r, s);
    /// ```
    pub fn call(&self, r: &mut [u8], x: &[u8], key: &[Limb], t: [Limb; 2], step: Limb) {
        assert_eq!(r.len(), x.len());
        let n = blocks(x.len(), key);
        let (key, m) = (key.as_ptr(), key.len() - 1);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe {
            (self.f)(
                r.as_mut_ptr().cast(),
                x.as_ptr().cast(),
                key,
                t.as_ptr(),
                n,
                m,
                step,
            )
        }
    }

    /// `r := E(r)`, likewise.
    ///
    /// # Panics
    /// If `r` is not one block or more, or the key has not a word more than a block.
    pub fn call_in_place(&self, r: &mut [u8], key: &[Limb], t: [Limb; 2], step: Limb) {
        let n = blocks(r.len(), key);
        let (key, m) = (key.as_ptr(), key.len() - 1);
        let r: *mut Limb = r.as_mut_ptr().cast();
        // SAFETY: the shapes were checked above, the processor by `all`; r = x exactly is allowed.
        unsafe { (self.f)(r, r, key, t.as_ptr(), n, m, step) }
    }
}
