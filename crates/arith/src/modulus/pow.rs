//! Powers modulo a number.

use super::Modulus;
use crate::nat::{LIMB_BITS, Nat};
use crate::pow::{Method, fixed_window, sliding_lr, sliding_rl, sliding_rl_powers};
use crate::ring::{InRing, Purpose, Residues, Ring, Words};
use carrysave_kernels::Limb;

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
        self.raise(base, bits, |ring, g, t| {
            fixed_window::power(ring, g, &[exp], bits, t)
        })
    }

    /// `base^exp mod n` for this modulus and another at once, as for the two halves of RSA-CRT: `bits` bits of each
    /// exponent. The two run interleaved on one thread if the processor has kernels for that.
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
        let Some(pair) = self.pair(other) else {
            return (
                self.pow_bits(base, exp, bits),
                other.pow_bits(other_base, other_exp, bits),
            );
        };
        let mut t = pair.scratch_words();
        let bases = pair.enter(&[base, other_base], &mut t);
        let powers = fixed_window::power(&*pair, &bases, &[exp, other_exp], bits, &mut t);
        let mut powers = pair.leave(&powers, &mut t);
        let second = powers.remove(1);
        (powers.remove(0), second)
    }

    /// This modulus and another side by side, where a representation of both has a form for two.
    pub(super) fn pair<'a>(&'a self, other: &'a Modulus) -> Option<Box<dyn Ring + 'a>> {
        self.made(Purpose::Pair).find_map(|(row, mine)| {
            let pair = row.pair?;
            let mut others = other.made(Purpose::Pair);
            let (_, theirs) = others.find(|(other, _)| other.name == row.name)?;
            pair(&*mine.residues, &*theirs.residues)
        })
    }

    /// `base^exp mod n` for a public exponent, by a sliding window from the left (HAC 14.85).
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the exponent's value, not on `base` and `n`.
    pub fn pow_vartime(&self, base: &Nat, exp: &Nat) -> Nat {
        let bits = exp.bits_vartime();
        self.raise(base, bits, |ring, g, t| sliding_lr::power(ring, g, exp, t))
    }

    /// The product of `base^exp mod n` for some bases with a public exponent each: sliding windows from the left, which
    /// share the squarings (HAC 14.88).
    ///
    /// # Panics
    /// If a base is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the exponents' values, not on the bases and `n`.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// let [two, three, ten] = [2, 3, 10].map(Nat::from_limb);
    /// let product = n.pow_product_vartime(&[(&two, &ten), (&three, &two)]);
    /// assert_eq!(product, Nat::from_limb(1024 * 9 % 101));
    /// ```
    pub fn pow_product_vartime(&self, powers: &[(&Nat, &Nat)]) -> Nat {
        let ring = self.ring();
        let mut t = ring.scratch_words();
        let enter = |&(base, _): &(&Nat, &Nat)| {
            self.check(base);
            ring.enter(&[base], &mut t)
        };
        let bases: Vec<Words> = powers.iter().map(enter).collect();
        let exps = powers.iter().map(|(_, exp)| *exp);
        let powers: Vec<_> = bases.iter().map(|g| &g[..]).zip(exps).collect();
        let r = sliding_lr::product(ring, &powers, &mut t);
        ring.leave(&r, &mut t).remove(0)
    }

    /// `base^exp mod n` for several public exponents, which share the squarings: a sliding window from the right
    /// for each (Zidenberg, Optimizing Crypto++ library for P4).
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the exponents' values, not on `base` and `n`.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// let powers = n.pow_many_vartime(&Nat::from_limb(2), &[&Nat::from_limb(10), &Nat::from_limb(100)]);
    /// assert_eq!(powers, [Nat::from_limb(1024 % 101), Nat::one()]);
    /// ```
    pub fn pow_many_vartime(&self, base: &Nat, exps: &[&Nat]) -> Vec<Nat> {
        self.check(base);
        let ring = self.ring();
        let mut t = ring.scratch_words();
        let g = ring.enter(&[base], &mut t);
        let powers = sliding_rl_powers(ring, &g, exps, sliding_rl::AVERAGE_CASE);
        let leave = |power: Words| ring.leave(&power, &mut t).remove(0);
        powers.into_iter().map(leave).collect()
    }

    /// `base^exp mod n` for a public exponent, by a sliding window of `width` bits from the right: for studies of the
    /// width.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width, or `width` is not between 1 and 16.
    ///
    /// # Timing
    /// Depends on the exponent's value, not on `base` and `n`.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat};
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// for width in 1..=16 {
    ///     assert!(n.pow_windows_vartime(&Nat::from_limb(2), &Nat::from_limb(100), width).is_one());
    /// }
    /// ```
    pub fn pow_windows_vartime(&self, base: &Nat, exp: &Nat, width: usize) -> Nat {
        assert!((1..=16).contains(&width), "a window has 1 to 16 bits");
        self.raise(base, exp.bits_vartime(), |ring, g, _| {
            let g = Words::new(g.to_vec());
            sliding_rl::powers(&mut InRing::new(ring), &g, &[(exp, width)]).remove(0)
        })
    }

    /// `base^exp mod n` by a method of choice; the result is the same for each.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// That of [`Method::timing`]: depends on the width of `exp` if constant, else on its value. It does not depend on
    /// `base` and `n`, except with the method `signed_digit`, which inverts a power of the base.
    pub fn pow_by(&self, method: &Method, base: &Nat, exp: &Nat) -> Nat {
        let bits = exp.width() * LIMB_BITS;
        self.raise(base, bits, |ring, g, t| method.power(ring, g, exp, t))
    }

    /// A power of a residue, whose exponent has `bits` bits; `power` maps Montgomery form to Montgomery form.
    fn raise(
        &self,
        base: &Nat,
        bits: usize,
        power: impl Fn(&dyn Ring, &[Limb], &mut [Limb]) -> Words,
    ) -> Nat {
        self.check(base);
        let ring = self.residues(Purpose::Power(bits));
        let mut t = ring.scratch_words();
        let g = ring.enter(&[base], &mut t);
        let r = power(ring, &g, &mut t);
        ring.leave(&r, &mut t).remove(0)
    }

    /// The representation for products, and for powers that share their squarings.
    pub(crate) fn ring(&self) -> &dyn Residues {
        self.residues(Purpose::Products)
    }

    pub(crate) fn check(&self, residue: &Nat) {
        assert_eq!(
            residue.width(),
            self.width(),
            "a residue has the modulus's width"
        );
    }
}
