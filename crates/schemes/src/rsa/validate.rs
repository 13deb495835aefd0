//! Validation of keys (FIPS 186-5 section 5.1 and appendix A.1, SP 800-56B section 6.4).

use super::KeyError::{self, Invalid};
use super::{Factor, PublicKey};
use crate::formats::Notes;
use carrysave_arith::{Modulus, Nat, inv_mod, prime};
use core::cmp::Ordering;
use getrandom::SysRng;
use rand_core::UnwrapErr;

/// More primes than are ever used: bounds the work that a key file can cause.
const MAX_PRIMES: usize = 16;

/// The longest modulus whose primes are computed from its exponents, in bits.
const MAX_UNFACTORED: usize = 8192;

/// Refuses invalid public keys.
pub(super) fn public(n: &Nat, e: &Nat, max_e_bits: usize) -> Result<(), KeyError> {
    let (bits, e_bits) = (n.bits_vartime(), e.bits_vartime());
    if !(PublicKey::MIN_BITS..=PublicKey::MAX_BITS).contains(&bits) {
        return Err(KeyError::Size {
            part: "a modulus",
            bits,
            allowed: "384 to 65536 bits, and 2048 or more for anything that matters",
        });
    }
    if !n.is_odd() {
        return Err(Invalid("its modulus is even"));
    }
    if e.is_zero() {
        return Err(Invalid("its public exponent is missing"));
    }
    if !e.is_odd() || e.is_one() {
        return Err(Invalid("its public exponent is even or 1"));
    }
    if e_bits > max_e_bits || e.cmp_vartime(n) != Ordering::Less {
        return Err(Invalid(
            "its public exponent is longer than 256 bits or not below the modulus",
        ));
    }
    Ok(())
}

fn minus_one(x: &Nat) -> Nat {
    x.sub(&Nat::one()).unwrap_or_default()
}

/// Checks everything about a private key except primality; returns `d`, as wide as the modulus, and the factors in
/// Garner's order.
pub(super) fn private(
    public: &PublicKey,
    d: Nat,
    primes: Vec<Nat>,
    crt: Option<Vec<(Nat, Nat)>>,
    notes: &mut Notes,
) -> Result<(Nat, Vec<Factor>), KeyError> {
    let bits = public.bits();
    // Only the bit lengths of the parts are treated as public.
    let mut primes: Vec<Nat> = primes.into_iter().map(Nat::trim).collect();
    check_unequal_primes(&primes, bits)?;
    if product(&primes) != *public.n() {
        return Err(Invalid("its modulus is not the product of its primes"));
    }
    if primes.iter().map(Nat::bits).max()
        > primes.iter().map(Nat::bits).min().map(|least| least + 1)
    {
        notes.push("its primes are not of one length, which FIPS 186-5 asks for");
    }
    let d = private_exponent(public, d, &primes, notes)?;
    // FIPS 186-5 A.1.1: 2^(nlen/2) < d
    if d.bits() <= bits / 2 {
        return Err(Invalid("its private exponent d is too small to be safe"));
    }
    // By reference: an empty place as wide as two numbers would hold what was on the stack.
    let mut crt: Vec<_> = match &crt {
        Some(crt) => crt.iter().map(Some).collect(),
        None => vec![None; primes.len()],
    };
    if crt.len() != primes.len() {
        return Err(Invalid(
            "it does not have one exponent and coefficient for each prime",
        ));
    }
    // p, q, r_3, ... becomes q, p, r_3, ...
    primes.swap(0, 1);
    crt.swap(0, 1);
    let mut running = Nat::one();
    let mut factors = Vec::with_capacity(primes.len());
    for (i, (r, given)) in primes.iter().zip(crt).enumerate() {
        factors.push(factor_parts(public, &d, r, &running, given, i == 0)?);
        running = running.mul(r);
    }
    Ok((d, factors))
}

/// The private exponent, as wide as the modulus. A larger one, as some programs write, is reduced modulo the product of
/// all p - 1, which changes no power.
fn private_exponent(
    public: &PublicKey,
    d: Nat,
    primes: &[Nat],
    notes: &mut Notes,
) -> Result<Nat, KeyError> {
    const LONG: KeyError = Invalid("its private exponent d is longer than twice its modulus");
    let below = d.lt(public.n());
    let d = match below {
        true => d,
        false if d.bits() > 2 * public.bits() => return Err(LONG),
        false => {
            notes.push("its private exponent d is not below its modulus, which RFC 8017 asks for");
            d.rem(
                &primes
                    .iter()
                    .map(minus_one)
                    .fold(Nat::one(), |all, x| all.mul(&x)),
            )
        }
    };
    d.resize(public.n().width()).ok_or(LONG)
}

/// Refuses a composite among the primes, with fewer rounds for longer ones: see [`super::PrivateKey::validate`].
pub(crate) fn primality<'a>(primes: impl IntoIterator<Item = &'a Nat>) -> Result<(), KeyError> {
    let prime = primes.into_iter().all(|p| {
        let rounds = match p.bits() {
            ..=2048 => 16,
            2049..=4096 => 2,
            4097..=8192 => 1,
            _ => 0,
        };
        prime::is_prime(p, rounds, &mut UnwrapErr(SysRng))
    });
    if prime {
        Ok(())
    } else {
        Err(Invalid("one of its primes is not a prime"))
    }
}

/// The cheap conditions on two primes of one length.
pub(crate) fn check_primes(primes: &[Nat], bits: usize) -> Result<(), KeyError> {
    check_unequal_primes(primes, bits)?;
    // A modulus of an odd length cannot have primes of one length that both start with two ones.
    match primes {
        [p, q] if p.bits().abs_diff(q.bits()) > 1 => {
            Err(Invalid("its two primes are not of one length"))
        }
        _ => Ok(()),
    }
}

/// The cheap conditions on the primes of RSA keys, whose files may have primes of unequal lengths.
fn check_unequal_primes(primes: &[Nat], bits: usize) -> Result<(), KeyError> {
    if primes.len() < 2 || primes.len() > MAX_PRIMES {
        return Err(Invalid("it does not have 2 to 16 primes"));
    }
    if primes.iter().any(|r| !r.is_odd() || r.is_one()) {
        return Err(Invalid("one of its primes is even or 1"));
    }
    let lengths: usize = primes.iter().map(Nat::bits).sum();
    if lengths < bits || lengths >= bits + primes.len() {
        return Err(Invalid("its modulus is not the product of its primes"));
    }
    for (i, r) in primes.iter().enumerate() {
        if primes[..i].contains(r) {
            return Err(Invalid("two of its primes are equal"));
        }
    }
    // Elliptic curves find short ones.
    let shortest = primes.iter().map(Nat::bits).min().unwrap_or_default();
    if 2 * primes.len() * shortest < bits {
        return Err(Invalid(
            "one of its primes is shorter than half of its share of the modulus",
        ));
    }
    if let [p, q] = primes {
        let distance = if p.lt(q) { q.sub(p) } else { p.sub(q) };
        let distance = distance.unwrap_or_default();
        if distance.bits() <= (bits / 2).saturating_sub(100) {
            return Err(Invalid(
                "its two primes are so close that the modulus can be factored",
            ));
        }
    }
    Ok(())
}

fn product(primes: &[Nat]) -> Nat {
    primes.iter().fold(Nat::one(), |n, r| n.mul(r))
}

/// One factor's CRT values, checked against the file's if it has them.
fn factor_parts(
    public: &PublicKey,
    d: &Nat,
    r: &Nat,
    before: &Nat,
    given: Option<&(Nat, Nat)>,
    first: bool,
) -> Result<Factor, KeyError> {
    let n = public.modulus();
    let modulus = Modulus::with_plan(r, n.cpu(), n.plan())
        .ok_or(Invalid("one of its primes is even or 1"))?;
    let r_minus_1 = minus_one(r);
    let d_i = d.rem(&r_minus_1);
    if !public.e().mul(&d_i).rem(&r_minus_1).is_one() {
        return Err(Invalid(
            "its private exponent d does not invert its public exponent",
        ));
    }
    let d_i = d_i
        .resize(modulus.nat().width())
        .ok_or(Invalid("one of its primes is even or 1"))?;
    if given.is_some_and(|(given, _)| *given != d_i) {
        return Err(Invalid("its CRT exponent (dP, dQ) is not d mod (p - 1)"));
    }
    let t = if first {
        Nat::one()
    } else {
        let before = modulus.reduce(before);
        let t = match given {
            Some((_, t)) => {
                (t.lt(r) && modulus.mul(&modulus.reduce(t), &before).is_one()).then(|| t.clone())
            }
            None => modulus.inv(&before),
        };
        t.ok_or(Invalid(
            "its CRT coefficient (qInv) is not the inverse of the other primes",
        ))?
    };
    let t = modulus.reduce(&t);
    Ok(Factor {
        r: modulus,
        d: d_i,
        product: before.clone().trim(),
        t,
    })
}

/// `n` and `d = e^-1 mod lcm(r_i - 1)` of these primes.
pub(super) fn modulus_and_exponent(primes: &[Nat], e: &Nat) -> Result<(Nat, Nat), KeyError> {
    if primes.iter().any(|r| !r.is_odd() || r.is_one()) {
        return Err(Invalid("one of its primes is even or 1"));
    }
    let lambda = primes
        .iter()
        .map(minus_one)
        .reduce(|a, b| a.lcm(&b))
        .unwrap_or_default();
    let fits = e.is_odd() && !lambda.is_zero();
    let d = fits.then(|| inv_mod(e, &lambda)).flatten();
    let d = d.ok_or(Invalid(
        "its public exponent has a common factor with p - 1",
    ))?;
    Ok((product(primes).publish(), d))
}

/// The two prime factors of `n`, from `e` and `d` (SP 800-56B appendix C.1).
pub(super) fn factor(public: &PublicKey, d: &Nat) -> Result<Vec<Nat>, KeyError> {
    const WRONG: KeyError = Invalid("it has no primes, and they do not follow from its exponents");
    let (n, mut rng) = (public.modulus(), UnwrapErr(SysRng));
    if n.bits() > MAX_UNFACTORED {
        return Err(Invalid(
            "it has no primes, and is too long to find them: write them into the file",
        ));
    }
    // A prime has no factors, and trying every base below would take long.
    if !d.lt(n.nat()) || prime::is_prime(n.nat(), 1, &mut rng) {
        return Err(WRONG);
    }
    // 1. k = d e - 1 = 2^t r
    let k = public.e().mul(d).sub(&Nat::one()).ok_or(WRONG)?;
    if k.is_zero() || k.is_odd() {
        return Err(WRONG);
    }
    let t = (1..).find(|&i| k.bit(i)).expect("k is not zero");
    let r = k.shr(t);
    let minus_one = minus_one(n.nat());
    // 3. Each g succeeds with a probability of at least one half, if n has two different prime factors.
    for _ in 0..20 {
        let g = Nat::random_below(n.nat(), &mut rng);
        let mut y = n.pow(&g, &r);
        for _ in 0..t {
            let x = n.sqr(&y);
            if x.is_one() && !y.is_one() && y != minus_one {
                let p = n.sub(&y, &n.reduce(&Nat::one())).gcd(n.nat());
                let q = n.nat().div_rem(&p).0;
                return Ok(if p.lt(&q) { vec![q, p] } else { vec![p, q] });
            }
            y = x;
        }
        if !y.is_one() {
            return Err(WRONG);
        }
    }
    Err(WRONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_primes_have_one_length_or_one_bit_more() {
        for (less, more) in [(100, 100), (100, 101), (100, 102), (99, 101), (100, 110)] {
            let [p, q] = [less, more].map(|bits| Nat::power_of_two(bits - 1).add_limb(3));
            let bits = p.mul(&q).bits();
            for primes in [[p.clone(), q.clone()], [q.clone(), p.clone()]] {
                let right = check_primes(&primes, bits).is_ok();
                // Equal numbers are refused for another reason.
                assert_eq!(right, more - less == 1, "{less} {more}");
            }
        }
    }
}
