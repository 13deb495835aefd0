//! Powers modulo a number by several threads.

use super::{mont_mul::Algorithm, pow::Version};
use crate::modulus::Modulus;
use crate::nat::Nat;
use crate::plan::Plan;
use crate::pow::Method;
use crate::ring::saturated::Saturated;
use crate::ring::{InRing, Ring, Words};
use carrysave_kernels::{Limb, mpn::Mpn};
use carrysave_team::{Team, messages::Comm};

impl Modulus {
    /// `base^exp mod n` for a public exponent, shared by two threads of a team: for studies of published methods.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// Depends on the exponent's value, not on `base` and `n`.
    ///
    /// ```
    /// use carrysave_arith::{Modulus, Nat, published::pow::Version};
    /// use carrysave_team::Serial;
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// let power = n.pow_threaded_vartime(&Serial, Version::V2, &Nat::from_limb(2), &Nat::from_limb(100));
    /// assert!(power.is_one());
    /// ```
    pub fn pow_threaded_vartime(
        &self,
        team: &dyn Team,
        version: Version,
        base: &Nat,
        exp: &Nat,
    ) -> Nat {
        self.check(base);
        let ring = self.ring();
        let mut t = ring.scratch_words();
        let g = ring.enter(&[base], &mut t);
        let r = version.power_vartime(team, &|| InRing::new(ring), &g, exp);
        ring.leave(&r, &mut t).remove(0)
    }

    /// `base^exp mod n` where a team shares every multiplication and squaring: for studies of published methods.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width.
    ///
    /// # Timing
    /// That of the method and of the algorithm. If both are constant, it depends on the widths of `n` and `exp` and on
    /// the team.
    ///
    /// ```
    /// use carrysave_arith::{Method, Modulus, Nat, published::mont_mul::Algorithm};
    /// use carrysave_team::Serial;
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// let (method, pfios) = (Method::named("signed_digit").unwrap(), Algorithm::named("pfios").unwrap());
    /// let power = n.pow_by_team(&Serial, pfios, method, &Nat::from_limb(2), &Nat::from_limb(100));
    /// assert!(power.is_one());
    /// ```
    pub fn pow_by_team(
        &self,
        team: &dyn Team,
        algorithm: &Algorithm,
        method: &Method,
        base: &Nat,
        exp: &Nat,
    ) -> Nat {
        self.pow_together(Members::Team(team), algorithm, method, base, exp)
    }

    /// [`pow_by_team`](Self::pow_by_team) by a group of ranks: each calls it with the same operands, and each gets the
    /// power.
    ///
    /// # Panics
    /// If `base` is not of the modulus's width; if the algorithm is not one
    /// [by messages](Algorithm::by_messages); if a message gets lost.
    ///
    /// # Timing
    /// As for [`pow_by_team`](Self::pow_by_team).
    ///
    /// ```
    /// use carrysave_arith::{Method, Modulus, Nat, published::mont_mul::Algorithm};
    /// use carrysave_team::{Serial, Team, messages::Channels};
    /// let n = Modulus::new(&Nat::from_limb(101)).unwrap();
    /// let (method, pshs) = (Method::named("signed_digit").unwrap(), Algorithm::named("pshs").unwrap());
    /// let channels = Channels::new(1);
    /// Serial.run(&|member| {
    ///     let comm = channels.link(member);
    ///     let power = n.pow_over(&comm, pshs, method, &Nat::from_limb(2), &Nat::from_limb(100));
    ///     assert!(power.is_one());
    /// });
    /// ```
    pub fn pow_over(
        &self,
        comm: &dyn Comm,
        algorithm: &Algorithm,
        method: &Method,
        base: &Nat,
        exp: &Nat,
    ) -> Nat {
        self.pow_together(Members::Ranks(comm), algorithm, method, base, exp)
    }

    fn pow_together(
        &self,
        members: Members<'_>,
        algorithm: &Algorithm,
        method: &Method,
        base: &Nat,
        exp: &Nat,
    ) -> Nat {
        self.check(base);
        let ring = Together {
            context: self.saturated(),
            members,
            algorithm,
        };
        let mut t = ring.scratch_words();
        let g = ring.enter(&[base], &mut t);
        let r = method.power(&ring, &g, exp, &mut t);
        ring.leave(&r, &mut t).remove(0)
    }
}

/// Who multiplies together.
enum Members<'a> {
    /// The threads of a team, which this thread calls.
    Team(&'a dyn Team),
    /// The ranks of a group, of which this is one.
    Ranks(&'a dyn Comm),
}

/// Saturated radix 2^64, with multiplications by several members and squares as products.
struct Together<'a> {
    context: &'a Saturated,
    members: Members<'a>,
    algorithm: &'a Algorithm,
}

impl Together<'_> {
    fn product(&self, r: &mut [Limb], a: &[Limb], b: &[Limb]) {
        let (n, n0) = (self.context.n.limbs(), self.context.n0);
        match self.members {
            Members::Team(team) => self.algorithm.call(team, r, a, b, n, n0),
            Members::Ranks(comm) => self.algorithm.call_over(comm, r, a, b, n, n0),
        }
    }
}

impl Ring for Together<'_> {
    fn width(&self) -> usize {
        self.context.width()
    }

    fn modulus(&self) -> &Nat {
        self.context.modulus()
    }

    fn scratch(&self) -> usize {
        self.context.scratch()
    }

    fn mpn(&self) -> &Mpn {
        Ring::mpn(self.context)
    }

    fn plan(&self) -> &'static Plan {
        Ring::plan(self.context)
    }

    fn enter(&self, residues: &[&Nat], t: &mut [Limb]) -> Words {
        let mut r = Words::new(residues[0].limbs().to_vec());
        self.mul(&mut r, self.context.r2.limbs(), t);
        r
    }

    fn one(&self) -> Words {
        self.context.one()
    }

    fn mul(&self, r: &mut [Limb], b: &[Limb], t: &mut [Limb]) {
        let a = &mut t[..r.len()];
        a.copy_from_slice(r);
        self.product(r, a, b);
    }

    fn sqr(&self, r: &mut [Limb], t: &mut [Limb]) {
        let a = &mut t[..r.len()];
        a.copy_from_slice(r);
        self.product(r, a, a);
    }

    fn mul_and_sqr(&self, r: &mut [Limb], s: &mut [Limb], t: &mut [Limb]) {
        let (n, n0) = (self.context.n.limbs(), self.context.n0);
        match self.members {
            Members::Team(team) => self.algorithm.call_pair(team, r, s, n, n0),
            Members::Ranks(_) => {
                self.mul(r, s, t);
                self.sqr(s, t);
            }
        }
    }

    fn leave(&self, r: &[Limb], t: &mut [Limb]) -> Vec<Nat> {
        self.context.leave(r, t)
    }
}
