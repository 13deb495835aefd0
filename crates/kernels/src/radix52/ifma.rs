//! One number over Z registers: the rows that the `ifma512` and `ifma256` kernels are made of.
//!
//! A row adds a * b_i and q * n to the accumulators and moves them down by a digit. The low halves of products belong
//! to the digit's own place, the high halves to the next, which is the same place after the move.

use super::word::MASK;
use crate::{Limb, mpn::lookahead::resolve, wipe};
use core::arch::x86_64::*;

/// Optimisation barrier: returns `p` through an empty `asm!`, so that operands stay in memory, where instructions take
/// them for nothing, instead of moving into registers that sums need.
#[inline(always)]
pub(crate) fn opaque<T>(mut p: *const T) -> *const T {
    // SAFETY: no instruction at all.
    unsafe { core::arch::asm!("/* {0} */", inout(reg) p, options(nostack, preserves_flags)) };
    p
}

/// The low 52 bits of a product of two digits.
#[inline(always)]
fn low52(x: Limb, y: Limb) -> Limb {
    x.wrapping_mul(y) & MASK
}

/// The high 52 bits of a product of two digits.
#[inline(always)]
fn high52(x: Limb, y: Limb) -> Limb {
    ((u128::from(x << 12) * u128::from(y)) >> 64) as Limb
}

/// Both halves of the product of two digits, low and high, given the first one 12 bits up.
#[inline(always)]
fn halves(x: Limb, y: Limb) -> (Limb, Limb) {
    let product = u128::from(x) * u128::from(y);
    (product as Limb >> 12, (product >> 64) as Limb)
}

/// Optimisation barrier: returns `x` through an empty `asm!`, so that the compiler keeps it out of vectors.
#[inline(always)]
fn scalar(mut x: Limb) -> Limb {
    // SAFETY: no instruction at all.
    unsafe {
        core::arch::asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags))
    };
    x
}

/// How the rows find their quotient digits: in scalar registers, from the lowest digits of the vectors.
pub(super) const SCALAR: u8 = 0;
/// In vectors: more instructions, and a shorter way from one pair to the next.
pub(super) const VECTOR: u8 = 1;
/// In scalar registers, from digits that are there before the vectors have them ([`Ahead`]): still more instructions,
/// and the shortest way, as nothing on it waits for vectors.
pub(super) const AHEAD: u8 = 2;

/// The lowest digits of a multiplication, beside the vectors: what q n adds to the digits that are the lowest ones after
/// two rows is worked out here too, so that the next quotient digits do not wait for the vectors to have it.
struct Ahead {
    /// The two digits of -n^-1 mod 2^104.
    k: [Limb; 2],
    /// The four lowest digits of n, each 12 bits up.
    n: [Limb; 4],
    /// The two lowest words of t.
    head: [Limb; 2],
}

impl Ahead {
    /// The two quotient digits for these lowest words, what they carry out, and what q n adds to the two words above.
    #[inline(always)]
    fn quotient(&self, first: Limb, second: Limb) -> ([Limb; 2], Limb, [Limb; 2]) {
        let (first, second) = (scalar(first), scalar(second));
        let ([k0, k1], [n0, n1, n2, n3]) = (self.k, self.n);
        let digit = first & MASK;
        let (q0, high) = halves(k0 << 12, digit);
        let q0 = scalar(q0);
        let low = (second + (first >> 52))
            .wrapping_mul(k0)
            .wrapping_add(digit.wrapping_mul(k1));
        let q1 = low.wrapping_add(high) & MASK;
        let ((l1, h1), (l2, h2)) = (halves(n1, q0), halves(n2, q0));
        let (m1, g1) = halves(n1, q1);
        let second = second + ((first + MASK) >> 52) + halves(n0, q0).1 + l1;
        let third = l2 + h1 + m1 + halves(n0, q1).1;
        let fourth = halves(n3, q0).0 + h2 + halves(n2, q1).0 + g1;
        ([q0, q1], (second + MASK) >> 52, [third, fourth])
    }
}

/// The quotient digits that make the two lowest digits of a number disappear, each in the lowest lane.
///
/// `w` holds those two digits, carries owed; `k` the two digits of -n^-1 mod 2^104. The multiplier reads 52 bits, so
/// that nothing has to be masked.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
fn quotient(w: __m128i, [k0, k1]: [__m128i; 2]) -> (__m128i, __m128i) {
    let zero = _mm_setzero_si128();
    let second = _mm_add_epi64(_mm_unpackhi_epi64(w, w), _mm_srli_epi64::<52>(w));
    let q0 = _mm_madd52lo_epu64(zero, w, k0);
    let cross = _mm_add_epi64(
        _mm_madd52lo_epu64(zero, w, k1),
        _mm_madd52hi_epu64(zero, w, k0),
    );
    let q1 = _mm_add_epi64(_mm_madd52lo_epu64(zero, second, k0), cross);
    (q0, q1)
}

/// The two words of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
fn words(x: __m128i) -> [Limb; 2] {
    [_mm_cvtsi128_si64(x), _mm_extract_epi64::<1>(x)].map(|x| x as Limb)
}

/// The second digit of -n^-1 mod 2^104, given the first and the two lowest digits of n.
fn second_digit(n0: Limb, n1: Limb, k0: Limb) -> Limb {
    let high = ((u128::from(n0) * u128::from(k0) + 1) >> 52) as Limb;
    high.wrapping_add(n1.wrapping_mul(k0)).wrapping_mul(k0) & MASK
}

/// Rows of one vector width: the same source for eight digits a register and for four.
macro_rules! rows {
    (
        $(#[$doc:meta])*
        $Rows:ident($vector:ty, $digits:literal, $features:literal), steps: $($step:literal)*,
        lo: $lo:ident, hi: $hi:ident, load: $load:ident, store: $store:ident, splat: $splat:ident, zero: $zero:ident,
        add: $add:ident, and: $and:ident, srli: $srli:ident,
        add_lanes: $mask_add:ident, above: $gt:ident, equal: $eq:ident, align: $align:ident, low: $low:ident,
        extend: $extend:ident, broadcast: $broadcast:ident $(,)?
    ) => {
        $(#[$doc])*
        ///
        /// Invariant between rows: t = (a * b_{<i} + q n) / 2^(52 i). Every word stays below 4 (i + 1) 2^52 < 2^64 for
        /// i < 1023.
        pub(super) struct $Rows<const Z: usize> {
            t: [$vector; Z],
            a: *const Limb,
            n: *const Limb,
            k0: Limb,
            /// Owed at the lowest digit.
            carry: Limb,
            /// The two digits of -n^-1 mod 2^104.
            k: [__m128i; 2],
            ahead: Ahead,
        }

        impl<const Z: usize> $Rows<Z> {
            /// Nothing added yet.
            ///
            /// # Safety
            /// `a` and `n` have Z registers of digits; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn new(a: *const Limb, n: *const Limb, k0: Limb) -> Self {
                // SAFETY: a register has four digits at least.
                let low = unsafe { [*n, *n.add(1), *n.add(2), *n.add(3)] };
                let both = [k0, second_digit(low[0], low[1], k0)];
                let k = both.map(|k| _mm_set1_epi64x(k as i64));
                let ahead = Ahead { k: both, n: low.map(|n| n << 12), head: [0; 2] };
                $Rows { t: [$zero(); Z], a, n, k0, carry: 0, k, ahead }
            }

            /// The row of the digit at `b`; if `SQUARE`, of the last step.
            ///
            /// `SITE` is a number for the place of the call, here and below: a function that is called from one place
            /// only is inlined there, whatever its size, and so each place has an instance of its own.
            ///
            /// # Safety
            /// As for `new`; the digit is readable.
            #[inline]
            #[target_feature(enable = $features)]
            #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
            unsafe fn row<const SQUARE: bool, const SITE: u8>(&mut self, b: *const Limb) {
                let from = if SQUARE { (Z - 1) / Self::STEP * Self::STEP } else { 0 };
                let (t, pa, pn) = (&mut self.t, opaque(self.a), opaque(self.n));
                // SAFETY: z < Z; the digit is readable.
                let (a, n, y) = unsafe {
                    (
                        |z| $load(pa.add($digits * z).cast()),
                        |z| $load(pn.add($digits * z).cast()),
                        $splat(*b as i64),
                    )
                };
                for z in from..Z {
                    t[z] = $lo(t[z], a(z), y);
                }
                let first = _mm_cvtsi128_si64($low(t[0])) as Limb + self.carry;
                let q = $splat(first.wrapping_mul(self.k0) as i64);
                self.carry = (first + MASK) >> 52;
                for z in 0..Z {
                    t[z] = $lo(t[z], n(z), q);
                }
                for z in 0..Z {
                    let above = if z + 1 < Z { t[z + 1] } else { $zero() };
                    t[z] = $hi($align::<1>(above, t[z]), n(z), q);
                    if z >= from {
                        t[z] = $hi(t[z], a(z), y);
                    }
                }
            }

            /// The rows of the two digits at `b`. If `SQUARE`, those are of step `AT`: registers of `a` before that
            /// step are left out, and those behind it are taken from `twice`, as `doubled` leaves it. The quotient digits
            /// are found as `HOW` says.
            ///
            /// # Safety
            /// As for `new`; the digits are readable, and if `SQUARE` what `twice` points to.
            #[inline]
            #[target_feature(enable = $features)]
            #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
            unsafe fn two_rows<const AT: usize, const SQUARE: bool, const HOW: u8, const SITE: u8>(
                &mut self, b: *const Limb, twice: *const Limb,
            ) {
                let (from, until) = if SQUARE { (AT * Self::STEP, (AT + 1) * Self::STEP) } else { (0, Z) };
                let t = &mut self.t;
                let (pa, p2, pn, b) = (opaque(self.a), opaque(twice), opaque(self.n), opaque(b));
                // SAFETY: z < Z; the digits are readable.
                let (a, n, y0, y1) = unsafe {
                    (
                        |z: usize| match z {
                            _ if z < until => $load(pa.add($digits * z).cast()),
                            _ if z == until => $load(p2.add($digits * (Z + z)).cast()),
                            _ => $load(p2.add($digits * z).cast()),
                        },
                        |z: usize| $load(pn.add($digits * z).cast()),
                        $splat(*b as i64),
                        $splat(*b.add(1) as i64),
                    )
                };
                // What a adds to the digits from 0, 1 and 2 on.
                let a_0 = |t, z| if z < from { t } else { $lo(t, a(z), y0) };
                let a_1 = |z| if z < from { $zero() } else { $lo($hi($zero(), a(z), y0), a(z), y1) };
                let a_2 = |z| if z < from { $zero() } else { $hi($zero(), a(z), y1) };
                let (low_0, low_1) = (a_0($zero(), 0), a_1(0));
                let mut above = [0; 2];
                let (q0, q1) = if HOW == VECTOR {
                    let added = _mm_add_epi64($low(low_0), _mm_slli_si128::<8>($low(low_1)));
                    let (q0, q1) = quotient(_mm_add_epi64($low(t[0]), added), self.k);
                    ($broadcast(q0), $broadcast(q1))
                } else {
                    // SAFETY: two digits of each at least.
                    let two = |p: *const Limb| unsafe { (*p, *p.add(1)) };
                    let ((n0, n1), (b0, b1)) = (two(opaque(pn)), two(opaque(b)));
                    let [mut first, mut second] = match HOW {
                        AHEAD => self.ahead.head,
                        _ => words($low(t[0])),
                    };
                    first += self.carry;
                    if from == 0 {
                        let (a0, a1) = two(opaque(pa));
                        first += low52(a0, b0);
                        second += high52(a0, b0) + low52(a1, b0) + low52(a0, b1);
                    }
                    let [q0, q1];
                    if HOW == AHEAD {
                        ([q0, q1], self.carry, above) = self.ahead.quotient(first, second);
                    } else {
                        q0 = low52(first, self.k0);
                        second += ((first + MASK) >> 52) + high52(n0, q0) + low52(n1, q0);
                        q1 = low52(second, self.k0);
                        self.carry = (second + MASK) >> 52;
                    }
                    ($splat(q0 as i64), $splat(q1 as i64))
                };
                // The same with what q n adds.
                let from_0 = |t, z| $lo(t, n(z), q0);
                let from_1 = |t, z| $lo($hi(t, n(z), q0), n(z), q1);
                let sum_0 = if HOW == VECTOR { $add(t[0], low_0) } else { a_0(t[0], 0) };
                if HOW == AHEAD {
                    let here = $add($align::<2>(sum_0, sum_0), $align::<1>(low_1, low_1));
                    let here = words($low($add(here, a_2(0))));
                    self.ahead.head = [here[0] + above[0], here[1] + above[1]];
                }
                let (mut here_0, mut here_1) = (from_0(sum_0, 0), from_1(low_1, 0));
                let mut carry = $zero();
                if HOW == VECTOR {
                    // The two lowest digits are 0 mod 2^104 now: what is above that moves on.
                    let (x0, x1) = ($low(here_0), $low(here_1));
                    let x0 = _mm_add_epi64(_mm_unpackhi_epi64(x0, x0), _mm_srli_epi64::<52>(x0));
                    carry = $extend(_mm_maskz_srli_epi64::<52>(1, _mm_add_epi64(x0, x1)));
                }
                for z in 0..Z {
                    let (mut above_0, mut above_1) = ($zero(), $zero());
                    if z + 1 < Z {
                        (above_0, above_1) = (from_0(a_0(t[z + 1], z + 1), z + 1), from_1(a_1(z + 1), z + 1));
                    }
                    let from_2 = $hi(a_2(z), n(z), q1);
                    t[z] = $add($add($align::<2>(above_0, here_0), $align::<1>(above_1, here_1)), from_2);
                    if HOW == VECTOR && z == 0 {
                        t[0] = $add(t[0], carry);
                    }
                    (here_0, here_1) = (above_0, above_1);
                }
            }

            /// One multiplication: `radix52_amm` for as many digits as Z registers hold.
            ///
            /// # Safety
            /// The contract of `radix52_amm` with digits for Z registers; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn one<const HOW: u8>(
                r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, m: usize, k0: Limb,
            ) {
                // SAFETY: a, n and r have Z registers of digits; i < m, at most the length of b.
                unsafe {
                    let mut x = Self::new(a, n, k0);
                    for i in (0..m - m % 2).step_by(2) {
                        x.two_rows::<0, false, HOW, 0>(b.add(i), a);
                    }
                    if m % 2 == 1 {
                        x.row::<false, 0>(b.add(m - 1));
                    }
                    x.finish::<0>(r);
                }
            }

            /// Two multiplications, the rows of both in turn; the second has its operands d digits above the first.
            ///
            /// # Safety
            /// The contract of `radix52_amm_x2` with digits for Z registers; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn pair<const HOW: u8>(
                r: *mut Limb, a: *const Limb, b: *const Limb, n: *const Limb, k0: *const Limb, d: usize, m: usize,
            ) {
                // SAFETY: each half of a, n and r has Z registers of digits; i < m, at most the length of a half of b.
                unsafe {
                    let (a1, b1) = (a.add(d), b.add(d));
                    let mut x = Self::new(a, n, *k0);
                    let mut y = Self::new(a1, n.add(d), *k0.add(1));
                    for i in (0..m - m % 2).step_by(2) {
                        x.two_rows::<0, false, HOW, 1>(b.add(i), a);
                        y.two_rows::<0, false, HOW, 2>(b1.add(i), a1);
                    }
                    if m % 2 == 1 {
                        x.row::<false, 1>(b.add(m - 1));
                        y.row::<false, 2>(b1.add(m - 1));
                    }
                    x.finish::<1>(r);
                    y.finish::<2>(r.add(d));
                }
            }

            /// The digits of 2a, and behind them the same with the lowest bit of each register cleared: that bit came
            /// from the register below, and is not there where only the registers from this one on are doubled.
            ///
            /// # Safety
            /// `a` has Z registers of digits, below R / 2 together; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn doubled(a: *const Limb) -> [[$vector; Z]; 2] {
                let mask = $splat(MASK as i64);
                let mut twice = [[$zero(); Z]; 2];
                let mut below = $zero();
                for z in 0..Z {
                    // SAFETY: z < Z.
                    let a = unsafe { $load(a.add($digits * z).cast()) };
                    let even = $and($add(a, a), mask);
                    let top = $srli::<51>(a);
                    twice[0][z] = $add(even, $align::<{ $digits - 1 }>(top, below));
                    twice[1][z] = $mask_add(twice[0][z], 1, even, $zero());
                    below = top;
                }
                twice
            }

            /// Registers of the factor that are left out at once when squaring: fewer steps make shorter code.
            const STEP: usize = if Z > 10 { 2 } else { 1 };

            /// One squaring: `radix52_ams` for as many digits as Z registers hold. Products of digits in different
            /// steps are taken once, with the upper digit doubled.
            ///
            /// # Safety
            /// The contract of `radix52_ams` with digits for Z registers; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn square<const HOW: u8>(
                r: *mut Limb, a: *const Limb, n: *const Limb, m: usize, k0: Limb,
            ) {
                // SAFETY: a, n and r have Z registers of digits; i < m.
                unsafe {
                    let mut twice = Self::doubled(a);
                    let d = twice.as_ptr().cast();
                    let mut x = Self::new(a, n, k0);
                    $(
                        if $step * Self::STEP < Z {
                            let rows = $digits * Self::STEP;
                            for i in (rows * $step..(rows * ($step + 1)).min(m - m % 2)).step_by(2) {
                                x.two_rows::<$step, true, HOW, 3>(a.add(i), d);
                            }
                        }
                    )*
                    if m % 2 == 1 {
                        x.row::<true, 3>(a.add(m - 1));
                    }
                    x.finish::<3>(r);
                    wipe(twice.as_flattened_mut(), $zero());
                }
            }

            /// Two squarings, the rows of both in turn; the second has its operands d digits above the first.
            ///
            /// # Safety
            /// The contract of `radix52_ams_x2` with digits for Z registers; the processor has what the vectors need.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn square_pair<const HOW: u8>(
                r: *mut Limb, a: *const Limb, n: *const Limb, k0: *const Limb, d: usize, m: usize,
            ) {
                // SAFETY: each half of a, n and r has Z registers of digits; i < m.
                unsafe {
                    let c = a.add(d);
                    let mut twice = [Self::doubled(a), Self::doubled(c)];
                    let [d0, d1] = [twice[0].as_ptr().cast(), twice[1].as_ptr().cast()];
                    let mut x = Self::new(a, n, *k0);
                    let mut y = Self::new(c, n.add(d), *k0.add(1));
                    $(
                        if $step * Self::STEP < Z {
                            let rows = $digits * Self::STEP;
                            for i in (rows * $step..(rows * ($step + 1)).min(m - m % 2)).step_by(2) {
                                x.two_rows::<$step, true, HOW, 4>(a.add(i), d0);
                                y.two_rows::<$step, true, HOW, 5>(c.add(i), d1);
                            }
                        }
                    )*
                    if m % 2 == 1 {
                        x.row::<true, 4>(a.add(m - 1));
                        y.row::<true, 5>(c.add(m - 1));
                    }
                    x.finish::<4>(r);
                    y.finish::<5>(r.add(d));
                    wipe(twice.as_flattened_mut().as_flattened_mut(), $zero());
                }
            }

            /// Pays the carries, stores the result, and wipes what is kept in memory.
            ///
            /// # Safety
            /// `r` has Z registers of digits; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn finish<const SITE: u8>(&mut self, r: *mut Limb) {
                let t = &mut self.t;
                t[0] = $mask_add(t[0], 1, t[0], $splat(self.carry as i64));
                // SAFETY: as the caller says.
                unsafe { Self::pay(t.as_ptr(), Z, r) };
                // Fewer are in registers, and in memory only if they are put there to be wiped.
                if Z > 10 {
                    wipe(t, $zero());
                    wipe(&mut self.k, _mm_setzero_si128());
                    wipe(&mut self.ahead.head, 0);
                    wipe(&mut self.ahead.n, 0);
                    wipe(&mut self.ahead.k, 0);
                }
            }

            /// Stores words as digits below 2^52, the carries paid, and returns what is carried out.
            ///
            /// One parallel round leaves words below 2^52 + 2^12; the last round's carries (0 or 1) ripple as
            /// those of an addition do ([`resolve`]), register by register.
            ///
            /// # Safety
            /// `t` and `r` have that many registers of words, at any address; the processor has what the vectors need.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn pay(t: *const $vector, registers: usize, r: *mut Limb) -> Limb {
                // SAFETY: as the caller says.
                unsafe { Self::pay_sum(t, None, registers, r) }
            }

            /// Stores the sums of the words of `t` and `plus` as digits below 2^52, the carries paid, and returns what
            /// is carried out. No sum is longer than a word.
            ///
            /// # Safety
            /// As [`Self::pay`], of `plus`, too.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) unsafe fn pay_sum(
                t: *const $vector,
                plus: Option<*const $vector>,
                registers: usize,
                r: *mut Limb,
            ) -> Limb {
                let mask = $splat(MASK as i64);
                let mut below = $zero();
                let mut ripple = 0; // the carry into this register
                for z in 0..registers {
                    // SAFETY: z is below the length.
                    let t = unsafe {
                        let t = $load(t.add(z).cast());
                        plus.map_or(t, |plus| $add(t, $load(plus.add(z).cast())))
                    };
                    let carry = $srli::<52>(t);
                    let moved = $align::<{ $digits - 1 }>(carry, below);
                    below = carry;
                    let t = $add($and(t, mask), moved);
                    let (generate, pass) = ($gt(t, mask).into(), $eq(t, mask).into());
                    let incoming;
                    (incoming, ripple) = resolve::<$digits>(generate, pass, ripple);
                    let t = $mask_add(t, incoming as u8, t, $splat(1));
                    // SAFETY: z is below the length.
                    unsafe { $store(r.cast::<$vector>().add(z).cast(), $and(t, mask)) };
                }
                let highest = $low($align::<{ $digits - 1 }>($zero(), below));
                _mm_cvtsi128_si64(highest) as Limb + ripple
            }
        }
    };
}

rows! {
    /// One multiplication under way, eight digits a register.
    Rows512(__m512i, 8, "avx512f,avx512vl,avx512ifma,bmi2"), steps: 0 1 2 3 4 5 6 7 8 9,
    lo: _mm512_madd52lo_epu64, hi: _mm512_madd52hi_epu64, load: _mm512_loadu_epi64, store: _mm512_storeu_epi64,
    splat: _mm512_set1_epi64, zero: _mm512_setzero_si512, add: _mm512_add_epi64, and: _mm512_and_si512,
    srli: _mm512_srli_epi64, add_lanes: _mm512_mask_add_epi64,
    above: _mm512_cmpgt_epu64_mask, equal: _mm512_cmpeq_epu64_mask, align: _mm512_alignr_epi64,
    low: _mm512_castsi512_si128,
    extend: _mm512_zextsi128_si512, broadcast: _mm512_broadcastq_epi64,
}

rows! {
    /// One multiplication under way, four digits a register.
    Rows256(__m256i, 4, "avx512f,avx512vl,avx512ifma,bmi2"), steps: 0 1 2 3 4 5 6 7 8 9,
    lo: _mm256_madd52lo_epu64, hi: _mm256_madd52hi_epu64, load: _mm256_loadu_epi64, store: _mm256_storeu_epi64,
    splat: _mm256_set1_epi64x, zero: _mm256_setzero_si256, add: _mm256_add_epi64, and: _mm256_and_si256,
    srli: _mm256_srli_epi64, add_lanes: _mm256_mask_add_epi64,
    above: _mm256_cmpgt_epu64_mask, equal: _mm256_cmpeq_epu64_mask, align: _mm256_alignr_epi64,
    low: _mm256_castsi256_si128,
    extend: _mm256_zextsi128_si256, broadcast: _mm256_broadcastq_epi64,
}

/// Calls `$Rows::<Z>::$f::<$how>` for a number of registers that is one of those listed.
macro_rules! by_registers {
    ($registers:expr, $Rows:ident :: $f:ident<$how:tt> $args:tt, $($z:literal)*) => {
        match $registers {
            $($z => by_registers!(! $Rows $f $how $z $args),)*
            _ => unreachable!("checked in the fence"),
        }
    };
    (! $Rows:ident $f:ident $how:tt $z:literal ($($arg:expr),*)) => {
        $Rows::<$z>::$f::<$how>($($arg),*)
    };
}
pub(super) use by_registers;
