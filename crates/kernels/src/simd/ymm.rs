//! Registers of 256 bits: AVX2, and FMA for products. Those of AVX-IFMA are in `ymm_ifma`.

use super::{Blocks, Body, Fma52, HIGH, Transposed, U64s, UNITS, Xmm, instructions};
use crate::Limb;
use core::{arch::x86_64::*, ops::BitAnd};

/// Four words.
#[derive(Clone, Copy)]
pub struct Ymm(pub(crate) __m256i);

/// Words of ones in some lanes, and of zeros in the others.
#[derive(Clone, Copy)]
pub struct Lanes(__m256i);

impl BitAnd for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn bitand(self, other: Lanes) -> Lanes {
        // SAFETY: who made a mask has AVX2.
        Lanes(unsafe { _mm256_and_si256(self.0, other.0) })
    }
}

// SAFETY, of every intrinsic below: the caller's, as the trait says.

impl U64s for Ymm {
    const LANES: usize = 4;
    type Mask = Lanes;

    #[target_feature(enable = "avx2")]
    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn load(from: *const Limb) -> Self {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(word: Limb) -> Self {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_set1_epi64x(word as i64) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_setzero_si256() })
    }

    /// By a permutation of bytes, where a word is rotated by whole bytes.
    #[inline(always)]
    unsafe fn rotl(self, bits: u32) -> Self {
        // SAFETY: see above.
        unsafe {
            if bits == 32 {
                return Ymm(_mm256_shuffle_epi32::<0b10_11_00_01>(self.0));
            }
            if bits.is_multiple_of(8) {
                // Byte i of a word is byte i - whole of it before.
                let whole = (bits / 8) as i8;
                let from: [i8; 32] =
                    core::array::from_fn(|i| (i as i8 & 8) | (i as i8 - whole) & 7);
                return Ymm(_mm256_shuffle_epi8(
                    self.0,
                    _mm256_loadu_si256(from.as_ptr().cast()),
                ));
            }
            self.shl(bits).or(self.shr(64 - bits))
        }
    }

    #[inline(always)]
    unsafe fn test(self, other: Self) -> Lanes {
        // SAFETY: see above.
        unsafe {
            let none = _mm256_cmpeq_epi64(self.and(other).0, Self::zero().0);
            Lanes(_mm256_xor_si256(none, Self::splat(!0).0))
        }
    }

    #[inline(always)]
    unsafe fn select(mask: Lanes, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_blendv_epi8(no.0, yes.0, mask.0) })
    }

    #[inline(always)]
    unsafe fn add_where(self, mask: Lanes, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { self.add(other.and(Ymm(mask.0))) }
    }

    #[inline(always)]
    unsafe fn sub_where(self, mask: Lanes, other: Self) -> Self {
        // SAFETY: see above.
        unsafe { self.sub(other.and(Ymm(mask.0))) }
    }

    instructions!(Ymm of two: add _mm256_add_epi64, sub _mm256_sub_epi64, and _mm256_and_si256, or _mm256_or_si256, xor _mm256_xor_si256);
    instructions!(Ymm of a shift: shl _mm256_sll_epi64, shr _mm256_srl_epi64);
}

/// Halfway from 2^52 to 2^53, so that there is room on both sides.
const MIDDLE: f64 = 1.5 * UNITS;

impl Fma52 for Ymm {
    type Number = __m256d;
    const SIGNED: bool = true;
    const SURPLUS: [Limb; 2] = [MIDDLE.to_bits(), HIGH.to_bits()];

    #[target_feature(enable = "avx2,fma")]
    unsafe fn run_fma52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    /// The bits of 2^52 plus the digits, less 2^52.
    #[inline(always)]
    unsafe fn number(self) -> __m256d {
        // SAFETY: see above.
        unsafe {
            let bits = self.or(Ymm::splat(UNITS.to_bits()));
            _mm256_sub_pd(_mm256_castsi256_pd(bits.0), _mm256_set1_pd(UNITS))
        }
    }

    #[inline(always)]
    unsafe fn number_of(digit: Limb) -> __m256d {
        // SAFETY: see above.
        unsafe { Ymm::splat(digit).number() }
    }

    #[inline(always)]
    unsafe fn spread_number(from: *const Limb) -> __m256d {
        // SAFETY: see above.
        unsafe { _mm256_set1_pd(*from.cast::<f64>()) }
    }

    #[inline(always)]
    unsafe fn load_number(from: *const Limb) -> __m256d {
        // SAFETY: see above.
        unsafe { _mm256_loadu_pd(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_number(number: __m256d, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_pd(to.cast(), number) }
    }

    #[inline(always)]
    unsafe fn halves(x: __m256d, y: __m256d) -> [Ymm; 2] {
        // SAFETY: see above.
        unsafe {
            let high = _mm256_fmadd_pd(x, y, _mm256_set1_pd(HIGH));
            let less = _mm256_sub_pd(_mm256_set1_pd(HIGH), high);
            // Exact: an odd multiple of 2^51 below 2^105.
            let less = _mm256_add_pd(less, _mm256_set1_pd(MIDDLE));
            let low = _mm256_fmadd_pd(x, y, less);
            [
                Ymm(_mm256_castpd_si256(low)),
                Ymm(_mm256_castpd_si256(high)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn high(x: __m256d, y: *const Limb) -> Self {
        // SAFETY: see above.
        let [_, high] = unsafe { Ymm::halves(x, Ymm::load_number(y)) };
        high
    }

    #[inline(always)]
    unsafe fn small(x: __m256d, y: __m256d) -> Ymm {
        // SAFETY: see above.
        let product = unsafe { _mm256_fmadd_pd(x, y, _mm256_set1_pd(MIDDLE)) };
        // SAFETY: see above.
        Ymm(unsafe { _mm256_castpd_si256(product) })
    }

    /// In assembly, as a compiler takes many products at once, and then has no registers left for sums.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn mac(low: &mut Ymm, high: &mut Ymm, x: __m256d, y: *const Limb) {
        // SAFETY: see above.
        unsafe {
            core::arch::asm!(
                "vmovupd {y}, [{at}]",
                "vmovapd {h}, {unit}",
                "vfmadd231pd {h}, {x}, {y}",
                "vsubpd {l}, {unit}, {h}",
                "vaddpd {l}, {l}, {middle}",
                "vfmadd231pd {l}, {x}, {y}",
                "vpaddq {low}, {low}, {l}",
                "vpaddq {high}, {high}, {h}",
                at = in(reg) y,
                x = in(ymm_reg) x,
                unit = in(ymm_reg) _mm256_set1_pd(HIGH),
                middle = in(ymm_reg) _mm256_set1_pd(MIDDLE),
                y = out(ymm_reg) _,
                h = out(ymm_reg) _,
                l = out(ymm_reg) _,
                low = inout(ymm_reg) low.0,
                high = inout(ymm_reg) high.0,
                // An inexact result is noted in MXCSR.
                options(pure, readonly, nostack),
            )
        }
    }

    instructions!(Ymm of two: mul32 _mm256_mul_epu32);
}

impl Transposed for Ymm {
    #[inline(always)]
    unsafe fn load_blocks(row: impl Fn(usize) -> *const Limb) -> [Ymm; 4] {
        // SAFETY: four words at each row, as the caller says.
        unsafe {
            let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
            transposed([
                Ymm(_mm256_loadu_si256(a.cast())),
                Ymm(_mm256_loadu_si256(b.cast())),
                Ymm(_mm256_loadu_si256(c.cast())),
                Ymm(_mm256_loadu_si256(d.cast())),
            ])
        }
    }

    #[inline(always)]
    unsafe fn store_blocks<const W: usize>(
        words: &[Ymm; W],
        r: *mut Limb,
        with: Option<*const Limb>,
    ) {
        for (i, four) in words.as_chunks().0.iter().enumerate() {
            for (l, Ymm(mut row)) in transposed(*four).into_iter().enumerate() {
                let at = W * l + 4 * i;
                // SAFETY: W words of each of four blocks, as the caller says.
                unsafe {
                    if let Some(with) = with {
                        row = _mm256_xor_si256(row, _mm256_loadu_si256(with.add(at).cast()));
                    }
                    _mm256_storeu_si256(r.add(at).cast(), row);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        let from: [i8; 32] = core::array::from_fn(|i| (i as i8 & 8) | (7 - (i as i8 & 7)));
        // SAFETY: see above.
        unsafe {
            Ymm(_mm256_shuffle_epi8(
                self.0,
                _mm256_loadu_si256(from.as_ptr().cast()),
            ))
        }
    }
}

#[inline(always)]
fn transposed([a, b, c, d]: [Ymm; 4]) -> [Ymm; 4] {
    // SAFETY: see above.
    unsafe {
        let (ab, ab_odd) = (
            _mm256_unpacklo_epi64(a.0, b.0),
            _mm256_unpackhi_epi64(a.0, b.0),
        );
        let (cd, cd_odd) = (
            _mm256_unpacklo_epi64(c.0, d.0),
            _mm256_unpackhi_epi64(c.0, d.0),
        );
        [
            Ymm(_mm256_permute2x128_si256::<0x20>(ab, cd)),
            Ymm(_mm256_permute2x128_si256::<0x20>(ab_odd, cd_odd)),
            Ymm(_mm256_permute2x128_si256::<0x31>(ab, cd)),
            Ymm(_mm256_permute2x128_si256::<0x31>(ab_odd, cd_odd)),
        ]
    }
}

impl Blocks for Ymm {
    const COUNT: usize = 2;
    const HOLDS_KEYS: bool = false;
    type One = Xmm;

    #[inline(always)]
    unsafe fn splat_block(x: *const Limb) -> Self {
        // SAFETY: see above.
        Ymm(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(x.cast())) })
    }

    #[inline(always)]
    unsafe fn gather(rows: [*const Limb; 4]) -> Self {
        // SAFETY: see above.
        unsafe {
            let low = _mm256_castsi128_si256(_mm_loadu_si128(rows[0].cast()));
            Ymm(_mm256_inserti128_si256::<1>(
                low,
                _mm_loadu_si128(rows[1].cast()),
            ))
        }
    }

    #[inline(always)]
    unsafe fn transposed([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: see above.
        unsafe {
            [
                Ymm(_mm256_permute2x128_si256::<0x20>(a.0, b.0)),
                Ymm(_mm256_permute2x128_si256::<0x31>(a.0, b.0)),
                c,
                d,
            ]
        }
    }

    #[inline(always)]
    unsafe fn numbers(number: impl Fn(u64) -> u64) -> Self {
        // SAFETY: see above.
        unsafe {
            let number = |lane| number(lane).swap_bytes() as i64;
            Ymm(_mm256_set_epi64x(number(1), 0, number(0), 0))
        }
    }

    #[inline(always)]
    unsafe fn numbered(self, number: u64) -> Self {
        // SAFETY: see above.
        Ymm(unsafe {
            _mm256_unpacklo_epi64(self.0, _mm256_set1_epi64x(number.swap_bytes() as i64))
        })
    }

    instructions!(Ymm of two: round _mm256_aesenc_epi128, last_round _mm256_aesenclast_epi128, inverse_round _mm256_aesdec_epi128, inverse_last_round _mm256_aesdeclast_epi128);
}
