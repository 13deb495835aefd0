//! Exponentiation: fixed windows for secrets, sliding windows for public exponents.

use super::Modulus;
use crate::nat::{LIMB_BITS, Nat};
use carrysave_kernels::Limb;
use zeroize::Zeroizing;

impl Modulus {
    /// `base^exp mod n` over every bit of the exponent's width.
    ///
    /// A fixed window, its table read through `tabselect` (HAC 14.82).
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the widths of `n` and `exp`.
    pub fn pow(&self, base: &Nat, exp: &Nat) -> Nat {
        self.pow_bits(base, exp, exp.width() * LIMB_BITS)
    }

    /// `base^(exp mod 2^bits) mod n`.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the width of `n` and on `bits`.
    pub fn pow_bits(&self, base: &Nat, exp: &Nat, bits: usize) -> Nat {
        let c = &*self.0;
        let k = self.width();
        let w = fixed_window(bits);
        let mut t = self.scratch();
        // table[i] = base^i in Montgomery form
        let mut table = Zeroizing::new(vec![0; k << w]);
        table[..k].copy_from_slice(c.r1.limbs());
        c.mpn.mont_mul.call(
            &mut table[k..2 * k],
            base.limbs(),
            c.r2.limbs(),
            c.n.limbs(),
            c.n0,
            &mut t,
        );
        for i in 2..1 << w {
            let (done, next) = table.split_at_mut(i * k);
            let (r, n) = (&mut next[..k], c.n.limbs());
            if i % 2 == 0 {
                c.mpn
                    .mont_sqr
                    .call(r, &done[i / 2 * k..][..k], n, c.n0, &mut t);
            } else {
                c.mpn
                    .mont_mul
                    .call(r, &done[(i - 1) * k..], &done[k..2 * k], n, c.n0, &mut t);
            }
        }
        let (mut r, mut entry) = (c.r1.clone(), Nat::zeros(k));
        for i in (0..bits.div_ceil(w)).rev() {
            if (i + 1) * w < bits {
                for _ in 0..w {
                    c.sqr(&mut r, &mut t);
                }
            }
            let digit = digit(exp, i * w, w.min(bits - i * w));
            c.mpn.tabselect.call(entry.limbs_mut(), &table, digit);
            c.mul(&mut r, &entry, &mut t);
        }
        c.leave(&r, &mut t)
    }

    /// `base^exp mod n` for a public exponent, by a sliding window from the left (HAC 14.85).
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the exponent's value; `base` and `n` stay unknown.
    pub fn pow_vartime(&self, base: &Nat, exp: &Nat) -> Nat {
        let c = &*self.0;
        let mut t = self.scratch();
        let w = sliding_window(exp.bits_vartime());
        // odd[i] = base^(2i + 1) in Montgomery form
        let mut odd = vec![base.clone()];
        c.mul(&mut odd[0], &c.r2, &mut t);
        if w > 1 {
            let mut square = odd[0].clone();
            c.sqr(&mut square, &mut t);
            for i in 1..1 << (w - 1) {
                let mut next = odd[i - 1].clone();
                c.mul(&mut next, &square, &mut t);
                odd.push(next);
            }
        }
        let mut r: Option<Nat> = None;
        let mut i = exp.bits_vartime();
        while i > 0 {
            // The longest window below bit i that ends in a one; a single zero if bit i - 1 is one.
            let len = match exp.bit(i - 1) {
                false => 1,
                true => (1..=w.min(i))
                    .rev()
                    .find(|len| exp.bit(i - len))
                    .expect("bit i - 1 is set"),
            };
            i -= len;
            if let Some(r) = &mut r {
                for _ in 0..len {
                    c.sqr(r, &mut t);
                }
            }
            if exp.bit(i) {
                let power = &odd[digit(exp, i, len) / 2];
                match &mut r {
                    Some(r) => c.mul(r, power, &mut t),
                    None => r = Some(power.clone()),
                }
            }
        }
        c.leave(r.as_ref().unwrap_or(&c.r1), &mut t)
    }
}

/// Bits `at .. at + len` of a number, `len` below 64, at a public place.
fn digit(x: &Nat, at: usize, len: usize) -> usize {
    let limb = |i: usize| x.limbs().get(i).copied().unwrap_or(0);
    let (i, s) = (at / LIMB_BITS, at % LIMB_BITS);
    let high = if s == 0 {
        0
    } else {
        limb(i + 1) << (LIMB_BITS - s)
    };
    ((limb(i) >> s | high) & ((1 << len) - 1) as Limb) as usize
}

/// The width that makes `2^w + bits / w` multiplications least, with room for the scan of the table.
fn fixed_window(bits: usize) -> usize {
    match bits {
        0..=16 => 1,
        17..=64 => 3,
        65..=256 => 4,
        257..=1536 => 5,
        1537..=12288 => 6,
        _ => 7,
    }
}

/// The width that makes `2^(w-1) + bits / (w + 1)` multiplications least.
fn sliding_window(bits: usize) -> usize {
    match bits {
        0..=32 => 1,
        33..=80 => 3,
        81..=240 => 4,
        241..=672 => 5,
        673..=1792 => 6,
        _ => 7,
    }
}
