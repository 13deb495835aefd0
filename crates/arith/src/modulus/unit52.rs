//! A modulus times what makes it -1 modulo 2^416, in radix 2^52: longer by a block of digits, but its quotient digits are
//! the digits that they make disappear (Orup, Simplifying quotient determination in high-radix modular multiplication,
//! ARITH 1995), so that no row of blocks waits for them.

use super::Context;
use super::radix52::{from_digits, to_digits};
use super::redc_n::{RedcN, barrett};
use super::ring::{Ring, Words};
use crate::nat::{Barrett, LIMB_BITS, Nat};
use crate::plan::Plan;
use carrysave_kernels::Limb;
use carrysave_kernels::mpn::Mpn;
use carrysave_kernels::radix52::{Amm, AmmUnit, AmsUnit, BLOCK, DIGIT_BITS};

/// The context of a modulus n: residues are kept modulo a multiple of n, R = 2^(52 digits) above four times that.
pub(super) struct Unit52 {
    /// One more than the multiple.
    above: Words,
    /// `R^2 mod n`
    r2: Words,
    digits: usize,
    /// Which takes a number below twice the multiple to its residue.
    barrett: Barrett,
    modulus: Nat,
    mpn: Mpn,
    plan: &'static Plan,
    amm: AmmUnit,
    ams: AmsUnit,
}

impl Unit52 {
    /// The context, where the kernels take numbers of that size.
    pub(super) fn new(c: &Context) -> Option<Unit52> {
        /// Limbs that hold a block of digits.
        const LOW: usize = AmmUnit::MORE_BITS.div_ceil(LIMB_BITS);
        let (blocks, digits) = Amm::shape(c.bits + AmmUnit::MORE_BITS)?;
        if c.n.width() < LOW {
            return None;
        }
        let width = BLOCK * blocks;
        let inverse = RedcN::new(&c.mpn, c.plan, &c.n.limbs()[..LOW], c.n0);
        // -n^-1 modulo 2^416
        let mut factor = Nat::from_limbs(inverse.inverse());
        factor.limbs_mut()[LOW - 1] &= Limb::MAX >> (LOW * LIMB_BITS - AmmUnit::MORE_BITS);
        let above = c.n.mul(&factor).add(&Nat::one());
        let power = c.two_to(2 * DIGIT_BITS * digits);
        let power = c.leave(power.limbs(), &mut c.scratch_words()).remove(0);
        Some(Unit52 {
            above: to_digits(&above, width),
            r2: to_digits(&power, width),
            digits,
            barrett: match &c.barrett {
                Some(known) => known.clone(),
                None => barrett(c),
            },
            modulus: c.n.clone(),
            mpn: c.mpn.clone(),
            plan: c.plan,
            amm: AmmUnit::best(c.cpu),
            ams: AmsUnit::best(c.cpu),
        })
    }

    /// The digits of a number.
    fn digits_of(&self, x: &Nat) -> Words {
        to_digits(x, self.above.len())
    }
}

impl Ring for Unit52 {
    fn width(&self) -> usize {
        self.above.len()
    }

    fn modulus(&self) -> &Nat {
        &self.modulus
    }

    fn scratch(&self) -> usize {
        0
    }

    fn mpn(&self) -> &Mpn {
        &self.mpn
    }

    fn plan(&self) -> &'static Plan {
        self.plan
    }

    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words {
        let mut r = self.digits_of(residues[0]);
        self.mul(&mut r, &self.r2, t);
        r
    }

    fn one(&self) -> Words {
        self.enter(&[&Nat::one()], &mut [])
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], _: &mut [Limb]) {
        (self.amm).call_in_place(r, b, &self.above, self.digits);
    }

    fn sqr(&self, r: &mut [Limb], _: &mut [Limb]) {
        (self.ams).call_in_place(r, &self.above, self.digits);
    }

    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat> {
        let mut r = Words::new(r.to_vec());
        self.mul(&mut r, &self.digits_of(&Nat::one()), t);
        let limbs = (DIGIT_BITS * self.digits).div_ceil(LIMB_BITS);
        vec![self.barrett.reduce(&from_digits(&r, limbs))]
    }
}
