//! Signatures of several keys at once: one a vector lane.

use super::dsa::{check_digest, refuse_sha1, release};
use super::nonce::Nonces;
use super::{Error, PrivateKey, PublicKey, Signature, Stage};
use crate::hash::Hash;
use carrysave_arith::{
    Nat,
    lanes::{self, Lanes},
};

pub use carrysave_arith::lanes::LANES;

/// What keys must share for their operations to run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    p: lanes::Class,
    /// The width of exponents.
    width: usize,
}

impl PublicKey {
    /// The class of the key's signatures.
    pub fn class(&self) -> Class {
        Class {
            p: lanes::Class::of(self.group().modulus()),
            width: self.group().order().width(),
        }
    }
}

/// Whether so many operations with keys like this one are faster side by side.
fn pays<'a>(mut keys: impl ExactSizeIterator<Item = &'a PublicKey>) -> bool {
    let jobs = keys.len();
    keys.all(|key| key.lanes_from().is_some_and(|from| jobs >= from)) && jobs > 0
}

/// The fence of both.
fn check<'a>(keys: impl ExactSizeIterator<Item = &'a PublicKey>) {
    assert!(keys.len() <= LANES, "at most eight at once");
    let classes: Vec<Class> = keys.map(PublicKey::class).collect();
    let one = classes.windows(2).all(|pair| pair[0] == pair[1]);
    assert!(one, "one class at a time");
}

/// What may take the place of an intermediate value, given its job: for tests.
#[doc(hidden)]
pub type Fault<'a> = &'a mut dyn FnMut(usize, Stage, &Nat) -> Option<Nat>;

/// [`PrivateKey::dsa_sign`] for each key, hash and digest, at most [`LANES`] of one class; results in order.
///
/// Where the processor has no kernels for that, or there are too few, or a key has tables, one after the other.
///
/// # Errors
/// For each as [`PrivateKey::dsa_sign`]: one that fails leaves the others alone.
///
/// # Panics
/// If there are more, or of several classes.
///
/// # Timing
/// As [`PrivateKey::dsa_sign`].
///
/// ```
/// use carrysave_schemes::dl::{Group, PrivateKey, batch};
/// use carrysave_schemes::hash::Hash;
/// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
/// # let (group, _) = Group::generate(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
/// let keys = [(); 3].map(|()| PrivateKey::generate(&group, rng));
/// let digest = Hash::Sha256.digest(b"a message");
/// let jobs = keys.each_ref().map(|key| (key, Hash::Sha256, &digest[..]));
/// for (key, signature) in keys.iter().zip(batch::dsa_sign(&jobs)) {
///     assert_eq!(signature, key.dsa_sign(Hash::Sha256, &digest));
/// }
/// ```
pub fn dsa_sign(jobs: &[(&PrivateKey, Hash, &[u8])]) -> Vec<Result<Signature, Error>> {
    check(jobs.iter().map(|job| job.0.public()));
    if !pays(jobs.iter().map(|job| job.0.public())) {
        let alone = |(key, hash, digest): &(&PrivateKey, Hash, &[u8])| key.dsa_sign(*hash, digest);
        return jobs.iter().map(alone).collect();
    }
    dsa_sign_with(jobs, &mut |_, _, _| None)
}

/// [`dsa_sign`] in lanes, in which `fault` may replace intermediate values: for tests of the checks at the end.
#[doc(hidden)]
pub fn dsa_sign_with(
    jobs: &[(&PrivateKey, Hash, &[u8])],
    fault: Fault<'_>,
) -> Vec<Result<Signature, Error>> {
    let start = |i: usize| -> Result<Nat, Error> {
        let (key, hash, digest) = jobs[i];
        refuse_sha1(hash)?;
        check_digest(hash, digest)?;
        Ok(Nonces::new(key, hash, digest, &[]).next())
    };
    let starts: Vec<Result<Nat, Error>> = (0..jobs.len()).map(start).collect();
    let nonces = starts.iter().enumerate();
    let nonces = nonces.filter_map(|(i, k)| {
        let k = k.as_ref().ok()?;
        Some((i, fault(i, Stage::Nonce, k).unwrap_or(k.clone())))
    });
    let nonces: Vec<(usize, Nat)> = nonces.collect();
    let powers: Vec<_> = nonces
        .iter()
        .map(|(i, k)| {
            let group = jobs[*i].0.group();
            (group.modulus(), group.g(), k)
        })
        .collect();
    let signatures: Vec<_> = lanes::pow(&powers)
        .into_iter()
        .zip(&nonces)
        .map(|(power, (i, k))| {
            let (key, _, digest) = jobs[*i];
            key.dsa_sign_finish(digest, k, power, &mut |stage, x| fault(*i, stage, x))
        })
        .collect();
    let made = nonces.iter().zip(&signatures);
    let made = made.filter_map(|((i, _), signature)| {
        let (key, hash, digest) = jobs[*i];
        let signature = signature.as_ref()?;
        Some((key.public(), hash, digest, signature))
    });
    let made: Vec<_> = made.collect();
    let mut verified = in_lanes(&made).into_iter();
    let mut released = nonces
        .into_iter()
        .zip(signatures)
        .map(|((i, k), signature)| {
            let (key, hash, digest) = jobs[i];
            match signature {
                Some(signature) => {
                    let verified = verified.next().expect("a verdict a signature");
                    let again = Nonces::new(key, hash, digest, &[]).next();
                    release(signature, verified, &k, Some(again))
                }
                // r or s is 0: another nonce.
                None => key.dsa_sign(hash, digest),
            }
        });
    let result = |start: Result<Nat, Error>| start.and_then(|_| released.next().expect("one each"));
    starts.into_iter().map(result).collect()
}

/// [`PublicKey::dsa_verify`] for each key, hash, digest and signature, at most [`LANES`] of one class; results in
/// order.
///
/// Where the processor has no kernels for that, or there are too few, or a key has tables, one after the other.
///
/// # Errors
/// For each as [`PublicKey::dsa_verify`]: one that fails leaves the others alone.
///
/// # Panics
/// If there are more, or of several classes.
pub fn dsa_verify(jobs: &[(&PublicKey, Hash, &[u8], &Signature)]) -> Vec<Result<(), Error>> {
    check(jobs.iter().map(|job| job.0));
    if !pays(jobs.iter().map(|job| job.0)) {
        let alone = |(key, hash, digest, signature): &(&PublicKey, Hash, &[u8], &Signature)| {
            key.dsa_verify(*hash, digest, signature)
        };
        return jobs.iter().map(alone).collect();
    }
    in_lanes(jobs)
}

/// The verdicts, from lanes.
fn in_lanes(jobs: &[(&PublicKey, Hash, &[u8], &Signature)]) -> Vec<Result<(), Error>> {
    let start = |(key, hash, digest, signature): &(&PublicKey, Hash, &[u8], &Signature)| {
        check_digest(*hash, digest)?;
        key.dsa_exponents(digest, signature)
    };
    let starts: Vec<Result<(Nat, Nat), Error>> = jobs.iter().map(start).collect();
    let keys = jobs.iter().zip(&starts);
    let keys = keys.filter_map(|(job, start)| Some((job.0, start.as_ref().ok()?)));
    let keys: Vec<(&PublicKey, &(Nat, Nat))> = keys.collect();
    let mut products = power_products(&keys).into_iter();
    let verdicts = jobs
        .iter()
        .zip(starts)
        .map(|((key, _, _, signature), start)| {
            start?;
            let v = products.next().expect("a product each");
            key.dsa_verify_finish(signature, &v)
        });
    verdicts.collect()
}

/// `g^a y^b mod p` of each, side by side.
fn power_products(jobs: &[(&PublicKey, &(Nat, Nat))]) -> Vec<Nat> {
    if jobs.is_empty() {
        return Vec::new();
    }
    let groups = || jobs.iter().map(|job| job.0.group());
    let p = Lanes::new(&groups().map(|group| group.modulus()).collect::<Vec<_>>());
    let form = |x: Vec<&Nat>| p.montgomery(&p.load(&x));
    let g = form(groups().map(|group| group.g()).collect());
    let y = form(jobs.iter().map(|job| job.0.y()).collect());
    let a: Vec<&Nat> = jobs.iter().map(|job| &job.1.0).collect();
    let b: Vec<&Nat> = jobs.iter().map(|job| &job.1.1).collect();
    let bits = groups().map(|group| group.order().bits()).max();
    let mut product = p.pow_product([(&g, &a), (&y, &b)], bits.unwrap_or(0));
    p.redc(&mut product);
    p.store(&product)
}
