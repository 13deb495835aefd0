//! Many operations at once, by the engine's batch and in lanes, from the octets that others are given.

use crate::rivals::{agreement::Exchange, signing::Signing};
use carrysave_engine::{AnyTask, Batch};
use carrysave_schemes::ec::ed25519::task::{SignEd25519, VerifyEd25519, WithoutCofactor};
use carrysave_schemes::ec::task::{EcdhAgree, SignEcdsa, VerifyEcdsa, X25519Agree};
use carrysave_schemes::ec::{
    Algorithm, AnyPrivateKey, Ed25519PrivateKey, Named, P256, P384, P521, PrivateKey, PublicKey,
    Secp256k1, X25519PrivateKey, X25519PublicKey,
};
use carrysave_schemes::hash::Hash;
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::sync::Arc;

/// What is done at once, and gives octets for each.
pub(super) type All = Box<dyn FnMut() -> Vec<Vec<u8>>>;

/// The octets that tasks give.
fn run<T, O>(tasks: Vec<T>, of: fn(O) -> Vec<u8>) -> All
where
    T: AnyTask<Output = O> + 'static,
    O: 'static,
{
    let batch = Batch::new(1);
    Box::new(move || octets(&batch, &tasks, of))
}

/// What a batch gives for tasks, in octets; nothing for one that fails.
fn octets<T, O>(batch: &Batch, tasks: &[T], of: fn(O) -> Vec<u8>) -> Vec<Vec<u8>>
where
    T: AnyTask<Output = O>,
{
    let results = batch.run_with(|| UnwrapErr(SysRng), tasks).into_iter();
    results.map(|it| it.map_or(vec![], of)).collect()
}

/// The algorithm of a scheme of signatures.
pub(super) fn algorithm(signing: Signing) -> Algorithm {
    match signing {
        Signing::Ed25519 => Algorithm::Ed25519,
        Signing::Ed448 => Algorithm::Ed448,
        Signing::P256 => Algorithm::P256,
        Signing::P384 => Algorithm::P384,
        Signing::P521 => Algorithm::P521,
        Signing::Secp256k1 => Algorithm::Secp256k1,
    }
}

/// The secrets shared with these peers.
pub(super) fn agree(exchange: Exchange, private: &[u8], peers: &[Vec<u8>]) -> All {
    match exchange {
        Exchange::X25519 => {
            let key = X25519PrivateKey::from_bytes(private.try_into().expect("32 octets"));
            let task = |peer: &Vec<u8>| X25519Agree {
                key: key.clone(),
                public: X25519PublicKey(peer[..].try_into().expect("32 octets")),
            };
            run(peers.iter().map(task).collect(), |secret| secret.to_vec())
        }
        Exchange::X448 => unreachable!("it has no lanes"),
        Exchange::P256 => ecdh::<P256>(private, peers),
        Exchange::P384 => ecdh::<P384>(private, peers),
        Exchange::P521 => ecdh::<P521>(private, peers),
        Exchange::Secp256k1 => ecdh::<Secp256k1>(private, peers),
    }
}

fn ecdh<C: Named>(private: &[u8], peers: &[Vec<u8>]) -> All {
    let key = PrivateKey::<C>::from_be_bytes(private).expect("it is below the order");
    let (batch, peers) = (Batch::new(1), peers.to_vec());
    // The keys of others are read and checked each time.
    Box::new(move || {
        let task = |peer: &Vec<u8>| EcdhAgree {
            key: key.clone(),
            public: PublicKey::from_sec1(peer).expect("it is a point"),
        };
        let tasks: Vec<_> = peers.iter().map(task).collect();
        octets(&batch, &tasks, |secret| secret.to_vec())
    })
}

/// New private keys, and their public ones.
pub(super) fn generate(exchange: Exchange, count: usize) -> Vec<[Vec<u8>; 2]> {
    match exchange {
        Exchange::X25519 => {
            let keys: Vec<_> = (0..count).map(|_| X25519PrivateKey::generate()).collect();
            let public = X25519PrivateKey::public_keys(&keys);
            let pairs = keys.iter().zip(public);
            pairs
                .map(|(key, public)| [key.as_bytes().to_vec(), public.0.to_vec()])
                .collect()
        }
        Exchange::X448 => unreachable!("it has no lanes"),
        Exchange::P256 => generate_on::<P256>(count),
        Exchange::P384 => generate_on::<P384>(count),
        Exchange::P521 => generate_on::<P521>(count),
        Exchange::Secp256k1 => generate_on::<Secp256k1>(count),
    }
}

fn generate_on<C: Named>(count: usize) -> Vec<[Vec<u8>; 2]> {
    let keys = PrivateKey::<C>::generate_many_with(&mut UnwrapErr(SysRng), count);
    let pair = |key: &PrivateKey<C>| [key.to_be_bytes().to_vec(), key.public().to_sec1()];
    keys.iter().map(pair).collect()
}

/// Signatures of a message by so many.
pub(super) fn sign(
    key: &Arc<AnyPrivateKey>,
    hash: Hash,
    message: &'static [u8],
    count: usize,
) -> All {
    if key.algorithm() == Algorithm::Ed25519 {
        let task = SignEd25519 {
            key: ed25519(key),
            message: message.to_vec(),
        };
        return run(vec![task; count], |signature| signature.0.to_vec());
    }
    let (batch, key) = (Batch::new(1), key.clone());
    // The hash of the message is part of each signature.
    Box::new(move || {
        let task = || SignEcdsa {
            key: key.clone(),
            hash,
            digest: hash.digest(message),
        };
        let tasks: Vec<_> = (0..count).map(|_| task()).collect();
        octets(&batch, &tasks, |signature| signature)
    })
}

/// Verdicts on a signature, so many times: an octet, 1 if it is right.
pub(super) fn verify(
    key: &AnyPrivateKey,
    hash: Hash,
    message: &'static [u8],
    signature: Vec<u8>,
    count: usize,
) -> All {
    if key.algorithm() == Algorithm::Ed25519 {
        let task = VerifyEd25519 {
            key: WithoutCofactor(*ed25519(key).public()),
            message: message.to_vec(),
            signature: signature[..].try_into().expect("64 octets"),
        };
        return run(vec![task; count], |()| vec![1]);
    }
    let (batch, key) = (Batch::new(1), key.public());
    Box::new(move || {
        let task = || VerifyEcdsa {
            key: key.clone(),
            hash,
            digest: hash.digest(message),
            signature: signature.clone(),
        };
        let tasks: Vec<_> = (0..count).map(|_| task()).collect();
        octets(&batch, &tasks, |()| vec![1])
    })
}

fn ed25519(key: &AnyPrivateKey) -> Ed25519PrivateKey {
    Ed25519PrivateKey::from_bytes(key.to_octets()[..].try_into().expect("32 octets"))
}
