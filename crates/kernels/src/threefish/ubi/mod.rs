//! `threefish_ubi`: r_l := UBI(g, x_l, t), each leaf x_l being s of n blocks.
//!
//! Shapes     r\[n / s\]\[m\], g\[m + 1\], x\[n\]\[m\], t\[2\]; n >= 1; m 4, 8 or 16; s divides n.
//! Input      any; r and x are bytes at any address, a word eight of them with the lowest first. The last word of g is
//!            its parity, and what all words of g xored are is the constant of the parity in the whole chain.
//! Output     for each leaf the chain g := E(g, t', block) xor block over its blocks, where t' is t with the bytes of all
//!            blocks of x up to and with this one added to the lower word, the mark of the first block kept for the first
//!            of the leaf only, and that of the last for the last.
//! Overlap    none allowed.
//! Timing     depends on n, m and s only.
//! Source     Ferguson et al., The Skein Hash Function Family, version 1.3, sections 3.4 and 3.5.6.

use super::blocks;
use super::operands::SIZES;
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use crate::simd;
use crate::{Isa, Limb, op::*};

op! {
    /// Unique block iteration over leaves of equal length, or over one: what Skein is made of.
    pub struct Ubi("threefish_ubi");
    call: (r: *mut Limb, g: *const Limb, x: *const Limb, t: *const Limb, n: usize, m: usize, s: usize);
    contract: Contract {
        effect: "r[l] := UBI(g, s blocks x[l*s], t) for n/s leaves, blocks of m words; the rest of r stays",
        operands: &[
            Operand::in_out("r", Len::N.by(Len::M)).unaligned(),
            Operand::input("g", Len::M.plus(Len::words(1))),
            Operand::input("x", Len::N.by(Len::M)).unaligned(),
            Operand::input("t", Len::words(2)),
        ],
        scalar: Scalar::Public(Word::Custom(&DIVISOR)),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "Ferguson et al., Skein 1.3, sections 3.4 and 3.5.6",
    };
    kernels {
        x86_64 {
            /// AVX-512: eight leaves a vector; of Threefish-256 six vectors are in flight, of -512 three. One leaf is
            /// left to scalar code.
            avx512: Isa::AVX512F => super::sliced::leaves::<simd::Zmm>;
            /// AVX2: four leaves a vector; of Threefish-256 two vectors are in flight. One leaf is left to scalar code.
            avx2: Isa::AVX2 => super::sliced::leaves::<simd::Ymm>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => super::sliced::leaves::<simd::Words<4>>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.m, x.s as usize);
}

impl Ubi {
    /// The chain of each leaf, one block each, from the chain value `g`, which is followed by its parity
    /// ([`extend_key`](super::extend_key)) and says how long a block is.
    ///
    /// # Panics
    /// If `r` is not a whole, positive number of blocks, or does not divide `x` into as many leaves of whole blocks.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, threefish::{C240, FINAL, FIRST, Ubi, extend_key}};
    /// let mut g = [0; 9];
    /// extend_key(&mut g, C240);
    /// let ubi = Ubi::best(Cpu::native());
    /// let (mut leaves, mut one) = ([0; 128], [0; 64]);
    /// ubi.call(&mut leaves, &g, &[7; 512], [0, FIRST | FINAL]);
    /// ubi.call(&mut one, &g, &[7; 256], [0, FIRST | FINAL]);
    /// assert_eq!(leaves[..64], one);
    /// assert_ne!(leaves[64..], one, "it begins at another place");
    /// ```
    pub fn call(&self, r: &mut [u8], g: &[Limb], x: &[u8], t: [Limb; 2]) {
        let (leaves, n) = (blocks(r.len(), g), blocks(x.len(), g));
        assert!(n.is_multiple_of(leaves));
        let (r, x, m) = (r.as_mut_ptr().cast(), x.as_ptr().cast(), g.len() - 1);
        // SAFETY: the shapes were checked above, the processor by `all`; n / s blocks of r are written.
        unsafe { (self.f)(r, g.as_ptr(), x, t.as_ptr(), n, m, n / leaves) }
    }
}
