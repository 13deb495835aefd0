//! Signatures and verifications of many digests with keys of one curve: products of points in vector lanes, and one
//! inversion for all.

use super::{
    EcdsaStage, Error, Named, PrivateKey, PublicKey, Signature, check_digest, derivations,
    modulo_order, next_nonces, number, refuse_sha1, replace_in,
};
use crate::STACK;
use crate::chain::has_lanes;
use crate::fault::{Faults, NoFaults, planted_copy};
use crate::hash::Hash;
use carrysave_arith::curve::{Affine, BaseTable, Point};
use carrysave_arith::field::{Fe, Field, invert_batch};
use carrysave_arith::{Cpu, off_stack, publish};
use core::array;
use core::hint::black_box;
use zeroize::{Zeroize, Zeroizing};

/// [`PrivateKey::ecdsa_sign`] of each, in order.
pub(crate) fn sign<C: Named>(
    jobs: &[(&PrivateKey<C>, Hash, &[u8])],
) -> Vec<Result<Signature<C>, Error>> {
    let least = C::lanes_from(Cpu::native()).unwrap_or(usize::MAX);
    if jobs.len() < least {
        let each = jobs.iter();
        return each
            .map(|&(key, hash, digest)| key.ecdsa_sign(hash, digest))
            .collect();
    }
    sign_with(jobs, &mut NoFaults)
}

/// [`sign`] with planted faults, also where one after the other is faster. Faults find a digest by its index among those that
/// are not refused.
pub(crate) fn sign_with<C: Named>(
    jobs: &[(&PrivateKey<C>, Hash, &[u8])],
    faults: &mut impl Faults<EcdsaStage>,
) -> Vec<Result<Signature<C>, Error>> {
    let refused = |&(_, hash, digest): &(&PrivateKey<C>, Hash, &[u8])| {
        refuse_sha1(hash)
            .and_then(|()| check_digest(hash, digest))
            .err()
    };
    let refused: Vec<Option<Error>> = jobs.iter().map(refused).collect();
    let good = jobs.iter().zip(&refused);
    let good: Vec<_> = good
        .filter_map(|(job, refused)| refused.is_none().then_some(*job))
        .collect();
    let mut made = off_stack::<STACK, _>(|| sign_good(&good, faults)).into_iter();
    let result = |refused: Option<Error>| match refused {
        Some(error) => Err(error),
        None => made.next().expect("one each"),
    };
    refused.into_iter().map(result).collect()
}

/// The signatures of digests that are as long as their hashes say.
///
/// Each is released only if it matches its nonce, as one alone: see [`PrivateKey::sign`].
fn sign_good<C: Named>(
    jobs: &[(&PrivateKey<C>, Hash, &[u8])],
    faults: &mut impl Faults<EcdsaStage>,
) -> Vec<Result<Signature<C>, Error>> {
    let [mut nonces, mut again] = nonces(jobs);
    replace_each(faults, EcdsaStage::Nonce, &mut nonces);
    replace_each(faults, EcdsaStage::Again, &mut again);
    let planted = planted_copy(faults, &nonces, |faults, i, number| {
        *number = replace_in(faults, i, EcdsaStage::Multiple, *number);
    });
    let (products, counts) = C::base_products(C::base(), planted.as_ref().unwrap_or(&nonces));
    let products = Zeroizing::new(products);
    let mut inverses = nonces.clone();
    invert_batch(&mut inverses);
    replace_each(faults, EcdsaStage::Inverse, &mut inverses);
    let mut affine = Point::to_affine_batch(&products);
    let mut signatures = Vec::with_capacity(jobs.len());
    for (i, (&(key, hash, digest), point)) in jobs.iter().zip(&mut affine).enumerate() {
        let same = publish((counts[i] == BaseTable::<C>::count(&again[i])).into());
        let signature = point
            .as_mut()
            .ok_or(Error::Fault)
            .and_then(|(x, y): &mut Affine<C>| {
                *x = replace_in(faults, i, EcdsaStage::Point, *x);
                *y = replace_in(faults, i, EcdsaStage::Y, *y);
                let on_curve = Point::<C>::from_affine(*x, *y).is_some();
                let [of_point, same_r] = [&*x, black_box(&*x)].map(|x| modulo_order::<C>(x).fe);
                x.zeroize();
                y.zeroize();
                let mut plant = |stage, value| replace_in(faults, i, stage, value);
                let replaced = plant(EcdsaStage::X, of_point);
                let r = plant(EcdsaStage::R, replaced);
                let z = plant(EcdsaStage::Digest, number::<C>(digest));
                let d = Zeroizing::new(plant(EcdsaStage::Key, **key.d));
                let sum = Zeroizing::new(plant(EcdsaStage::Sum, z + r * *d));
                let s = plant(EcdsaStage::S, inverses[i] * *sum).publish();
                let right = Zeroizing::new(number::<C>(digest) + same_r * **key.d);
                let fits = publish((s * again[i]).equals(&right)) & r.equals(&same_r);
                match (on_curve && same & fits == 1, Signature::new(r, s)) {
                    (true, Some(signature)) => Ok(signature),
                    // A zero, for which another nonce is due.
                    (true, None) => key.ecdsa_sign(hash, digest),
                    _ => Err(Error::Fault),
                }
            });
        signatures.push(signature);
    }
    signatures
}

/// Replaces numbers of all signatures by those that are planted at a stage.
fn replace_each<F: Field>(
    faults: &mut impl Faults<EcdsaStage>,
    stage: EcdsaStage,
    numbers: &mut [Fe<F>],
) {
    for (i, number) in numbers.iter_mut().enumerate() {
        *number = replace_in(faults, i, stage, *number);
    }
}

/// How many digests share the derivation of their nonces, each twice.
const SIDE_BY_SIDE: usize = 8;

/// The nonce of each digest, derived twice: those of one hash side by side, if it has lanes. All are derived before the first
/// is derived again, so that no instruction does both.
fn nonces<C: Named>(jobs: &[(&PrivateKey<C>, Hash, &[u8])]) -> [Zeroizing<Vec<Fe<C::Scalar>>>; 2] {
    let mut nonces = [(); 2].map(|()| Zeroizing::new(Vec::with_capacity(jobs.len())));
    for group in jobs.chunks(SIDE_BY_SIDE) {
        let [one, other] = &mut nonces;
        let mut push = |pair: [&Zeroizing<Fe<C::Scalar>>; 2]| {
            one.push(**pair[0]);
            other.push(**pair[1]);
        };
        let hash = group[0].1;
        let alike = group.iter().all(|job| job.1 == hash);
        if group.len() == SIDE_BY_SIDE && alike && has_lanes(hash) {
            let twice: [_; 2 * SIDE_BY_SIDE] = array::from_fn(|i| {
                let (key, _, digest) = group[i % SIDE_BY_SIDE];
                (key, digest)
            });
            let made = next_nonces::<C, _>(&mut derivations(twice, hash, &[]));
            let (made, again) = made.split_at(SIDE_BY_SIDE);
            made.iter()
                .zip(again)
                .for_each(|(one, other)| push([one, other]));
        } else {
            for &(key, hash, digest) in group {
                push(next_nonces::<C, 2>(&mut key.nonces(hash, digest, &[])).each_ref());
            }
        }
    }
    nonces
}

/// A signature that is to be verified, or why it is none.
type ToVerify<'a, C> = Result<(&'a PublicKey<C>, Hash, &'a [u8], Signature<C>), Error>;

/// [`PublicKey::ecdsa_verify`] of each, in order.
pub(crate) fn verify<C: Named>(jobs: &[ToVerify<'_, C>]) -> Vec<Result<(), Error>> {
    let check = |job: &ToVerify<'_, C>| match job {
        Ok((_, hash, digest, _)) => check_digest(*hash, digest),
        Err(error) => Err(error.clone()),
    };
    let checked: Vec<Result<(), Error>> = jobs.iter().map(check).collect();
    let good = jobs.iter().zip(&checked);
    let good = good.filter_map(|(job, checked)| job.as_ref().ok().filter(|_| checked.is_ok()));
    let good: Vec<_> = good.collect();
    let mut inverses: Vec<Fe<C::Scalar>> = good.iter().map(|(.., it)| *it.s()).collect();
    invert_batch(&mut inverses);
    let each = good.iter().zip(&inverses);
    let numbers = each.map(|((_, _, digest, it), w)| (number::<C>(digest) * *w, *it.r() * *w));
    let (u, v): (Vec<_>, Vec<_>) = numbers.unzip();
    let points: Vec<Point<C>> = good.iter().map(|(key, ..)| key.0).collect();
    let sums = C::sums_vartime(C::base(), &u, &points, &v);
    let mut verdicts = good
        .iter()
        .zip(sums)
        .map(|((.., it), sum)| sum.x_is_vartime(it.r()));
    let verdict = |checked: Result<(), Error>| {
        checked.and_then(|()| match verdicts.next() {
            Some(true) => Ok(()),
            _ => Err(Error::Verification),
        })
    };
    checked.into_iter().map(verdict).collect()
}
