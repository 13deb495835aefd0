//! The primitives of RFC 8017 section 5: RSAEP, RSADP, RSASP1, RSAVP1.

use super::{Error, Factor, PrivateKey, PublicKey};
use crate::STACK;
use crate::blinding::Pair;
use crate::fault::{Faults, NoFaults};
use carrysave_arith::{Limb, Modulus, Multiplier, Nat, off_stack};
use carrysave_team::{Serial, Team};
use core::mem;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// An intermediate value of a private operation; the number is the index of the factor, 0 for q, 1 for p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RsaStage {
    /// The factor of the input, r^e.
    Blinding,
    /// The factor of the result, r^-1.
    Unblinding,
    /// The input, blinded.
    Blinded,
    /// The prime r_i.
    Prime(usize),
    /// The exponent dP, dQ, d_i.
    Exponent(usize),
    /// The power modulo the prime: s_p, s_q, s_i.
    Residue(usize),
    /// qInv, t_i.
    Coefficient(usize),
    /// h = (s_i - s) t_i mod r_i.
    Quotient(usize),
    /// The result, still blinded.
    Result,
    /// The result, no longer blinded.
    Unblinded,
}

impl PublicKey {
    /// `RSAEP((n, e), m)` (RFC 8017 section 5.1.1): `m^e mod n`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `m < n`.
    ///
    /// # Timing
    /// Depends on the key only.
    pub fn rsaep(&self, m: &Nat) -> Result<Nat, Error> {
        // 1. If the message representative m is not between 0 and n - 1, output an error and stop.
        if !m.lt(self.n()) {
            return Err(Error::OutOfRange);
        }
        // 2. c = m^e mod n
        Ok(self.power(&self.residue(m)))
    }

    /// `RSAVP1((n, e), s)` (RFC 8017 section 5.2.2): `s^e mod n`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `s < n`.
    pub fn rsavp1(&self, s: &Nat) -> Result<Nat, Error> {
        self.rsaep(s)
    }

    /// `m^e mod n` for a residue.
    pub(super) fn power(&self, m: &Nat) -> Nat {
        self.n.pow_vartime(m, &self.e)
    }

    /// `m < n` as wide as the modulus.
    fn residue(&self, m: &Nat) -> Nat {
        m.resize(self.n.width()).expect("m < n")
    }

    /// `OS2IP(x)` of `k` bytes that are below the modulus.
    fn os2ip(&self, x: &[u8]) -> Option<Nat> {
        (x.len() == self.size())
            .then(|| Nat::from_be_bytes(x))
            .filter(|x| x.lt(self.n()))
    }

    /// The signature representative, with one error for every defect.
    pub(super) fn signature_representative(&self, signature: &[u8]) -> Result<Nat, Error> {
        self.os2ip(signature).ok_or(Error::Verification)
    }

    /// `I2OSP(x, k)`.
    pub(super) fn i2osp(&self, x: &Nat) -> Result<Vec<u8>, Error> {
        let mut bytes = x.to_be_bytes(self.size()).ok_or(Error::OutOfRange)?;
        Ok(mem::take(&mut *bytes))
    }

    pub(super) fn modulus(&self) -> &Modulus {
        &self.n
    }
}

impl PrivateKey {
    /// `RSADP(K, c)` (RFC 8017 section 5.1.2): `c^d mod n`, blinded with randomness of `rng`, by the Chinese remainder
    /// theorem, checked before it is returned.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `c < n`; [`Error::Fault`] if the result did not pass its check.
    ///
    /// # Timing
    /// Depends on the bit lengths of the key's parts and on `e`, not on their values, nor on `c`.
    pub fn rsadp<R: CryptoRng + ?Sized>(&self, rng: &mut R, c: &Nat) -> Result<Nat, Error> {
        self.private_op(&Serial, rng, c, &mut NoFaults)
    }

    /// [`PrivateKey::rsadp`], which is also [`PrivateKey::rsasp1`], by a team: the members compute the powers modulo
    /// the primes in parallel, if by the plan this is faster than interleaving on one thread, and members come
    /// [in time](Team::is_prompt); where there are several members for each prime, and primes are long enough, they share
    /// its power.
    ///
    /// # Errors
    /// As [`PrivateKey::rsadp`].
    ///
    /// # Panics
    /// If a member of the team panics.
    ///
    /// # Timing
    /// As [`PrivateKey::rsadp`], and on when the system schedules the threads.
    ///
    /// ```
    /// use carrysave_arith::Nat;
    /// use carrysave_team::Serial;
    /// use carrysave_schemes::rsa::{KeygenOptions, PrivateKey};
    /// let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    /// let options = KeygenOptions { allow_small: true, ..Default::default() };
    /// let key = PrivateKey::generate_with(|| rand_core::UnwrapErr(getrandom::SysRng), 1024, &options, &|_| ()).unwrap();
    /// let m = Nat::from_limb(42);
    /// let s = key.rsadp_on(&Serial, &mut rng, &m).unwrap();
    /// assert_eq!(key.public().rsavp1(&s).unwrap(), m);
    /// ```
    pub fn rsadp_on<R: CryptoRng + ?Sized>(
        &self,
        team: &dyn Team,
        rng: &mut R,
        c: &Nat,
    ) -> Result<Nat, Error> {
        // One thread interleaves the powers of two primes of one length.
        let alone = match &self.0.factors[..] {
            [q, p] if q.r.bits() == p.r.bits() => {
                !(q.r.plan().private_pays(q.r.bits()) && team.is_prompt())
            }
            _ => false,
        };
        let team = if alone { &Serial } else { team };
        self.private_op(team, rng, c, &mut NoFaults)
    }

    /// `RSASP1(K, m)` (RFC 8017 section 5.2.1): `m^d mod n`, as [`PrivateKey::rsadp`].
    ///
    /// # Errors
    /// As [`PrivateKey::rsadp`].
    ///
    /// # Timing
    /// As [`PrivateKey::rsadp`].
    pub fn rsasp1<R: CryptoRng + ?Sized>(&self, rng: &mut R, m: &Nat) -> Result<Nat, Error> {
        self.rsadp(rng, m)
    }

    /// The ciphertext representative, with one error for every defect.
    pub(super) fn rsaes_decrypt_start(&self, c: &[u8]) -> Result<Nat, Error> {
        self.public().permits_other_than_pss()?;
        self.public().os2ip(c).ok_or(Error::Decryption)
    }

    /// `EM = I2OSP(m, k)`.
    pub(super) fn decrypted_block(&self, m: &Nat) -> Result<Zeroizing<Vec<u8>>, Error> {
        m.to_be_bytes(self.size()).ok_or(Error::Decryption)
    }

    /// The signature for the result of [`PrivateKey::rsasp1`]: `S = I2OSP(s, k)`.
    pub(super) fn rsassa_sign_finish(&self, s: &Nat) -> Result<Vec<u8>, Error> {
        self.public().i2osp(s)
    }

    /// The private operation, with a check of the result.
    pub(crate) fn private_op<R: CryptoRng + ?Sized>(
        &self,
        team: &dyn Team,
        rng: &mut R,
        c: &Nat,
        faults: &mut impl Faults<RsaStage>,
    ) -> Result<Nat, Error> {
        off_stack::<STACK, _>(|| self.private_op_on_this_stack(team, rng, c, faults))
    }

    fn private_op_on_this_stack<R: CryptoRng + ?Sized>(
        &self,
        team: &dyn Team,
        rng: &mut R,
        c: &Nat,
        faults: &mut impl Faults<RsaStage>,
    ) -> Result<Nat, Error> {
        let public = self.public();
        let n = public.modulus();
        // 1. If the ciphertext representative c is not between 0 and n - 1, output an error and stop.
        if !c.lt(n.nat()) {
            return Err(Error::OutOfRange);
        }
        // c r^e, so that the input of the exponentiations is not chosen by an attacker.
        let mut blinding = Pair::take(&self.0.blinding, n, rng, |r, r_inv| {
            (public.power(&r), r_inv)
        });
        let Pair { r_e, r_inv } = &mut blinding.pair;
        replace_factor(faults, RsaStage::Blinding, n, r_e);
        replace_factor(faults, RsaStage::Unblinding, n, r_inv);
        let blinded = n.mul_by(&public.residue(c), &blinding.pair.r_e);
        let blinded = faults.replace(0, RsaStage::Blinded, blinded);
        // 2. b. s' = (c r^e)^d mod n
        let powered = self.crt_power(team, &blinded, faults);
        // s = s' r^-1
        let powered = faults.replace(0, RsaStage::Result, powered);
        let s = n.mul_by(&n.reduce(&powered), &blinding.pair.r_inv);
        let s = faults.replace(0, RsaStage::Unblinded, s);
        // A result that is wrong modulo one prime reveals that prime (Boneh, DeMillo, Lipton 1997): s is released only
        // if s^e = c. Dropping s wipes it.
        if public.power(&s) == *c {
            self.0.blinding.put(blinding);
            Ok(s)
        } else {
            Err(Error::Fault)
        }
    }

    /// `c^d mod n` by Garner's method over the factors.
    fn crt_power(&self, team: &dyn Team, c: &Nat, faults: &mut impl Faults<RsaStage>) -> Nat {
        let factors = &self.0.factors;
        let parts: Vec<(Modulus, Nat)> = factors
            .iter()
            .enumerate()
            .map(|(i, Factor { r, d, .. })| {
                let faulty = faults.replacement(0, RsaStage::Prime(i), r.nat());
                let r = faulty.and_then(|p| Modulus::with_plan(&p, r.cpu(), r.plan()));
                let r = r.unwrap_or_else(|| factors[i].r.clone());
                (r, faults.replace(0, RsaStage::Exponent(i), d.clone()))
            })
            .collect();
        // i. m_i = c^(d_i) mod r_i
        let powers = match team.size() {
            1 => parts
                .chunks(2)
                .flat_map(|pair| powers_in_turn(pair, c))
                .collect(),
            _ => powers_at_once(team, &parts, c),
        };
        let mut s = Nat::zero();
        for (i, ((r, _), m_i)) in parts.iter().zip(powers).enumerate() {
            let m_i = faults.replace(0, RsaStage::Residue(i), m_i);
            if i == 0 {
                s = m_i;
                continue;
            }
            // iii. h = (m_1 - m_2) qInv mod p;  iv. 2. h = (m_i - m) t_i mod r_i
            let Factor { product, t, .. } = &factors[i];
            let t = r.reduce(&faults.replace(0, RsaStage::Coefficient(i), t.clone()));
            let h = r.mul(&r.sub(&r.reduce(&m_i), &r.reduce(&s)), &t);
            let h = faults.replace(0, RsaStage::Quotient(i), h);
            // iv. m = m_2 + q h;  3. m = m + R h
            s = product.mul(&h).add(&s);
        }
        s
    }
}

/// Puts a fault in the place of a factor.
fn replace_factor<F: Faults<RsaStage>>(
    faults: &mut F,
    stage: RsaStage,
    n: &Modulus,
    factor: &mut Multiplier,
) {
    if F::PLANTED {
        let value = n.mul_by(&n.reduce(&Nat::one()), factor);
        *factor = n.multiplier(&n.reduce(&faults.replace(0, stage, value)));
    }
}

/// `c^d mod r` for one prime or two, interleaved if the processor has kernels for that.
pub(crate) fn powers_in_turn(parts: &[(Modulus, Nat)], c: &Nat) -> Vec<Nat> {
    match parts {
        [(q, d_q), (p, d_p)] if d_p.width() == d_q.width() => {
            let bits = Limb::BITS as usize * d_p.width();
            let (m_q, m_p) = q.pow_pair(&q.reduce(c), d_q, p, &p.reduce(c), d_p, bits);
            vec![m_q, m_p]
        }
        _ => parts.iter().map(|(r, d)| r.pow(&r.reduce(c), d)).collect(),
    }
}

/// `c^d mod r` for each prime, by a team.
fn powers_at_once(team: &dyn Team, parts: &[(Modulus, Nat)], c: &Nat) -> Vec<Nat> {
    let bases: Vec<Nat> = parts.iter().map(|(r, _)| r.reduce(c)).collect();
    let powers = parts.iter().zip(&bases).map(|((r, d), c)| (r, c, d));
    Modulus::pow_each_on(team, &powers.collect::<Vec<_>>())
}
