//! Intel's crypto_mb: eight operations at once by AVX-512 IFMA, in the library that a user names by `--peer-lib`.
//!
//! Its powers are neither blinded nor checked. Signatures get their padding from the caller, who makes one for all, and their
//! nonces, which were made before: what races is less than a signature of the others.

use super::{
    Answer, Refusal, Rival,
    agreement::Exchange,
    loaded::Loaded,
    many::{Many, ManyAgreements, ManyRsa, ManySignatures},
    padded,
    signing::Signing,
};
use carrysave_schemes::{
    ec::AnyPrivateKey,
    hash::Hash,
    rsa::{emsa_pkcs1_v1_5_encode, emsa_pss_encode},
};
use libloading::Library;
use num_bigint::BigUint;
use rsa::{
    PrivateKey as RsaPrivateKey,
    pkcs8::DecodePrivateKey,
    traits::{PrivateKeyParts, PublicKeyParts},
};
use std::{
    array::from_fn,
    ffi::c_int,
    ptr::{null, null_mut},
};

pub(super) const RIVAL: Rival = Rival {
    many: Some(Many {
        rsa,
        agreement,
        signing,
    }),
    ..Rival::new("crypto_mb", version)
};

pub(super) static LIBRARY: Loaded = Loaded::none();

/// Operations at once.
const LANES: usize = 8;

/// What a function of the library returns: nothing but zeros where all lanes succeeded.
type Status = u32;
type Inputs<T> = *const *const T;
type Outputs<T> = *const *mut T;

/// Whether a library is crypto_mb, and whether this processor can run it.
pub(super) fn recognise(library: &Library) -> Option<Result<(), &'static str>> {
    type Applicable = unsafe extern "C" fn(u64) -> c_int;
    // SAFETY: the function is declared so in crypto_mb/cpu_features.h.
    let applicable = unsafe {
        let function = library.get::<Applicable>(b"mbx_is_crypto_mb_applicable\0");
        function.ok()?(0)
    };
    Some(match applicable {
        0 => Err("this processor lacks what it needs"),
        _ => Ok(()),
    })
}

fn version() -> String {
    /// The beginning of `mbxVersion`.
    #[repr(C)]
    struct Version([c_int; 3]);
    let function = LIBRARY.symbol::<unsafe extern "C" fn() -> *const Version>("mbx_getversion");
    function.map_or(String::new(), |function| {
        // SAFETY: it returns a pointer to a constant.
        let [major, minor, patch] = unsafe { (*function()).0 };
        format!("crypto_mb {major}.{minor}.{patch}")
    })
}

/// A pointer a lane; lanes beyond the last item take that.
fn inputs<I, T>(items: &[I], words: impl Fn(&I) -> *const T) -> [*const T; LANES] {
    from_fn(|lane| words(&items[lane.min(items.len() - 1)]))
}

/// A pointer to the words of each lane.
fn outputs<T>(lanes: &mut [Vec<T>; LANES]) -> [*mut T; LANES] {
    lanes.each_mut().map(|words| words.as_mut_ptr())
}

/// Results of so many operations, eight at a time: `group` fills as many octets for each lane, and says whether all went
/// well.
fn groups(
    count: usize,
    octets: usize,
    mut group: impl FnMut(usize, &[*mut u8; LANES]) -> Status,
) -> Vec<Vec<u8>> {
    let mut results = Vec::with_capacity(count);
    for first in (0..count).step_by(LANES) {
        let mut lanes: [Vec<u8>; LANES] = from_fn(|_| vec![0; octets]);
        let failed = group(first, &outputs(&mut lanes)) != 0;
        let lanes = lanes.into_iter().take(count - first);
        results.extend(lanes.map(|octets| if failed { vec![] } else { octets }));
    }
    results
}

/// Verdicts on so many signatures, eight at a time: `group` gives four bits a lane, zeros where all is right.
fn verdicts(count: usize, mut group: impl FnMut() -> Status) -> Vec<bool> {
    let mut verdicts = Vec::with_capacity(count);
    for first in (0..count).step_by(LANES) {
        let status = group();
        let lanes = (0..LANES).take(count - first);
        verdicts.extend(lanes.map(|lane| status >> (4 * lane) & 15 == 0));
    }
    verdicts
}

/// A number as words from the lowest on, as many as `bits` need.
fn words(number: &BigUint, bits: usize) -> Vec<u64> {
    let mut words = number.to_u64_digits();
    words.resize(bits.div_ceil(64), 0);
    words
}

/// What big-endian octets say, as words from the lowest on.
fn words_of(octets: &[u8]) -> Vec<u64> {
    words(&BigUint::from_bytes_be(octets), 8 * octets.len())
}

fn rsa(pkcs8: &[u8]) -> Answer<ManyRsa> {
    type Method = unsafe extern "C" fn(c_int) -> *const u8;
    type Size = unsafe extern "C" fn(*const u8) -> c_int;
    type Private = unsafe extern "C" fn(
        Inputs<u8>,
        Outputs<u8>,
        Inputs<u64>,
        Inputs<u64>,
        Inputs<u64>,
        Inputs<u64>,
        Inputs<u64>,
        c_int,
        *const u8,
        *mut u8,
    ) -> Status;
    type Public = unsafe extern "C" fn(
        Inputs<u8>,
        Outputs<u8>,
        Inputs<u64>,
        c_int,
        *const u8,
        *mut u8,
    ) -> Status;

    let private = LIBRARY.symbol::<Private>("mbx_rsa_private_crt_mb8")?;
    let public = LIBRARY.symbol::<Public>("mbx_rsa_public_mb8")?;
    let room = LIBRARY.symbol::<Size>("mbx_RSA_Method_BufSize")?;
    let key = RsaPrivateKey::from_pkcs8_der(pkcs8).map_err(Refusal::failed)?;
    let octets = key.size();
    let bits = 8 * octets;
    // A method for this size, as an address, and the room that it works in.
    let method = |name| {
        let method = LIBRARY.symbol::<Method>(name)?;
        // SAFETY: it takes the bits of a modulus, and returns null for those that it has no method for.
        let method = unsafe { method(bits as c_int) };
        match method.is_null() {
            true => Err(Refusal::NotOffered),
            // SAFETY: it takes a method.
            false => Ok((method as usize, vec![0; unsafe { room(method) } as usize])),
        }
    };
    let (by_crt, mut private_room) = method("mbx_RSA_private_crt_Method")?;
    let (by_65537, mut public_room) = method("mbx_RSA_pub65537_Method")?;

    let number = |n: &rsa::BoxedUint| BigUint::from_bytes_be(&n.to_be_bytes());
    let [p, q] = [0, 1].map(|i| number(&key.primes()[i]));
    let (n, d) = (number(key.n()), number(key.d()));
    let exponents = [&p, &q].map(|prime| &d % (prime - 1u32));
    let inverse = q.modinv(&p).expect("primes differ");
    let [dp, dq] = exponents;
    let parts = [p, q, dp, dq, inverse].map(|part| words(&part, bits / 2));
    let modulus = words(&n, bits);
    Ok(ManyRsa {
        sign_pss: Box::new(move |message, count| {
            let digest = Hash::Sha256.digest(message);
            let encoded = emsa_pss_encode(Hash::Sha256, Hash::Sha256, &digest, bits - 1, &[7; 32])
                .expect("every benchmark key is long enough for PSS");
            let from = [encoded.as_ptr(); LANES];
            let parts = parts.each_ref().map(|part| [part.as_ptr(); LANES]);
            groups(count, octets, |_, to| {
                let [p, q, dp, dq, inverse] = parts.each_ref().map(|lanes| lanes.as_ptr());
                let (from, to, room) = (from.as_ptr(), to.as_ptr(), private_room.as_mut_ptr());
                // SAFETY: as the header declares it; all numbers are as long as the modulus or its half.
                unsafe {
                    private(
                        from,
                        to,
                        p,
                        q,
                        dp,
                        dq,
                        inverse,
                        bits as c_int,
                        by_crt as *const u8,
                        room,
                    )
                }
            })
        }),
        verify_pkcs1v15: Box::new(move |message, signature, count| {
            let digest = Hash::Sha256.digest(message);
            let encoded = emsa_pkcs1_v1_5_encode(Hash::Sha256, &digest, octets)
                .expect("every benchmark key is long enough for SHA-256");
            let (from, n) = ([signature.as_ptr(); LANES], [modulus.as_ptr(); LANES]);
            let powers = groups(count, octets, |_, to| {
                let (from, n, room) = (from.as_ptr(), n.as_ptr(), public_room.as_mut_ptr());
                let method = by_65537 as *const u8;
                // SAFETY: as the header declares it; all numbers are as long as the modulus.
                unsafe { public(from, to.as_ptr(), n, bits as c_int, method, room) }
            });
            powers.iter().map(|power| *power == encoded).collect()
        }),
    })
}

/// The name of a function on a NIST curve.
fn on_curve(exchange: Exchange, what: &str) -> Answer<String> {
    match exchange {
        Exchange::P256 | Exchange::P384 | Exchange::P521 => {
            Ok(format!("mbx_nistp{}_{what}_mb8", exchange.bits()))
        }
        Exchange::X25519 | Exchange::X448 | Exchange::Secp256k1 => Err(Refusal::NotOffered),
    }
}

/// The coordinates of a point as SEC 1 has it.
fn coordinates(point: &[u8]) -> [Vec<u64>; 2] {
    let (x, y) = point[1..].split_at(point.len() / 2);
    [words_of(x), words_of(y)]
}

fn agreement(exchange: Exchange, private: &[u8]) -> Answer<ManyAgreements> {
    if exchange == Exchange::X25519 {
        return x25519(private);
    }
    type PublicKey = unsafe extern "C" fn(
        Outputs<u64>,
        Outputs<u64>,
        Outputs<u64>,
        Inputs<u64>,
        *mut u8,
    ) -> Status;
    type Ecdh = unsafe extern "C" fn(
        Outputs<u8>,
        Inputs<u64>,
        Inputs<u64>,
        Inputs<u64>,
        Inputs<u64>,
        *mut u8,
    ) -> Status;
    let public = LIBRARY.symbol::<PublicKey>(&on_curve(exchange, "ecpublic_key")?)?;
    let ecdh = LIBRARY.symbol::<Ecdh>(&on_curve(exchange, "ecdh")?)?;
    let octets = exchange.bits().div_ceil(8);
    let own = words_of(private);
    let key = own.clone();
    Ok(ManyAgreements {
        public: Box::new(move |count| {
            let key = [key.as_ptr(); LANES];
            let mut points = Vec::with_capacity(count);
            for first in (0..count).step_by(LANES) {
                let mut x: [Vec<u64>; LANES] = from_fn(|_| vec![0; octets.div_ceil(8)]);
                let mut y = x.clone();
                // SAFETY: as the header declares it, without a place for z.
                let status = unsafe {
                    let (x, y) = (outputs(&mut x), outputs(&mut y));
                    public(x.as_ptr(), y.as_ptr(), null(), key.as_ptr(), null_mut())
                };
                for (x, y) in x.iter().zip(&y).take(count - first) {
                    let coordinate = |words: &[u64]| {
                        let words = words.iter().rev().flat_map(|word| word.to_be_bytes());
                        let octets_of_words = 8 * octets.div_ceil(8);
                        words.skip(octets_of_words - octets).collect::<Vec<u8>>()
                    };
                    let point = [vec![4], coordinate(x), coordinate(y)].concat();
                    points.push(if status == 0 { point } else { vec![] });
                }
            }
            points
        }),
        agree: Box::new(move |peers| {
            let own = [own.as_ptr(); LANES];
            let points: Vec<_> = peers.iter().map(|peer| coordinates(peer)).collect();
            groups(peers.len(), octets, |first, to| {
                let x = inputs(&points[first..], |[x, _]| x.as_ptr());
                let y = inputs(&points[first..], |[_, y]| y.as_ptr());
                // SAFETY: as the header declares it; a point without z is affine.
                unsafe {
                    ecdh(
                        to.as_ptr(),
                        own.as_ptr(),
                        x.as_ptr(),
                        y.as_ptr(),
                        null(),
                        null_mut(),
                    )
                }
            })
        }),
    })
}

fn x25519(private: &[u8]) -> Answer<ManyAgreements> {
    type PublicKey = unsafe extern "C" fn(Outputs<u8>, Inputs<u8>) -> Status;
    type Shared = unsafe extern "C" fn(Outputs<u8>, Inputs<u8>, Inputs<u8>) -> Status;
    let public = LIBRARY.symbol::<PublicKey>("mbx_x25519_public_key_mb8")?;
    let shared = LIBRARY.symbol::<Shared>("mbx_x25519_mb8")?;
    let (own, key) = (private.to_vec(), private.to_vec());
    Ok(ManyAgreements {
        public: Box::new(move |count| {
            let key = [key.as_ptr(); LANES];
            // SAFETY: as the header declares it; 32 octets each.
            groups(count, 32, |_, to| unsafe {
                public(to.as_ptr(), key.as_ptr())
            })
        }),
        agree: Box::new(move |peers| {
            let own = [own.as_ptr(); LANES];
            groups(peers.len(), 32, |first, to| {
                let peers = inputs(&peers[first..], |peer| peer.as_ptr());
                // SAFETY: as the header declares it; 32 octets each.
                unsafe { shared(to.as_ptr(), own.as_ptr(), peers.as_ptr()) }
            })
        }),
    })
}

fn signing(signing: Signing, pkcs8: &[u8]) -> Answer<ManySignatures> {
    let key = AnyPrivateKey::from_pkcs8_der(pkcs8).map_err(Refusal::failed)?;
    match signing {
        Signing::Ed25519 => ed25519(&key),
        _ => ecdsa(signing, &key),
    }
}

fn ecdsa(signing: Signing, key: &AnyPrivateKey) -> Answer<ManySignatures> {
    type Sign = unsafe extern "C" fn(
        Outputs<u8>,
        Outputs<u8>,
        Inputs<u8>,
        Inputs<u64>,
        Inputs<u64>,
        *mut u8,
    ) -> Status;
    type Verify = unsafe extern "C" fn(
        Inputs<u8>,
        Inputs<u8>,
        Inputs<u8>,
        Inputs<u64>,
        Inputs<u64>,
        Inputs<u64>,
        *mut u8,
    ) -> Status;
    let exchange = signing.exchange();
    let sign = LIBRARY.symbol::<Sign>(&on_curve(exchange, "ecdsa_sign")?)?;
    let verify = LIBRARY.symbol::<Verify>(&on_curve(exchange, "ecdsa_verify")?)?;
    let octets = exchange.bits().div_ceil(8);
    let hash = key.algorithm().hash();
    // As many octets as the order has.
    let digest = move |message: &[u8]| padded(&hash.digest(message), octets);
    let public = key.public();
    let [x, y] = coordinates(&public.to_octets());
    let own = words_of(&padded(&key.to_octets(), octets));
    // Below the order of every curve.
    let nonces: [Vec<u64>; LANES] = from_fn(|_| {
        let mut nonce = vec![0; octets];
        getrandom::fill(&mut nonce[1..]).expect("the system has random numbers");
        words_of(&nonce)
    });
    let reader = public.clone();
    Ok(ManySignatures {
        sign: Box::new(move |message, count| {
            let own = [own.as_ptr(); LANES];
            let nonces = nonces.each_ref().map(|nonce| nonce.as_ptr());
            let signatures = groups(count, 2 * octets, |_, to| {
                // Each hashes its own message, as all do.
                let digests: [Vec<u8>; LANES] = from_fn(|_| digest(message));
                let digests = digests.each_ref().map(|digest| digest.as_ptr());
                // SAFETY: as the header declares it; s is behind r.
                unsafe {
                    let s = to.map(|r| r.add(octets));
                    sign(
                        to.as_ptr(),
                        s.as_ptr(),
                        digests.as_ptr(),
                        nonces.as_ptr(),
                        own.as_ptr(),
                        null_mut(),
                    )
                }
            });
            let der = |it: &Vec<u8>| public.signature_to_der(it).unwrap_or_default();
            signatures.iter().map(der).collect()
        }),
        verify: Box::new(move |message, signature, count| {
            let (x, y) = ([x.as_ptr(); LANES], [y.as_ptr(); LANES]);
            verdicts(count, || {
                let lanes: [_; LANES] = from_fn(|_| {
                    let signature = reader.signature_from_der(signature).unwrap_or_default();
                    (padded(&signature, 2 * octets), digest(message))
                });
                let r = lanes.each_ref().map(|(signature, _)| signature.as_ptr());
                let digests = lanes.each_ref().map(|(_, digest)| digest.as_ptr());
                // SAFETY: as the header declares it; s is behind r, and a point without z is affine.
                unsafe {
                    let s = r.map(|r| r.add(octets));
                    verify(
                        r.as_ptr(),
                        s.as_ptr(),
                        digests.as_ptr(),
                        x.as_ptr(),
                        y.as_ptr(),
                        null(),
                        null_mut(),
                    )
                }
            })
        }),
    })
}

fn ed25519(key: &AnyPrivateKey) -> Answer<ManySignatures> {
    type Sign = unsafe extern "C" fn(
        Outputs<u8>,
        Outputs<u8>,
        Inputs<u8>,
        *const u32,
        Inputs<u8>,
        Inputs<u8>,
    ) -> Status;
    type Verify =
        unsafe extern "C" fn(Inputs<u8>, Inputs<u8>, Inputs<u8>, *const u32, Inputs<u8>) -> Status;
    let sign = LIBRARY.symbol::<Sign>("mbx_ed25519_sign_mb8")?;
    let verify = LIBRARY.symbol::<Verify>("mbx_ed25519_verify_mb8")?;
    let (own, public) = (key.to_octets().to_vec(), key.public().to_octets());
    let reader = public.clone();
    Ok(ManySignatures {
        sign: Box::new(move |message, count| {
            let (own, public) = ([own.as_ptr(); LANES], [public.as_ptr(); LANES]);
            let (messages, lengths) = ([message.as_ptr(); LANES], [message.len() as u32; LANES]);
            groups(count, 64, |_, to| {
                // SAFETY: as the header declares it; s is behind r, 32 octets each.
                unsafe {
                    let s = to.map(|r| r.add(32));
                    sign(
                        to.as_ptr(),
                        s.as_ptr(),
                        messages.as_ptr(),
                        lengths.as_ptr(),
                        own.as_ptr(),
                        public.as_ptr(),
                    )
                }
            })
        }),
        verify: Box::new(move |message, signature, count| {
            let public = [reader.as_ptr(); LANES];
            let (messages, lengths) = ([message.as_ptr(); LANES], [message.len() as u32; LANES]);
            let (r, s) = (
                [signature.as_ptr(); LANES],
                [signature[32..].as_ptr(); LANES],
            );
            verdicts(count, || {
                // SAFETY: as the header declares it; 32 octets each.
                unsafe {
                    verify(
                        r.as_ptr(),
                        s.as_ptr(),
                        messages.as_ptr(),
                        lengths.as_ptr(),
                        public.as_ptr(),
                    )
                }
            })
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_without_an_item_take_the_last_and_are_left_out() {
        let words = [3u8, 5, 7];
        let lanes = inputs(&words, |word| word);
        assert_eq!(lanes[2], lanes[7]);
        let results = groups(11, 2, |first, to| {
            // SAFETY: two octets each.
            to.iter()
                .for_each(|lane| unsafe { lane.write(first as u8) });
            0
        });
        assert_eq!(results.len(), 11);
        assert_eq!((&results[7], &results[8]), (&vec![0, 0], &vec![8, 0]));
        assert!(groups(1, 2, |_, _| 1)[0].is_empty());
    }

    #[test]
    fn numbers_are_words_from_the_lowest_on() {
        assert_eq!(words_of(&[1, 0, 0, 0, 0, 0, 0, 0, 2]), [2, 1]);
        assert_eq!(words(&BigUint::from(7u32), 128), [7, 0]);
        let point = [&[4][..], &[0, 9], &[1, 0]].concat();
        assert_eq!(coordinates(&point), [vec![9], vec![256]]);
    }
}
