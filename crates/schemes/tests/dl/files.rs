//! Keys and parameters in files, and every defect of such files.

use crate::published::{RFC6979_1024, RFC6979_2048};
use crate::support::*;
use carrysave_arith::Nat;
use carrysave_schemes::dl::{Form, Group, KeyError, Named, PrivateKey, PublicKey};
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Encode, Tag};
use pkcs8::PrivateKeyInfoRef;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

const FORMS: [Form; 3] = [Form::Dsa, Form::X942, Form::Pkcs3];

#[test]
fn every_form_goes_both_ways() {
    let safe = PrivateKey::generate_with(&Named::Modp2048.group(), &mut rng());
    for key in [key(&RFC6979_1024), key(&RFC6979_2048), safe] {
        let (public, group) = (key.public(), key.group());
        for form in FORMS {
            if form == Form::Pkcs3 && group.named().is_none() {
                let error = key.to_pkcs8_der(form).unwrap_err();
                assert!(error.to_string().contains("X9.42"), "{error}");
                assert!(public.to_spki_pem(form).is_err() && group.to_pem(form).is_err());
                continue;
            }
            let pem = group.to_pem(form).unwrap();
            assert_eq!(Group::from_pem(form, &pem).as_ref(), Ok(group));
            let pem = public.to_spki_pem(form).unwrap();
            assert_eq!(PublicKey::from_spki_pem(&pem), Ok((form, public.clone())));
            let pem = key.to_pkcs8_pem(form).unwrap();
            let (found, again) = PrivateKey::from_pkcs8_pem(&pem).unwrap();
            assert_eq!((found, again.public()), (form, public));
            assert!(again.x() == key.x());
            // Each is one thing only.
            is_a_sentence(&PublicKey::from_spki_pem(&pem).unwrap_err());
            for other in FORMS {
                is_a_sentence(&Group::from_pem(other, &pem).unwrap_err());
            }
        }
    }
}

#[test]
fn encrypted_keys_need_their_password() {
    for (key, form) in [
        (key(&RFC6979_1024), Form::Dsa),
        (
            PrivateKey::generate_with(&Named::Modp2048.group(), &mut rng()),
            Form::Pkcs3,
        ),
    ] {
        let der = key
            .to_pkcs8_encrypted_der(form, b"a password", &mut rng())
            .unwrap();
        let (found, again) = PrivateKey::from_pkcs8_encrypted_der(&der, b"a password").unwrap();
        assert!(found == form && again.x() == key.x() && again.public() == key.public());
        let refused = |der: &[u8], password: &[u8]| {
            let error = PrivateKey::from_pkcs8_encrypted_der(der, password).unwrap_err();
            is_a_sentence(&error);
            error
        };
        for wrong in [&b""[..], b"A password", b"a password "] {
            assert_eq!(refused(&der, wrong), KeyError::Password);
        }
        // The last block has the padding.
        let mut damaged = der.to_vec();
        *damaged.last_mut().unwrap() ^= 1;
        let error = refused(&damaged, b"a password");
        assert!(
            matches!(error, KeyError::Password | KeyError::Format { .. }),
            "{error}"
        );
        let plain = key.to_pkcs8_der(form).unwrap();
        for other in [&der[1..], &der[..der.len() - 1], &plain, &[]] {
            let error = refused(other, b"a password");
            assert!(matches!(error, KeyError::Format { .. }), "{error}");
        }
        let pem = key.to_pkcs8_encrypted_pem(form, b"", &mut rng()).unwrap();
        assert!(PrivateKey::from_pkcs8_encrypted_pem(&pem, b"").is_ok());
        assert!(matches!(
            PrivateKey::from_pkcs8_pem(&pem),
            Err(KeyError::Format { .. })
        ));
    }
}

/// Numbers one after the other.
fn sequence(numbers: &[&Nat]) -> Vec<u8> {
    let octets: Vec<_> = numbers.iter().map(|x| x.to_be_bytes_vartime()).collect();
    let numbers = octets.iter().map(|octets| UintRef::new(octets).unwrap());
    numbers.collect::<Vec<_>>().to_der().unwrap()
}

/// The files of a public and of a private key with these parts.
fn files(oid: &str, parameters: Option<&[u8]>, y: &[u8], x: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let algorithm = AlgorithmIdentifierRef {
        oid: ObjectIdentifier::new_unwrap(oid),
        parameters: parameters.map(|der| AnyRef::from_der(der).unwrap()),
    };
    let spki = SubjectPublicKeyInfoRef {
        algorithm,
        subject_public_key: BitStringRef::from_bytes(y).unwrap(),
    };
    let pkcs8 = PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(x).unwrap());
    (spki.to_der().unwrap(), pkcs8.to_der().unwrap())
}

#[test]
fn bad_files_are_refused_with_a_sentence() {
    const DSA: &str = "1.2.840.10040.4.1";
    const X942: &str = "1.2.840.10046.2.1";
    const PKCS3: &str = "1.2.840.113549.1.3.1";
    let key = key(&RFC6979_1024);
    let [p, q, g] = [key.group().p(), key.group().q(), key.group().g()];
    let integer = |x: &Nat| {
        let octets = x.to_be_bytes_vartime();
        UintRef::new(&octets).unwrap().to_der().unwrap()
    };
    let (y, x) = (integer(key.public().y()), integer(key.x()));
    let null = AnyRef::NULL.to_der().unwrap();
    let j = beside(p, -1).div_rem_vartime(q).0;
    let (dsa, x942) = (sequence(&[p, q, g]), sequence(&[p, g, q]));
    // The valid files.
    for (oid, parameters) in [
        (DSA, &dsa),
        (X942, &x942),
        (X942, &sequence(&[p, g, q, &j])),
    ] {
        let (spki, pkcs8) = files(oid, Some(parameters), &y, &x);
        assert!(PublicKey::from_spki_der(&spki).is_ok());
        assert!(PrivateKey::from_pkcs8_der(&pkcs8).is_ok());
    }
    // Bad groups.
    let (one, two) = (Nat::one(), Nat::from_limb(2));
    let bad: Vec<(&str, Option<Vec<u8>>)> = vec![
        ("1.2.840.113549.1.1.1", Some(null.clone())),
        ("1.2.840.10045.2.1", Some(dsa.clone())),
        (DSA, None),
        (DSA, Some(null.clone())),
        (DSA, Some(x942.clone())),
        (DSA, Some(sequence(&[p, q]))),
        (DSA, Some(sequence(&[p, q, g, g]))),
        (DSA, Some(sequence(&[]))),
        (DSA, Some(sequence(&[q, p, g]))),
        (DSA, Some(sequence(&[p, q, &one]))),
        (DSA, Some(sequence(&[p, q, &two]))),
        (DSA, Some(sequence(&[p, &one, g]))),
        (DSA, Some(sequence(&[&beside(p, 2), q, g]))),
        (DSA, Some(integer(p))),
        (X942, None),
        (X942, Some(null.clone())),
        (X942, Some(dsa.clone())),
        (X942, Some(sequence(&[p, g]))),
        (X942, Some(sequence(&[p, g, q, &j, &j, &j]))),
        (X942, Some(sequence(&[p, g, q, &beside(&j, 1)]))),
        (X942, Some(sequence(&[p, g, q, &one]))),
        (X942, Some(sequence(&[p, &two, q]))),
        (PKCS3, None),
        (PKCS3, Some(null)),
        (PKCS3, Some(sequence(&[p, g]))),
        (PKCS3, Some(sequence(&[p]))),
        (PKCS3, Some(sequence(&[p, g, &two, &two]))),
        (PKCS3, Some(sequence(&[Named::Modp2048.group().p(), &one]))),
    ];
    let mut count = 0;
    for (oid, parameters) in bad {
        let (spki, pkcs8) = files(oid, parameters.as_deref(), &y, &x);
        is_a_sentence(&PublicKey::from_spki_der(&spki).expect_err(oid));
        is_a_sentence(&PrivateKey::from_pkcs8_der(&pkcs8).expect_err(oid));
        count += 2;
    }
    // Bad keys.
    let negative = [0x02, 0x01, 0xff];
    let long_form = [&[0x02, 0x02, 0x00], &[0x01][..]].concat();
    let null = AnyRef::new(Tag::Null, &[]).unwrap().to_der().unwrap();
    let bad = [
        &[][..],
        &negative,
        &long_form,
        &null,
        &y[..20],
        &[0x02, 0x00],
    ];
    for bad in bad {
        let (spki, pkcs8) = files(DSA, Some(&dsa), bad, bad);
        is_a_sentence(&PublicKey::from_spki_der(&spki).unwrap_err());
        is_a_sentence(&PrivateKey::from_pkcs8_der(&pkcs8).unwrap_err());
        count += 2;
    }
    for number in [Nat::zero(), p.clone(), beside(p, -1), p.shl(9)] {
        let number = integer(&number);
        let (spki, pkcs8) = files(DSA, Some(&dsa), &number, &number);
        is_a_sentence(&PublicKey::from_spki_der(&spki).unwrap_err());
        is_a_sentence(&PrivateKey::from_pkcs8_der(&pkcs8).unwrap_err());
        count += 2;
    }
    let (spki, pkcs8) = files(DSA, Some(&dsa), &y, &x);
    // A public key beside a private one: the right one, another, and one that is not whole octets.
    let other = integer(&beside(key.public().y(), 1));
    for (octets, unused, good) in [(&y, 0, true), (&other, 0, false), (&y, 1, false)] {
        let mut info = PrivateKeyInfoRef::try_from(&pkcs8[..]).unwrap();
        let mut octets = octets.clone();
        *octets.last_mut().unwrap() &= 0xff << unused;
        info.public_key = Some(BitStringRef::new(unused, &octets).unwrap());
        let read = PrivateKey::from_pkcs8_der(&info.to_der().unwrap());
        assert_eq!(read.is_ok(), good, "{read:?}");
    }
    // Every truncation, and a change of every octet: it is refused or, in x, gives another key.
    for len in 0..spki.len() {
        is_a_sentence(&PublicKey::from_spki_der(&spki[..len]).unwrap_err());
    }
    for len in 0..pkcs8.len() {
        is_a_sentence(&PrivateKey::from_pkcs8_der(&pkcs8[..len]).unwrap_err());
    }
    for i in 0..spki.len() {
        let mut spki = spki.clone();
        spki[i] ^= 1 << (i % 8);
        is_a_sentence(&PublicKey::from_spki_der(&spki).unwrap_err());
    }
    for i in 0..pkcs8.len() {
        let mut pkcs8 = pkcs8.clone();
        pkcs8[i] ^= 1 << (i % 8);
        match PrivateKey::from_pkcs8_der(&pkcs8) {
            Ok((_, other)) => assert!(other.x() != key.x()),
            Err(error) => is_a_sentence(&error),
        }
    }
    assert!(count >= 40, "{count}");
}
