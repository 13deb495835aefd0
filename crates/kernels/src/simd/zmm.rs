//! Registers of 512 bits: AVX-512 F, and IFMA for products.

use super::{
    Across, Blocks, Body, Fma52, HIGH, Madd52, Mul64, Transposed, U64s, UNITS, Xmm, instructions,
    xmm_vl::XmmVl,
};
use crate::Limb;
use core::arch::x86_64::*;

/// Eight words.
#[derive(Clone, Copy)]
pub struct Zmm(pub(crate) __m512i);

// SAFETY, of every intrinsic below: the caller's, as the trait says.

impl U64s for Zmm {
    const LANES: usize = 8;
    type Mask = __mmask8;

    #[target_feature(enable = "avx512f")]
    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn load(from: *const Limb) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_loadu_epi64(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_epi64(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn splat(word: Limb) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn rotl(self, bits: u32) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_rolv_epi64(self.0, _mm512_set1_epi64(bits.into())) })
    }

    #[inline(always)]
    unsafe fn test(self, other: Self) -> __mmask8 {
        // SAFETY: see above.
        unsafe { _mm512_test_epi64_mask(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_mask_blend_epi64(mask, no.0, yes.0) })
    }

    #[inline(always)]
    unsafe fn add_where(self, mask: __mmask8, other: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_mask_add_epi64(self.0, mask, self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sub_where(self, mask: __mmask8, other: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_mask_sub_epi64(self.0, mask, self.0, other.0) })
    }

    instructions!(Zmm of two: add _mm512_add_epi64, sub _mm512_sub_epi64, and _mm512_and_si512, or _mm512_or_si512, xor _mm512_xor_si512);
    instructions!(Zmm of a shift: shl _mm512_sll_epi64, shr _mm512_srl_epi64, sar _mm512_sra_epi64);
}

impl Madd52 for Zmm {
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
    unsafe fn run_madd52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn lo(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_madd52lo_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    unsafe fn hi(self, x: Self, y: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_madd52hi_epu64(self.0, x.0, y.0) })
    }
}

/// Each instruction says how it rounds: high halves are rounded down, so that low ones are not negative.
impl Fma52 for Zmm {
    type Number = __m512d;
    const SIGNED: bool = false;
    const SURPLUS: [Limb; 2] = [UNITS.to_bits(), HIGH.to_bits()];

    #[target_feature(enable = "avx512f")]
    unsafe fn run_fma52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    /// The bits of 2^52 plus the digits, less 2^52.
    #[inline(always)]
    unsafe fn number(self) -> __m512d {
        // SAFETY: see above.
        unsafe {
            let bits = self.or(Zmm::splat(UNITS.to_bits()));
            _mm512_sub_pd(_mm512_castsi512_pd(bits.0), _mm512_set1_pd(UNITS))
        }
    }

    /// As bits, by way of a general register: spread before the subtraction, as what comes next waits for it.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn number_of(digit: Limb) -> __m512d {
        let bits = digit | UNITS.to_bits();
        // SAFETY: see above.
        unsafe {
            let spread: __m512d;
            core::arch::asm!("vpbroadcastq {0}, {1}", out(zmm_reg) spread, in(reg) bits, options(pure, nomem, nostack, preserves_flags));
            _mm512_sub_pd(spread, _mm512_set1_pd(UNITS))
        }
    }

    #[inline(always)]
    unsafe fn spread_number(from: *const Limb) -> __m512d {
        // SAFETY: see above.
        unsafe { _mm512_set1_pd(*from.cast::<f64>()) }
    }

    #[inline(always)]
    unsafe fn load_number(from: *const Limb) -> __m512d {
        // SAFETY: see above.
        unsafe { _mm512_loadu_pd(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_number(number: __m512d, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_pd(to.cast(), number) }
    }

    #[inline(always)]
    unsafe fn halves(x: __m512d, y: __m512d) -> [Zmm; 2] {
        const DOWN: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        // SAFETY: see above.
        unsafe {
            let high = _mm512_fmadd_round_pd::<DOWN>(x, y, _mm512_set1_pd(HIGH));
            // Exact: a multiple of 2^52 below 2^104.
            let less = _mm512_sub_pd(_mm512_set1_pd(HIGH + UNITS), high);
            let low = _mm512_fmadd_pd(x, y, less);
            [
                Zmm(_mm512_castpd_si512(low)),
                Zmm(_mm512_castpd_si512(high)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn high(x: __m512d, y: *const Limb) -> Self {
        // SAFETY: see above.
        let [_, high] = unsafe { Zmm::halves(x, Zmm::load_number(y)) };
        high
    }

    #[inline(always)]
    unsafe fn small(x: __m512d, y: __m512d) -> Zmm {
        // SAFETY: see above.
        let product = unsafe { _mm512_fmadd_pd(x, y, _mm512_set1_pd(UNITS)) };
        // SAFETY: see above.
        Zmm(unsafe { _mm512_castpd_si512(product) })
    }

    /// In assembly, as for 256 bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn mac(low: &mut Zmm, high: &mut Zmm, x: __m512d, y: *const Limb) {
        // SAFETY: see above.
        unsafe {
            core::arch::asm!(
                "vmovupd {y}, [{at}]",
                "vmovapd {h}, {high_unit}",
                "vfmadd231pd {h}, {x}, {y}, {{rz-sae}}",
                "vsubpd {l}, {units}, {h}",
                "vfmadd231pd {l}, {x}, {y}",
                "vpaddq {low}, {low}, {l}",
                "vpaddq {high}, {high}, {h}",
                at = in(reg) y,
                x = in(zmm_reg) x,
                high_unit = in(zmm_reg) _mm512_set1_pd(HIGH),
                units = in(zmm_reg) _mm512_set1_pd(HIGH + UNITS),
                y = out(zmm_reg) _,
                h = out(zmm_reg) _,
                l = out(zmm_reg) _,
                low = inout(zmm_reg) low.0,
                high = inout(zmm_reg) high.0,
                options(pure, readonly, nostack, preserves_flags),
            )
        }
    }

    instructions!(Zmm of two: mul32 _mm512_mul_epu32);
}

/// AVX-512 DQ.
impl Mul64 for Zmm {
    instructions!(Zmm of two: mul _mm512_mullo_epi64);
}

impl Across for Zmm {
    type Pair = XmmVl;

    #[inline(always)]
    unsafe fn align<const BY: i32>(above: Self, below: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_alignr_epi64::<BY>(above.0, below.0) })
    }

    #[inline(always)]
    unsafe fn up(here: Self, below: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_alignr_epi64::<7>(here.0, below.0) })
    }

    #[inline(always)]
    unsafe fn pick(at: Self, low: Self, high: Self) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_permutex2var_epi64(low.0, at.0, high.0) })
    }

    #[inline(always)]
    unsafe fn lowest(self) -> Limb {
        // SAFETY: see above.
        unsafe { _mm_cvtsi128_si64(_mm512_castsi512_si128(self.0)) as Limb }
    }

    #[inline(always)]
    unsafe fn two(self) -> [Limb; 2] {
        // SAFETY: see above.
        unsafe {
            let two = _mm512_castsi512_si128(self.0);
            [
                _mm_cvtsi128_si64(two) as Limb,
                _mm_extract_epi64::<1>(two) as Limb,
            ]
        }
    }

    #[inline(always)]
    unsafe fn pair(self) -> XmmVl {
        // SAFETY: see above.
        XmmVl(unsafe { _mm512_castsi512_si128(self.0) })
    }

    #[inline(always)]
    unsafe fn from_pair(pair: XmmVl) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_zextsi128_si512(pair.0) })
    }

    #[inline(always)]
    unsafe fn splat_lower(pair: XmmVl) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_broadcastq_epi64(pair.0) })
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> u8 {
        // SAFETY: see above.
        unsafe { _mm512_cmpgt_epu64_mask(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> u8 {
        // SAFETY: see above.
        unsafe { _mm512_cmpeq_epu64_mask(self.0, other.0) }
    }
}

/// Two transpositions of four words of four blocks, one in each half of the registers.
impl Transposed for Zmm {
    #[inline(always)]
    unsafe fn load_blocks(row: impl Fn(usize) -> *const Limb) -> [Zmm; 4] {
        // SAFETY: four words at each row, as the caller says.
        unsafe {
            transposed([
                two_blocks(row(0), row(4)),
                two_blocks(row(1), row(5)),
                two_blocks(row(2), row(6)),
                two_blocks(row(3), row(7)),
            ])
        }
    }

    #[inline(always)]
    unsafe fn store_blocks<const W: usize>(
        words: &[Zmm; W],
        r: *mut Limb,
        with: Option<*const Limb>,
    ) {
        let write = |Zmm(mut row): Zmm, at: usize| {
            // SAFETY: W words of each of eight blocks, as the caller says.
            unsafe {
                if let Some(with) = with {
                    row = _mm512_xor_si512(row, _mm512_loadu_si512(with.add(at).cast()));
                }
                _mm512_storeu_si512(r.add(at).cast(), row);
            }
        };
        if let Some(four) = words.first_chunk()
            && W == 4
        {
            for (l, row) in pairs_of_blocks(*four).into_iter().enumerate() {
                write(row, 8 * l);
            }
        }
        for (i, eight) in words.as_chunks().0.iter().enumerate() {
            for (l, row) in blocks(*eight).into_iter().enumerate() {
                write(row, W * l + 8 * i);
            }
        }
    }

    /// By rotations, as to permute bytes is no part of AVX-512 F: of halves by one byte either way, and of words by four.
    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: see above.
        unsafe {
            let [left, right] = [_mm512_rol_epi32::<8>(self.0), _mm512_ror_epi32::<8>(self.0)];
            let even = _mm512_set1_epi32(0x00ff_00ff);
            let halves = _mm512_or_si512(
                _mm512_and_si512(even, left),
                _mm512_andnot_si512(even, right),
            );
            Zmm(_mm512_rol_epi64::<32>(halves))
        }
    }
}

/// Four words of two blocks.
///
/// # Safety
/// They are there; the processor has AVX-512 F.
#[inline(always)]
unsafe fn two_blocks(low: *const Limb, high: *const Limb) -> Zmm {
    // SAFETY: as the caller says.
    unsafe {
        let low = _mm512_castsi256_si512(_mm256_loadu_si256(low.cast()));
        Zmm(_mm512_inserti64x4::<1>(
            low,
            _mm256_loadu_si256(high.cast()),
        ))
    }
}

#[inline(always)]
fn transposed([a, b, c, d]: [Zmm; 4]) -> [Zmm; 4] {
    // SAFETY: see above.
    unsafe {
        let low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
        let high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
        let (ab, ab_odd) = (
            _mm512_unpacklo_epi64(a.0, b.0),
            _mm512_unpackhi_epi64(a.0, b.0),
        );
        let (cd, cd_odd) = (
            _mm512_unpacklo_epi64(c.0, d.0),
            _mm512_unpackhi_epi64(c.0, d.0),
        );
        [
            Zmm(_mm512_permutex2var_epi64(ab, low, cd)),
            Zmm(_mm512_permutex2var_epi64(ab_odd, low, cd_odd)),
            Zmm(_mm512_permutex2var_epi64(ab, high, cd)),
            Zmm(_mm512_permutex2var_epi64(ab_odd, high, cd_odd)),
        ]
    }
}

/// The rows of eight words of eight blocks.
#[inline(always)]
fn blocks([a, b, c, d, e, f, g, h]: [Zmm; 8]) -> [Zmm; 8] {
    let (low, high) = (transposed([a, b, c, d]), transposed([e, f, g, h]));
    let mut rows = [a; 8];
    for l in 0..4 {
        // SAFETY: see above.
        unsafe {
            rows[l] = Zmm(_mm512_shuffle_i64x2::<0b01_00_01_00>(low[l].0, high[l].0));
            rows[l + 4] = Zmm(_mm512_shuffle_i64x2::<0b11_10_11_10>(low[l].0, high[l].0));
        }
    }
    rows
}

/// The rows of four words of eight blocks, two in each vector.
#[inline(always)]
fn pairs_of_blocks([a, b, c, d]: [Zmm; 4]) -> [Zmm; 4] {
    // SAFETY: see above.
    unsafe {
        let (low, high) = (
            _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0),
            _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4),
        );
        let pairs = |a: Zmm, b: Zmm| {
            let (low, high) = (
                _mm512_permutex2var_epi64(a.0, low, b.0),
                _mm512_permutex2var_epi64(a.0, high, b.0),
            );
            [low, high]
        };
        let ([ab, ab_after], [cd, cd_after]) = (pairs(a, b), pairs(c, d));
        let (low, high) = (
            _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0),
            _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4),
        );
        [
            Zmm(_mm512_permutex2var_epi64(ab, low, cd)),
            Zmm(_mm512_permutex2var_epi64(ab, high, cd)),
            Zmm(_mm512_permutex2var_epi64(ab_after, low, cd_after)),
            Zmm(_mm512_permutex2var_epi64(ab_after, high, cd_after)),
        ]
    }
}

impl Blocks for Zmm {
    const COUNT: usize = 4;
    const HOLDS_KEYS: bool = true;
    type One = Xmm;

    #[inline(always)]
    unsafe fn splat_block(x: *const Limb) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(x.cast())) })
    }

    #[inline(always)]
    unsafe fn gather(rows: [*const Limb; 4]) -> Self {
        // SAFETY: see above.
        unsafe {
            let low = _mm512_castsi128_si512(_mm_loadu_si128(rows[0].cast()));
            let low = _mm512_inserti32x4::<1>(low, _mm_loadu_si128(rows[1].cast()));
            let low = _mm512_inserti32x4::<2>(low, _mm_loadu_si128(rows[2].cast()));
            Zmm(_mm512_inserti32x4::<3>(
                low,
                _mm_loadu_si128(rows[3].cast()),
            ))
        }
    }

    #[inline(always)]
    unsafe fn transposed([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: see above.
        unsafe {
            let even = |a: Zmm, b: Zmm| Zmm(_mm512_shuffle_i32x4::<0b10_00_10_00>(a.0, b.0));
            let odd = |a: Zmm, b: Zmm| Zmm(_mm512_shuffle_i32x4::<0b11_01_11_01>(a.0, b.0));
            // Of two rows each: their blocks 0 and 2, and 1 and 3.
            let (ab, ab_odd, cd, cd_odd) = (even(a, b), odd(a, b), even(c, d), odd(c, d));
            [
                even(ab, cd),
                even(ab_odd, cd_odd),
                odd(ab, cd),
                odd(ab_odd, cd_odd),
            ]
        }
    }

    #[inline(always)]
    unsafe fn numbers(number: impl Fn(u64) -> u64) -> Self {
        // SAFETY: see above.
        unsafe {
            let number = |lane| number(lane).swap_bytes() as i64;
            Zmm(_mm512_set_epi64(
                number(3),
                0,
                number(2),
                0,
                number(1),
                0,
                number(0),
                0,
            ))
        }
    }

    #[inline(always)]
    unsafe fn numbered(self, number: u64) -> Self {
        // SAFETY: see above.
        Zmm(unsafe { _mm512_mask_set1_epi64(self.0, 0b1010_1010, number.swap_bytes() as i64) })
    }

    instructions!(Zmm of two: round _mm512_aesenc_epi128, last_round _mm512_aesenclast_epi128, inverse_round _mm512_aesdec_epi128, inverse_last_round _mm512_aesdeclast_epi128);
}
