//! Exponentiation: fixed windows for secrets, sliding windows for public exponents; each over any [`Ring`].

use super::Modulus;
use super::ring::{Pair, Ring, Words};
use crate::nat::{LIMB_BITS, Nat};
use crate::plan::choose;
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
        self.check(base);
        let mut powers = match &self.0.radix52 {
            Some(ring) => fixed_window(ring, &[base], &[exp], bits),
            None => fixed_window(&self.0.context, &[base], &[exp], bits),
        };
        powers.remove(0)
    }

    /// `base^exp mod n` for this modulus and another at once, as for the two halves of RSA-CRT: `bits` bits of each
    /// exponent. Where the processor has kernels for it, the two run interleaved on one thread.
    ///
    /// # Panics
    /// If a base is not of its modulus's width.
    ///
    /// # Timing
    /// Depends on the widths of the moduli and on `bits`.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// let (p, q) = (Modulus::new(&Nat::from_limb(101)).unwrap(), Modulus::new(&Nat::from_limb(103)).unwrap());
    /// let (two, ten) = (Nat::from_limb(2), Nat::from_limb(10));
    /// let (x, y) = p.pow_pair(&two, &ten, &q, &two, &ten, 4);
    /// assert_eq!((x, y), (Nat::from_limb(1024 % 101), Nat::from_limb(1024 % 103)));
    /// ```
    pub fn pow_pair(
        &self,
        base: &Nat,
        exp: &Nat,
        other: &Modulus,
        other_base: &Nat,
        other_exp: &Nat,
        bits: usize,
    ) -> (Nat, Nat) {
        self.check(base);
        other.check(other_base);
        let pair = match (&self.0.radix52, &other.0.radix52) {
            (Some(p), Some(q)) => Pair::new(p, q),
            _ => None,
        };
        let Some(pair) = pair else {
            return (
                self.pow_bits(base, exp, bits),
                other.pow_bits(other_base, other_exp, bits),
            );
        };
        let mut powers = fixed_window(&pair, &[base, other_base], &[exp, other_exp], bits);
        let second = powers.remove(1);
        (powers.remove(0), second)
    }

    /// `base^exp mod n` for a public exponent, by a sliding window from the left (HAC 14.85).
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the exponent's value; `base` and `n` stay unknown.
    pub fn pow_vartime(&self, base: &Nat, exp: &Nat) -> Nat {
        self.check(base);
        match &self.0.radix52 {
            Some(ring) => sliding_window_vartime(ring, base, exp),
            None => sliding_window_vartime(&self.0.context, base, exp),
        }
    }

    fn check(&self, residue: &Nat) {
        assert_eq!(
            residue.width(),
            self.width(),
            "a residue has the modulus's width"
        );
    }
}

/// The power of each lane, over the low `bits` bits of its exponent.
fn fixed_window(ring: &impl Ring, bases: &[&Nat], exps: &[&Nat], bits: usize) -> Vec<Nat> {
    let w = choose(ring.plan().fixed_window, bits);
    let (width, lanes) = (ring.width(), ring.lanes());
    let lane_width = width / lanes;
    let mut t = ring.scratch_words();
    // One table a lane: row i is base^i.
    let mut tables = vec![Zeroizing::new(vec![0; lane_width << w]); lanes];
    let base = ring.enter(bases, &mut t);
    let mut r = ring.one();
    for i in 0..1 << w {
        for (table, lane) in tables.iter_mut().zip(r.chunks(lane_width)) {
            table[i * lane_width..][..lane_width].copy_from_slice(lane);
        }
        ring.mul(&mut r, &base, &mut t);
    }
    r = ring.one();
    let mut entry = Zeroizing::new(vec![0; width]);
    let windows = bits.div_ceil(w);
    for i in (0..windows).rev() {
        if i + 1 < windows {
            for _ in 0..w {
                ring.sqr(&mut r, &mut t);
            }
        }
        for (lane, table) in tables.iter().enumerate() {
            let digit = digit(exps[lane], i * w, w.min(bits - i * w));
            let row = &mut entry[lane * lane_width..][..lane_width];
            ring.mpn().tabselect.call(row, table, digit);
        }
        ring.mul(&mut r, &entry, &mut t);
    }
    ring.leave(&r, &mut t)
}

/// The power to a public exponent.
fn sliding_window_vartime(ring: &impl Ring, base: &Nat, exp: &Nat) -> Nat {
    let mut t = ring.scratch_words();
    let w = choose(ring.plan().sliding_window, exp.bits_vartime());
    // odd[i] = base^(2i + 1)
    let mut odd = vec![ring.enter(&[base], &mut t)];
    if w > 1 {
        let mut square = odd[0].clone();
        ring.sqr(&mut square, &mut t);
        for i in 1..1 << (w - 1) {
            let mut next = odd[i - 1].clone();
            ring.mul(&mut next, &square, &mut t);
            odd.push(next);
        }
    }
    let mut r: Option<Words> = None;
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
                ring.sqr(r, &mut t);
            }
        }
        if exp.bit(i) {
            let power = &odd[digit(exp, i, len) / 2];
            match &mut r {
                Some(r) => ring.mul(r, power, &mut t),
                None => r = Some(power.clone()),
            }
        }
    }
    let r = r.unwrap_or_else(|| ring.one());
    ring.leave(&r, &mut t).remove(0)
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
