//! The elliptic rows: ECDSA, ECNR, ECIES and ECMQV on P-256 and P-384. Our multiples of the base point come from a table that is
//! made on first use; a rival makes its own in the rows `-with-precomputation`, where ours is raced once more.

use super::{MESSAGE, Operation, broken, digest, encryption, rng, signature};
use crate::{Bench, Error};
use carrysave_schemes::ec::{self, Named, P256, P384, PrivateKey, ecdsa::Signature};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::legacy::{ies, mqv, nr};

/// Curves, by their length, and their object identifiers as DER.
pub(super) fn races(bench: &mut Bench<'_>, bits: usize) -> Result<(), Error> {
    for end in ["", "-with-precomputation"] {
        match bits {
            256 => on::<P256>(
                bench,
                bits,
                b"\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07",
                end,
            ),
            _ => on::<P384>(bench, bits, b"\x06\x05\x2b\x81\x04\x00\x22", end),
        }?;
    }
    Ok(())
}

fn on<C: Named>(bench: &mut Bench<'_>, bits: usize, domain: &[u8], end: &str) -> Result<(), Error> {
    let [key, short, peer, peer_short] =
        [(); 4].map(|()| PrivateKey::<C>::generate_with(&mut rng()));
    let (public, hash, der) = (key.public(), Hash::Sha256, key.to_pkcs8_der());
    let name = |operation: &str| format!("{operation}{end}");
    signature(
        bench,
        [&name("ecdsa/signature"), &name("ecdsa/verification")],
        bits,
        &der,
        &[("carrysave", &|| {
            Ok(key.ecdsa_sign(hash, &digest())?.to_be_bytes())
        })],
        |s| public.ecdsa_verify(hash, &digest(), &Signature::from_be_bytes(s)?),
    )?;
    signature(
        bench,
        [&name("ecnr/signature"), &name("ecnr/verification")],
        bits,
        &der,
        &[("carrysave", &|| {
            Ok(nr::ecnr_sign(&key, hash, &digest())?.to_be_bytes())
        })],
        |s| nr::ecnr_verify(public, hash, &digest(), &Signature::from_be_bytes(s)?),
    )?;
    encryption(
        bench,
        [&name("ecies/encryption"), &name("ecies/decryption")],
        bits,
        &der,
        || ies::ecies_encrypt(public, &mut rng(), hash, b"", MESSAGE),
        |c| ies::ecies_decrypt(&key, hash, b"", c),
    )?;
    let pair = |key: &PrivateKey<C>| [key.to_be_bytes().to_vec(), key.public().to_sec1()];
    let is_pair = |octets: &[u8]| {
        let (d, q) = octets.split_at_checked(bits / 8).unwrap_or_default();
        PrivateKey::<C>::from_be_bytes(d).is_ok_and(|key| key.public().to_sec1() == q)
    };
    Operation {
        name: &name("ecmqv/key-pair-generation"),
        bits,
        octets: &[domain],
        right: &is_pair,
    }
    .race(
        bench,
        || Ok::<_, ec::Error>(PrivateKey::<C>::generate_with(&mut rng())),
        |_| true,
    );
    let theirs = mqv::mqv_agree([&peer, &peer_short], [key.public(), short.public()]);
    let theirs = theirs.map_err(broken)?;
    let ([a, _], [x, public_x]) = (pair(&key), pair(&short));
    Operation {
        name: &name("ecmqv/key-agreement"),
        bits,
        octets: &[
            domain,
            &a,
            &x,
            &public_x,
            &peer.public().to_sec1(),
            &peer_short.public().to_sec1(),
        ],
        right: &|z| z == &theirs[..],
    }
    .race(
        bench,
        || mqv::mqv_agree([&key, &short], [peer.public(), peer_short.public()]),
        |z| *z == theirs,
    );
    Ok(())
}
