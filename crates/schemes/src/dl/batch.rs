//! Signatures of several keys at once: one a vector lane.

use super::dsa::{DsaStage, ToSign, check_digest, refuse_sha1, sign};
use super::{Error, PrivateKey, PublicKey, Signature};
use crate::fault::{Faults, NoFaults};
use crate::hash::Hash;
use carrysave_arith::{
    Nat,
    lanes::{self, ModulusLanes},
};

pub use carrysave_arith::lanes::LANES;

/// Keys with equal classes can sign or verify side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DlClass {
    p: lanes::LaneClass,
    /// The width of exponents.
    width: usize,
}

impl DlClass {
    /// The class of a key.
    pub(super) fn of(key: &PublicKey) -> DlClass {
        DlClass {
            p: lanes::LaneClass::of(key.group().modulus()),
            width: key.group().order().width(),
        }
    }
}

/// Whether operations with these keys are faster side by side.
fn pays<'a>(mut keys: impl ExactSizeIterator<Item = &'a PublicKey>) -> bool {
    let jobs = keys.len();
    keys.all(|key| key.lanes_from().is_some_and(|from| jobs >= from)) && jobs > 0
}

/// Checks the common arguments.
fn check<'a>(keys: impl ExactSizeIterator<Item = &'a PublicKey>) {
    assert!(keys.len() <= LANES, "at most eight at once");
    let classes: Vec<DlClass> = keys.map(DlClass::of).collect();
    let one = classes.windows(2).all(|pair| pair[0] == pair[1]);
    assert!(one, "one class at a time");
}

/// [`PrivateKey::dsa_sign`] for each key, hash and digest, at most [`LANES`] of one class; results in order.
///
/// Powers of g use its table if there is one, else lanes if the processor has kernels for them.
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
/// # let (group, _) = Group::generate_with(rng, 512, 160, Hash::Sha256, &mut || ()).unwrap();
/// let keys = [(); 3].map(|()| PrivateKey::generate_with(&group, rng));
/// let digest = Hash::Sha256.digest(b"a message");
/// let jobs = keys.each_ref().map(|key| (key, Hash::Sha256, &digest[..]));
/// for (key, signature) in keys.iter().zip(batch::dsa_sign(&jobs)) {
///     assert_eq!(signature, key.dsa_sign(Hash::Sha256, &digest));
/// }
/// ```
pub fn dsa_sign(jobs: &[(&PrivateKey, Hash, &[u8])]) -> Vec<Result<Signature, Error>> {
    dsa_sign_with(jobs, &mut NoFaults)
}

/// [`dsa_sign`] with planted faults.
pub(crate) fn dsa_sign_with(
    jobs: &[(&PrivateKey, Hash, &[u8])],
    faults: &mut impl Faults<DsaStage>,
) -> Vec<Result<Signature, Error>> {
    check(jobs.iter().map(|job| job.0.public()));
    let to_sign = |&(key, hash, digest)| {
        refuse_sha1(hash)?;
        ToSign::new(key, hash, digest, &[])
    };
    sign(&jobs.iter().map(to_sign).collect::<Vec<_>>(), faults)
}

/// [`PublicKey::dsa_verify`] for each key, hash, digest and signature, at most [`LANES`] of one class; results in
/// order.
///
/// One after the other if the processor has no kernels for lanes, there are too few jobs, or a key has tables. A key
/// gets tables if enough jobs have clones of it.
///
/// # Errors
/// For each as [`PublicKey::dsa_verify`]: one that fails leaves the others alone.
///
/// # Panics
/// If there are more, or of several classes.
pub fn dsa_verify(jobs: &[(&PublicKey, Hash, &[u8], &Signature)]) -> Vec<Result<(), Error>> {
    check(jobs.iter().map(|job| job.0));
    for (key, ..) in jobs {
        let clones = jobs.iter().filter(|job| job.0.is_clone_of(key));
        key.expect_verifications(clones.count());
    }
    if !pays(jobs.iter().map(|job| job.0)) {
        let alone = |(key, hash, digest, signature): &(&PublicKey, Hash, &[u8], &Signature)| {
            key.dsa_verify(*hash, digest, signature)
        };
        return jobs.iter().map(alone).collect();
    }
    in_lanes(jobs)
}

/// Verifies in lanes.
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
    let p = ModulusLanes::new(&groups().map(|group| group.modulus()).collect::<Vec<_>>());
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
