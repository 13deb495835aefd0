//! Plain Rust: residues as integers, always from 0 to p - 1.

use super::{PRIMES, lanes::Lanes};
use crate::Limb;

/// Halfway from 2^52 to 2^53, where a unit is 1.
const MIDDLE: f64 = 1.5 * (1_u64 << 52) as f64;

/// A prime, and `2^113 / p` rounded down.
#[derive(Clone, Copy)]
pub(super) struct Words {
    p: Limb,
    inverse: Limb,
}

impl Words {
    /// Less p, unless that is negative.
    #[inline(always)]
    fn settle(self, a: Limb) -> Limb {
        let less = a.wrapping_sub(self.p);
        less.wrapping_add(self.p & ((less as i64) >> 63) as Limb)
    }

    /// The residue whose number has these bits; roots may be negative.
    #[inline(always)]
    fn residue(self, bits: Limb) -> Limb {
        let above = (f64::from_bits(bits) + MIDDLE).to_bits();
        self.settle(above.wrapping_sub(MIDDLE.to_bits()).wrapping_add(self.p))
    }
}

impl Lanes for Words {
    type Vector = [Limb; 4];

    #[inline(always)]
    unsafe fn new(prime: usize) -> Words {
        const INVERSES: [Limb; 5] = {
            let mut inverses = [0; 5];
            let mut i = 0;
            while i < 5 {
                inverses[i] = ((1 << 113) / PRIMES[i] as u128) as Limb;
                i += 1;
            }
            inverses
        };
        Words {
            p: PRIMES[prime],
            inverse: INVERSES[prime],
        }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const Limb) -> [Limb; 4] {
        // SAFETY: the caller's word.
        [0, 1, 2, 3].map(|i| self.residue(unsafe { *from.add(i) }))
    }

    #[inline(always)]
    unsafe fn splat(self, from: *const Limb) -> [Limb; 4] {
        // SAFETY: the caller's word.
        [self.residue(unsafe { *from }); 4]
    }

    #[inline(always)]
    unsafe fn block_roots(self, table: *const Limb, j: usize) -> [[Limb; 4]; 3] {
        // SAFETY: the caller's word.
        let root = |i: usize| self.residue(unsafe { *table.add(i) });
        let blocks = [0, 2, 1, 3].map(|block| 4 * j + block);
        [
            blocks.map(root),
            blocks.map(|block| root(2 * block)),
            blocks.map(|block| root(2 * block + 1)),
        ]
    }

    #[inline(always)]
    unsafe fn digits(self, from: *const u8, apart: usize, mask: Limb) -> [Limb; 4] {
        [0, 1, 2, 3].map(|i| {
            // SAFETY: the caller's word.
            let bytes = unsafe { from.add(i * apart).cast::<[u8; 8]>().read() };
            Limb::from_le_bytes(bytes) & mask
        })
    }

    #[inline(always)]
    unsafe fn store(self, x: [Limb; 4], to: *mut Limb) {
        for (i, x) in x.into_iter().enumerate() {
            // SAFETY: the caller's word.
            unsafe { *to.add(i) = (f64::from_bits(x + MIDDLE.to_bits()) - MIDDLE).to_bits() };
        }
    }

    #[inline(always)]
    fn add(self, a: [Limb; 4], b: [Limb; 4]) -> [Limb; 4] {
        [0, 1, 2, 3].map(|i| self.settle(a[i] + b[i]))
    }

    #[inline(always)]
    fn sub(self, a: [Limb; 4], b: [Limb; 4]) -> [Limb; 4] {
        [0, 1, 2, 3].map(|i| self.settle(a[i] + self.p - b[i]))
    }

    /// Barrett's method: what the quotient is rounded down by leaves less than three times p.
    #[inline(always)]
    fn mul(self, a: [Limb; 4], b: [Limb; 4]) -> [Limb; 4] {
        [0, 1, 2, 3].map(|i| {
            let t = u128::from(a[i]) * u128::from(b[i]);
            let q = ((t >> 49) * u128::from(self.inverse)) >> 64;
            let left = (t as Limb).wrapping_sub((q as Limb).wrapping_mul(self.p));
            self.settle(self.settle(left))
        })
    }

    #[inline(always)]
    fn reduce(self, a: [Limb; 4]) -> [Limb; 4] {
        a
    }

    #[inline(always)]
    fn canonical(self, a: [Limb; 4]) -> [Limb; 4] {
        a
    }

    #[inline(always)]
    unsafe fn integers(self, a: [Limb; 4], to: *mut Limb) {
        // SAFETY: the caller's word.
        unsafe { to.cast::<[Limb; 4]>().write_unaligned(a) };
    }

    #[inline(always)]
    fn outward(self, x: [[Limb; 4]; 4]) -> [[Limb; 4]; 4] {
        [0, 1, 2, 3].map(|e| [0, 2, 1, 3].map(|block| x[block][e]))
    }

    #[inline(always)]
    fn inward(self, y: [[Limb; 4]; 4]) -> [[Limb; 4]; 4] {
        [0, 2, 1, 3].map(|lane| [0, 1, 2, 3].map(|e| y[e][lane]))
    }
}
