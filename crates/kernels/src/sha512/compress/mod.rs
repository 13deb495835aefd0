//! `sha512_compress`: h_l := h_l compressed with the blocks x_0,l, x_1,l, ..., for each l of m.
//!
//! Shapes     h\[m\]\[8\], x\[n\]\[m\]\[16\]; n >= 1; m 4 or 8. A chaining value is eight words.
//! Input      any; x is bytes at any address, a word eight of them with the highest first.
//! Output     for each of m hashes l the chaining value after its n blocks x_i,l, in order.
//! Overlap    none allowed.
//! Timing     depends on n and m only.
//! Source     FIPS 180-4, sections 4.1.3, 5.2.2 and 6.4.2.

use super::{BLOCK, MOST, WORDS};
#[cfg(any(target_arch = "x86_64", feature = "checked"))]
use crate::simd;
use crate::{Cpu, Isa, Limb, op::*};

/// n blocks of each of m hashes.
static SIZES: Sizes = Sizes {
    about: "n blocks of each of m hashes, 4 or 8",
    walk: || {
        let all = [1, 2, 3, 4, 7].into_iter();
        all.flat_map(|n| [4, MOST].map(|m| (n, m))).collect()
    },
    of_bits: |bits| Some((bits.div_ceil(64 * BLOCK * MOST), MOST)),
};

op! {
    /// SHA-512's compression function on blocks of four or eight hashes.
    pub struct Compress("sha512_compress");
    call: (h: *mut Limb, x: *const Limb, n: usize, m: usize);
    contract: Contract {
        effect: "h[l] := h[l] compressed with x[0][l], ..., x[n - 1][l] for l < m",
        operands: &[
            Operand::in_out("h", Len::M.times(WORDS)),
            Operand::input("x", Len::N.by(Len::M).times(BLOCK)).unaligned(),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "FIPS 180-4, section 6.4.2",
    };
    kernels {
        x86_64 {
            /// AVX-512: a hash a lane, everything in registers.
            avx512: Isa::AVX512F.and(Isa::AVX512VL), "avx512f,avx512vl" => super::lanes::compress::<simd::YmmVl, simd::Zmm>;
            /// AVX2: four hashes a vector, and then the other four.
            avx2: Isa::AVX2, "avx2" => super::lanes::compress::<simd::Ymm, simd::Ymm>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => super::lanes::compress::<simd::Words<4>, simd::Words<8>>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.m);
}

impl Compress {
    /// In how many lanes so many hashes are best compressed, if they are at most eight: as many as a call has, or `None`
    /// where one alone after the other is faster.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, sha512::Compress};
    /// assert_eq!(Compress::lanes(Cpu::portable(), 8), None);
    /// ```
    pub fn lanes(cpu: Cpu, hashes: usize) -> Option<usize> {
        // Measured beside the crate sha2, by a block of each.
        let (four, eight) = match () {
            () if cpu.has(Isa::AVX512F.and(Isa::AVX512VL)) => (2, 5),
            () if cpu.has(Isa::AVX2) => (4, 7),
            () => return None,
        };
        match hashes {
            _ if (four..=4).contains(&hashes) => Some(4),
            _ if (eight..=MOST).contains(&hashes) => Some(MOST),
            _ => None,
        }
    }

    /// Takes blocks into the chaining values of four or eight hashes: a block of each, then the second of each, and so on.
    ///
    /// # Panics
    /// With another number of hashes, without a block, or with blocks that are not as many of each.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, sha512::Compress};
    /// let mut values = [[1; 8]; 4];
    /// let mut blocks = [[0; 128]; 8];
    /// blocks[7][0] = 1;
    /// Compress::best(Cpu::native()).call(&mut values, &blocks);
    /// assert!(values[0] == values[2] && values[0] != values[3]);
    /// ```
    pub fn call(&self, h: &mut [[Limb; WORDS]], x: &[[u8; 8 * BLOCK]]) {
        let m = h.len();
        assert!(matches!(m, 4 | MOST) && !x.is_empty() && x.len().is_multiple_of(m));
        let (h, n) = (h.as_flattened_mut().as_mut_ptr(), x.len() / m);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(h, x.as_ptr().cast(), n, m) }
    }
}
