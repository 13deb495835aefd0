//! One number over Z vectors, one digit a lane: almost Montgomery multiplication row by row.
//!
//! A row adds a b_i and q n to the accumulators and moves them down by a digit:
//!
//! ```text
//! column of n, a    0      1      2      3     ...
//! t                 t0     t1     t2     t3
//! low halves      + lo(0)  lo(1)  lo(2)  lo(3)       of a_j b_i and n_j q; column 0 becomes a multiple of 2^52
//! one digit down    t1     t2     t3     ...         what is above 52 bits of column 0 is the carry
//! high halves     + hi(0)  hi(1)  hi(2)  ...         belong one column up, which is the same place after the move
//! ```
//!
//! [`Rows::two_rows`] takes two digits of b at once and moves by two: the low halves of the first row stand in columns 0
//! on, its high halves and the low halves of the second in columns 1 on, and the high halves of the second in columns 2
//! on.

mod bodies;
mod carry;
mod quotient;
#[cfg(feature = "checked")]
pub(super) mod words;

use super::word::MASK;
use crate::{
    Limb,
    simd::{Across, Madd52, U64s, bounded, opaque},
    wipe,
};
pub(super) use bodies::by_vectors;
pub(super) use carry::{doubled, pay, pay_sum};
pub(super) use quotient::{AHEAD, SCALAR, VECTOR, high52, low52};
use quotient::{Ahead, quotient, second_digit};

/// One multiplication under way.
///
/// Invariant between rows: t = (a * b_{<i} + q n) / 2^(52 i). A row adds four halves of products to a word, so that every
/// word stays below 4 (i + 1) 2^52, which is less than 2^63 for i < 511.
pub(super) struct Rows<V: Across, const Z: usize> {
    t: [V; Z],
    a: *const Limb,
    n: *const Limb,
    k0: Limb,
    /// Owed at the lowest digit.
    carry: Limb,
    /// The two digits of -n^-1 mod 2^104.
    k: [V::Pair; 2],
    ahead: Ahead,
}

/// What the digits b_i and b_(i+1) multiply: the vectors of a, but only those of a step and what is above it, doubled,
/// where a is squared.
struct Factor<V, const Z: usize> {
    a: *const Limb,
    /// As `doubled` leaves it.
    twice: *const Limb,
    /// The first vector that counts.
    from: usize,
    /// The first vector that is doubled.
    until: usize,
    b: [V; 2],
}

impl<V: Madd52, const Z: usize> Factor<V, Z> {
    #[inline(always)]
    unsafe fn vector(&self, z: usize) -> V {
        // SAFETY: z < Z, and there are as many vectors.
        unsafe {
            match z {
                _ if z < self.until => V::load(self.a.add(V::LANES * z)),
                // The lowest bit of the first came from a digit that is not doubled.
                _ if z == self.until => V::load(self.twice.add(V::LANES * (Z + z))),
                _ => V::load(self.twice.add(V::LANES * z)),
            }
        }
    }

    /// `t` plus what vector z adds to the digits from 0 on: low halves with the first digit.
    #[inline(always)]
    unsafe fn add_0(&self, t: V, z: usize) -> V {
        match z < self.from {
            true => t,
            // SAFETY: as for `vector`.
            false => unsafe { t.lo(self.vector(z), self.b[0]) },
        }
    }

    /// What vector z adds to the digits from 1 on: high halves with the first digit, low halves with the second.
    #[inline(always)]
    unsafe fn at_1(&self, z: usize) -> V {
        // SAFETY: as for `vector`.
        unsafe {
            match z < self.from {
                true => V::zero(),
                false => V::zero()
                    .hi(self.vector(z), self.b[0])
                    .lo(self.vector(z), self.b[1]),
            }
        }
    }

    /// What vector z adds to the digits from 2 on: high halves with the second digit.
    #[inline(always)]
    unsafe fn at_2(&self, z: usize) -> V {
        // SAFETY: as for `vector`.
        unsafe {
            match z < self.from {
                true => V::zero(),
                false => V::zero().hi(self.vector(z), self.b[1]),
            }
        }
    }
}

/// The modulus and two quotient digits: what they add.
struct Reduction<V> {
    n: *const Limb,
    q: [V; 2],
}

impl<V: Madd52> Reduction<V> {
    #[inline(always)]
    unsafe fn vector(&self, z: usize) -> V {
        // SAFETY: z < Z, and there are as many vectors.
        unsafe { V::load(self.n.add(V::LANES * z)) }
    }

    /// `t` and the low halves with the first digit.
    #[inline(always)]
    unsafe fn add_0(&self, t: V, z: usize) -> V {
        // SAFETY: as for `vector`.
        unsafe { t.lo(self.vector(z), self.q[0]) }
    }

    /// `t`, the high halves with the first digit, and the low halves with the second.
    #[inline(always)]
    unsafe fn add_1(&self, t: V, z: usize) -> V {
        // SAFETY: as for `vector`.
        unsafe {
            t.hi(self.vector(z), self.q[0])
                .lo(self.vector(z), self.q[1])
        }
    }

    /// `t` and the high halves with the second digit.
    #[inline(always)]
    unsafe fn add_2(&self, t: V, z: usize) -> V {
        // SAFETY: as for `vector`.
        unsafe { t.hi(self.vector(z), self.q[1]) }
    }
}

/// The first two digits of a number.
///
/// # Safety
/// They are readable.
#[inline(always)]
unsafe fn two(p: *const Limb) -> (Limb, Limb) {
    // SAFETY: as the caller says.
    unsafe { (*p, *p.add(1)) }
}

impl<V: Madd52 + Across, const Z: usize> Rows<V, Z> {
    /// Vectors of the factor that are left out at once when squaring: fewer steps make shorter code.
    const STEP: usize = if Z > 10 { 2 } else { 1 };

    /// Nothing added yet.
    ///
    /// # Safety
    /// `a` and `n` have Z vectors of digits; the processor has what the vectors need.
    #[inline]
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    unsafe fn new(a: *const Limb, n: *const Limb, k0: Limb) -> Self {
        // SAFETY: a vector has four digits at least.
        unsafe {
            let low = [*n, *n.add(1), *n.add(2), *n.add(3)];
            let k = [k0, second_digit(low[0], low[1], k0)];
            Rows {
                t: [V::zero(); Z],
                a,
                n,
                k0,
                carry: 0,
                k: [U64s::splat(k[0]), U64s::splat(k[1])],
                ahead: Ahead {
                    k,
                    n: [low[0] << 12, low[1] << 12, low[2] << 12, low[3] << 12],
                    head: [0; 2],
                },
            }
        }
    }

    /// The row of the digit at `b`; if `SQUARE`, of the last step.
    ///
    /// # Safety
    /// As for `new`; the digit is readable.
    #[inline]
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
    unsafe fn row<const SQUARE: bool, const SITE: u8>(&mut self, b: *const Limb) {
        let from = match SQUARE {
            true => (Z - 1) / Self::STEP * Self::STEP,
            false => 0,
        };
        // SAFETY: z < Z; the digit is readable.
        unsafe {
            let y = V::splat(*b);
            let a = Factor::<V, Z> {
                a: opaque(self.a),
                twice: self.a,
                from,
                until: Z,
                b: [y, y],
            };
            let t = &mut self.t;
            for z in from..Z {
                t[z] = a.add_0(t[z], z);
            }
            let first = t[0].lowest() + self.carry;
            let q = V::splat(first.wrapping_mul(self.k0));
            self.carry = (first + MASK) >> 52;
            let n = Reduction {
                n: opaque(self.n),
                q: [q, q],
            };
            for z in 0..Z {
                t[z] = n.add_0(t[z], z);
            }
            for z in 0..Z {
                let above = if z + 1 < Z { t[z + 1] } else { V::zero() };
                t[z] = n.add_2(V::align::<1>(above, t[z]), z);
                if z >= from {
                    t[z] = t[z].hi(a.vector(z), y);
                }
            }
        }
    }

    /// The rows of the two digits at `b`. If `SQUARE`, those are of step `step`: vectors of `a` before that step are left
    /// out, and those behind it are taken from `twice`, as `doubled` leaves it. The quotient digits are found as `HOW`
    /// says.
    ///
    /// # Safety
    /// As for `new`; the digits are readable, and if `SQUARE` what `twice` points to.
    #[inline]
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    #[allow(clippy::needless_range_loop)] // z walks t, a and n at once
    unsafe fn two_rows<const AT: usize, const SQUARE: bool, const HOW: u8, const SITE: u8>(
        &mut self,
        b: *const Limb,
        twice: *const Limb,
    ) {
        let (from, until) = match SQUARE {
            true => (AT * Self::STEP, (AT + 1) * Self::STEP),
            false => (0, Z),
        };
        // SAFETY: z < Z; the digits are readable.
        unsafe {
            let (pa, pn, b) = (opaque(self.a), opaque(self.n), opaque(b));
            let a = Factor::<V, Z> {
                a: pa,
                twice: opaque(twice),
                from,
                until,
                b: [V::splat(*b), V::splat(*b.add(1))],
            };
            let (low_0, low_1) = (a.add_0(V::zero(), 0), a.at_1(0));
            let mut above = [0; 2];
            let q = if HOW == VECTOR {
                let added = low_0
                    .pair()
                    .add(Across::align::<1>(low_1.pair(), U64s::zero()));
                let (q0, q1) = quotient(self.t[0].pair().add(added), self.k);
                [V::splat_lower(q0), V::splat_lower(q1)]
            } else {
                let ((n0, n1), (b0, b1)) = (two(opaque(pn)), two(opaque(b)));
                let [mut first, mut second] = match HOW {
                    AHEAD => self.ahead.head,
                    _ => self.t[0].two(),
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
                [V::splat(q0), V::splat(q1)]
            };
            let n = Reduction { n: pn, q };
            let t = &mut self.t;
            let sum_0 = match HOW {
                VECTOR => t[0].add(low_0),
                _ => a.add_0(t[0], 0),
            };
            if HOW == AHEAD {
                let here = V::align::<2>(sum_0, sum_0).add(V::align::<1>(low_1, low_1));
                let here = here.add(a.at_2(0)).two();
                self.ahead.head = [here[0] + above[0], here[1] + above[1]];
            }
            let (mut here_0, mut here_1) = (n.add_0(sum_0, 0), n.add_1(low_1, 0));
            let mut carry = V::zero();
            if HOW == VECTOR {
                // The two lowest digits are 0 mod 2^104 now: what is above that moves on.
                let (x0, x1) = (here_0.pair(), here_1.pair());
                let sum = Across::align::<1>(x0, x0).add(x0.shr(52)).add(x1);
                carry = V::from_pair(U64s::select(1, sum.shr(52), U64s::zero()));
            }
            for z in 0..Z {
                let (mut above_0, mut above_1) = (V::zero(), V::zero());
                if z + 1 < Z {
                    above_0 = n.add_0(a.add_0(t[z + 1], z + 1), z + 1);
                    above_1 = n.add_1(a.at_1(z + 1), z + 1);
                }
                let moved = V::align::<2>(above_0, here_0).add(V::align::<1>(above_1, here_1));
                t[z] = bounded(moved.add(n.add_2(a.at_2(z), z)), 63);
                if HOW == VECTOR && z == 0 {
                    t[0] = t[0].add(carry);
                }
                (here_0, here_1) = (above_0, above_1);
            }
        }
    }

    /// Pays the carries, stores the result, and wipes what is kept in memory.
    ///
    /// # Safety
    /// `r` has Z vectors of digits; the processor has what the vectors need.
    #[inline]
    #[cfg_attr(
        all(target_arch = "x86_64", not(miri)),
        target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")
    )]
    unsafe fn finish<const SITE: u8>(&mut self, r: *mut Limb) {
        // SAFETY: as the caller says.
        unsafe {
            let t = &mut self.t;
            t[0] = t[0].add_where(1, V::splat(self.carry));
            pay::<V>(t.as_ptr().cast(), Z, r);
            // Fewer are in registers, and in memory only if they are put there to be wiped.
            if Z > 10 {
                wipe(t, V::zero());
                wipe(&mut self.k, U64s::zero());
                wipe(&mut self.ahead.head, 0);
                wipe(&mut self.ahead.n, 0);
                wipe(&mut self.ahead.k, 0);
            }
        }
    }
}
