//! Generation of parameters, and its verification (FIPS 186-4, appendix A).

use super::group::is_prime;
use super::{Group, KeyError};
use crate::hash::Hash;
use carrysave_arith::{Modulus, Nat, prime};
use rand_core::CryptoRng;

/// The evidence of how p and q were generated (FIPS 186-4, A.1.1): repeating it shows that they were not chosen.
///
/// ```
/// use carrysave_schemes::{dl::Group, hash::Hash};
/// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// // 512 bits keep this example quick; take 2048 and 256, or more, for a group to use.
/// let (group, seed) = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
/// seed.verify(group.p(), group.q()).unwrap();
/// seed.verify_generator(&group, 1).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSeed {
    /// The hash function.
    pub hash: Hash,
    /// `domain_parameter_seed`
    pub seed: Vec<u8>,
    /// The number of rejected candidates for p.
    pub counter: usize,
}

/// Checks the sizes of generated parameters.
fn check_sizes(l: usize, n: usize, hash: Hash) -> Result<(), KeyError> {
    if !(Group::MIN_BITS..=Group::MAX_BITS).contains(&l) {
        return Err(KeyError::Size {
            part: "a p",
            bits: l,
            allowed: "2048 or 3072 bits, and from 512 to 8192 for tests",
        });
    }
    if !(Group::MIN_ORDER_BITS..=(8 * hash.len()).min(l - 1)).contains(&n) {
        return Err(KeyError::Size {
            part: "a q",
            bits: n,
            allowed: "224 or 256 bits, at least 160, and no more than the hash gives",
        });
    }
    Ok(())
}

/// q from a seed (FIPS 186-4, A.1.1.2, steps 6 and 7): `2^(n - 1) + U + 1 - (U mod 2)`.
fn order(hash: Hash, seed: &[u8], n: usize) -> Nat {
    let mut u = low_bits(&Nat::from_be_bytes(&hash.digest(seed)), n - 1);
    u.set_bit(0);
    Nat::power_of_two(n - 1).add(&u).trim_vartime()
}

/// `x mod 2^bits`, a word longer than the bits need.
fn low_bits(x: &Nat, bits: usize) -> Nat {
    let high = x.shr(bits).shl(bits);
    let low = x.sub(&high).expect("it is a part").trim_vartime();
    low.resize(bits / 64 + 1).expect("enough bits")
}

/// The candidates for p that follow from a seed and q (step 11), `None` for those that are too short.
fn candidates<'a>(
    hash: Hash,
    seed: &'a [u8],
    l: usize,
    q: &Nat,
) -> impl Iterator<Item = Option<Nat>> + 'a {
    let twice_q = q.shl(1);
    let out = 8 * hash.len();
    let n = l.div_ceil(out) - 1;
    let mut offset = 1;
    let seed_bits = 8 * seed.len();
    std::iter::from_fn(move || {
        // 11.1  V_j = Hash((domain_parameter_seed + offset + j) mod 2^seedlen)
        let v = |j: usize| {
            let sum = Nat::from_be_bytes(seed).add_limb((offset + j) as u64);
            let octets = low_bits(&sum, seed_bits).to_be_bytes(seed.len());
            Nat::from_be_bytes(&hash.digest(&octets.expect("enough bits")))
        };
        // 11.2  W = V_0 + V_1 2^outlen + ...
        let w = (0..=n).fold(Nat::zero(), |w, j| w.add(&v(j).shl(j * out)));
        offset += n + 1;
        // 11.3  X = W mod 2^(L - 1) + 2^(L - 1)
        let x = low_bits(&w, l - 1).add(&Nat::power_of_two(l - 1));
        // 11.4  11.5  p = X - (X mod 2q - 1)
        let c = x.div_rem_vartime(&twice_q).1;
        let p = x.sub(&c).expect("it is a remainder").add_limb(1);
        Some(Some(p.trim_vartime()).filter(|p| p.bits_vartime() == l))
    })
    .take(4 * l)
}

impl DomainSeed {
    /// Checks that p and q were generated from this seed (FIPS 186-4, A.1.1.3), which takes as long as generating them.
    ///
    /// # Errors
    /// [`KeyError::Size`], [`KeyError::Group`].
    pub fn verify(&self, p: &Nat, q: &Nat) -> Result<(), KeyError> {
        let (l, n) = (p.bits_vartime(), q.bits_vartime());
        check_sizes(l, n, self.hash)?;
        if 8 * self.seed.len() < n {
            return Err(KeyError::Group("its seed is shorter than q"));
        }
        if order(self.hash, &self.seed, n) != *q || !is_prime(q) {
            return Err(KeyError::Group(
                "its q does not follow from the seed, or is not a prime",
            ));
        }
        let candidates = || candidates(self.hash, &self.seed, l, q);
        let last = candidates().nth(self.counter).flatten();
        let mut before = candidates().take(self.counter).flatten();
        if last.as_ref() != Some(p) || !is_prime(p) || before.any(|c| is_prime(&c)) {
            return Err(KeyError::Group(
                "its p is not the first prime that follows from the seed, at the counter given",
            ));
        }
        Ok(())
    }

    /// The generator of an index (FIPS 186-4, A.2.3), for p and q generated from this seed.
    ///
    /// # Errors
    /// [`KeyError::Group`] if there is none, which means that q does not divide p - 1.
    pub fn generator(&self, p: &Nat, q: &Nat, index: u8) -> Result<Nat, KeyError> {
        const NONE: KeyError = KeyError::Group("its seed makes no generator");
        let p_minus_1 = p.sub_limb(1).filter(|_| !q.is_zero()).ok_or(NONE)?;
        let (e, rest) = p_minus_1.div_rem_vartime(q);
        let modulus = Modulus::new(p).filter(|_| rest.is_zero()).ok_or(NONE)?;
        // U = domain_parameter_seed || "ggen" || index || count
        let w = |count: u16| {
            let tail = [b"ggen", &[index][..], &count.to_be_bytes()].concat();
            let w = self.hash.digest(&[&self.seed[..], &tail].concat());
            modulus.reduce(&Nat::from_be_bytes(&w))
        };
        let g = (1..=u16::MAX).map(|count| modulus.pow_vartime(&w(count), &e));
        let mut g = g.filter(|g| g.bits_vartime() > 1);
        g.next().ok_or(NONE)
    }

    /// Checks that the group's g is the generator of an index (FIPS 186-4, A.2.4).
    ///
    /// # Errors
    /// [`KeyError::Group`] if it is not.
    pub fn verify_generator(&self, group: &Group, index: u8) -> Result<(), KeyError> {
        if self.generator(group.p(), group.q(), index)? != *group.g() {
            return Err(KeyError::Group(
                "its generator does not follow from the seed",
            ));
        }
        Ok(())
    }
}

impl Group {
    /// A new group with a p of `l` bits and a q of `n` bits, from a random seed (FIPS 186-4, A.1.1.2), with the
    /// generator of index 1 (A.2.3), and the evidence. The standard has (2048, 224), (2048, 256) and (3072, 256), and
    /// had (1024, 160). `tick` is called for every tested candidate.
    ///
    /// # Errors
    /// [`KeyError::Size`].
    pub fn generate_with<R: CryptoRng + ?Sized>(
        rng: &mut R,
        l: usize,
        n: usize,
        hash: Hash,
        tick: &mut dyn FnMut(),
    ) -> Result<(Group, DomainSeed), KeyError> {
        check_sizes(l, n, hash)?;
        let mut seed = vec![0; hash.len()];
        loop {
            rng.fill_bytes(&mut seed);
            let q = order(hash, &seed, n);
            tick();
            if !is_prime(&q) {
                continue;
            }
            let primes = candidates(hash, &seed, l, &q).map(|c| {
                tick();
                c.filter(is_prime)
            });
            let found = primes.enumerate().find(|(_, c)| c.is_some());
            if let Some((counter, Some(p))) = found {
                let seed = DomainSeed {
                    hash,
                    seed,
                    counter,
                };
                let g = seed.generator(&p, &q, 1)?;
                return Ok((Group::new(p, q, g)?, seed));
            }
        }
    }

    /// A new group whose p is a safe prime of `bits` bits, with the generator 4. It takes long from 2048 bits on, and
    /// the standard groups are as good. `tick` is called for every tested candidate.
    ///
    /// # Errors
    /// [`KeyError::Size`] unless there are 512 to 8192 bits.
    ///
    /// ```
    /// use carrysave_schemes::dl::Group;
    /// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let group = Group::generate_safe_prime_with(rng, 512, &mut || ()).unwrap();
    /// assert_eq!(group.q().bits(), 511);
    /// ```
    pub fn generate_safe_prime_with<R: CryptoRng + ?Sized>(
        rng: &mut R,
        bits: usize,
        tick: &mut dyn FnMut(),
    ) -> Result<Group, KeyError> {
        if !(Group::MIN_BITS..=Group::MAX_BITS).contains(&bits) {
            return Err(KeyError::Size {
                part: "a p",
                bits,
                allowed: "2048 bits or more, and from 512 to 8192 for tests",
            });
        }
        let p = prime::random_safe_prime(bits, None, rng, tick).expect("the search is not stopped");
        Group::with_safe_prime(p.publish(), Nat::from_limb(4))
    }

    /// The group of p and q with the first generator (FIPS 186-4, A.2.1, for h = 2, 3, ...).
    ///
    /// # Errors
    /// As [`Group::new`].
    ///
    /// ```
    /// use carrysave_schemes::dl::{Group, Named};
    /// let named = Named::Modp2048.group();
    /// let group = Group::with_some_generator(named.p().clone(), named.q().clone()).unwrap();
    /// assert_eq!(group.g().to_hex_vartime(), "4");
    /// ```
    pub fn with_some_generator(p: Nat, q: Nat) -> Result<Group, KeyError> {
        // If p or q is invalid, 1 is used, which is no generator.
        let g = match (Modulus::new(&p), q.is_zero()) {
            (Some(modulus), false) => {
                let e = p.sub_limb(1).expect("p > 1").div_rem_vartime(&q).0;
                let power = |h| modulus.pow_vartime(&modulus.reduce(&Nat::from_limb(h)), &e);
                (2..64).map(power).find(|g| g.bits_vartime() > 1)
            }
            _ => None,
        };
        Group::new(p, q, g.unwrap_or(Nat::one()))
    }
}
