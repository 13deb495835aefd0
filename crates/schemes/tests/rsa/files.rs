//! Key files in practice: text around PEM, old forms, violated standards, and hostile files.

use crate::support::*;
use carrysave_arith::Nat;
use carrysave_arith::prime::{PrimeOptions, random_prime};
use carrysave_engine::Batch;
use carrysave_schemes::ec::{self, AnyPrivateKey};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{PrivateKey, PublicKey, task::SignPkcs1v15};
use carrysave_schemes::{
    KeyError,
    keys::{self, Content, Entry, Key},
};

fn data(name: &str) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/keys/");
    std::fs::read(format!("{path}{name}")).unwrap()
}

/// The first entry of a file, with the password.
fn first(bytes: &[u8]) -> Entry {
    keys::read(bytes, Some(b"secret")).remove(0)
}

#[test]
fn what_others_accept_is_read_with_a_warning() {
    for (name, notes) in [
        ("rsa-no-null.pem", 1),
        ("rsa-no-null.pub.pem", 1),
        ("rsa-d-above-n.pem", 1),
        ("rsassa-pss.pem", 0),
        ("rsassa-pss.crt", 0),
        ("rsa-right-public.pem", 0),
        ("p256-right-public.pem", 0),
        ("x25519-right-public.pem", 0),
        ("openssh-private", 0),
        ("pbes1-sha1-3des.pem", 1),
    ] {
        let entry = first(&data(name));
        assert!(entry.content.is_ok(), "{name}: {entry:?}");
        assert_eq!(entry.notes.len(), notes, "{name}: {:?}", entry.notes);
    }
}

#[test]
fn a_public_key_beside_a_private_one_is_its_own() {
    for name in ["rsa-wrong-public.pem", "p256-wrong-public.pem"] {
        let error = first(&data(name)).content.unwrap_err();
        assert!(matches!(error, KeyError::Invalid(_)), "{name}: {error}");
    }
    // Of X25519, too: the public key comes last.
    let text = String::from_utf8(data("x25519-right-public.pem")).unwrap();
    let mut der = pem(&text);
    *der.last_mut().unwrap() ^= 1;
    assert_eq!(
        first(&der).content.unwrap_err(),
        KeyError::Invalid("it is no key of its curve")
    );
}

/// The bytes of the only block in a PEM text.
fn pem(text: &str) -> Vec<u8> {
    use base64ct::Encoding;
    let base64: String = text.lines().filter(|line| !line.starts_with('-')).collect();
    base64ct::Base64::decode_vec(&base64).unwrap()
}

#[test]
fn pem_is_read_among_text_and_in_any_lines() {
    let key = AnyPrivateKey::generate_with(ec::Algorithm::P384, &mut rng());
    let plain = key.to_pkcs8_pem().to_string();
    let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let body = plain.replace(begin, "").replace(end, "").trim().to_owned();
    let certificate = String::from_utf8(data("rsassa-pss.crt")).unwrap();
    let cases = [
        format!("{plain}\n"),
        format!("{plain}\ntrailing comment"),
        format!("Bag Attributes\n    friendlyName: key\n{plain}"),
        format!("{plain}{certificate}"),
        format!("{certificate}{plain}"),
        plain.replace('\n', " \t\n"),
        plain.replace(begin, &format!("{begin}  ")),
        plain.replace(end, &format!("{end}\t")),
        plain.replace(begin, &format!("{begin}\n\n")),
        format!("{begin}\n{}\n{end}", body.replace('\n', "")),
        format!("{begin}\n{}\n{end}", body.replace('\n', "\n  ")),
        format!(
            "{begin}\n{}\n{end}",
            body.chars().map(|c| format!("{c}\n")).collect::<String>()
        ),
        format!("{begin}\n{} {}\n{end}", &body[..20], &body[20..]),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.trim_end().to_owned(),
    ];
    for case in cases {
        let read = AnyPrivateKey::from_any(case.as_bytes(), None);
        assert_eq!(read.map(|key| key.public()), Ok(key.public()), "{case}");
    }
    let damaged = [
        plain.replace(end, ""),
        plain.replace(end, "-----END PUBLIC KEY-----"),
        plain.replace(&body[..4], "MI*C"),
        body,
    ];
    for case in damaged {
        assert!(
            AnyPrivateKey::from_any(case.as_bytes(), None).is_err(),
            "{case}"
        );
    }
}

#[test]
fn lines_of_authorized_keys_are_read() {
    let Key::RsaPrivate(key) = (match first(&data("openssh-private")).content.unwrap() {
        Content::Key(key) => key,
        other => panic!("{other:?}"),
    }) else {
        panic!()
    };
    let line = key.public().to_openssh("me@here");
    let base64 = line.split(' ').nth(1).unwrap();
    let text = format!(
        "# a comment\n\n{line}\nno-pty,command=\"echo \\\"ssh-rsa x\\\"\" {line}\r\nssh-ed25519 \
         AAAAC3NzaC1lZDI1NTE5AAAAIJ1gvJMeYWw7Nk/Rm8GqX3Y/4z0c4dVvSPhS5sC0oHtQ you\ncert-authority {line}\n\
         ecdsa-sha2-nistp256 {base64}\nssh-rsa AAAA\nwhat is this\n",
    );
    let entries = keys::read(text.as_bytes(), None);
    let lines: Vec<_> = entries
        .iter()
        .map(|entry| (entry.line, entry.content.is_ok()))
        .collect();
    let expected = [
        (3, true),
        (4, true),
        (5, true),
        (6, false),
        (7, false),
        (8, false),
        (9, false),
    ];
    assert_eq!(lines, expected, "{entries:?}");
    let of_curve = entries[2].content.as_ref().unwrap();
    assert!(matches!(of_curve, Content::Key(Key::CurvePublic(_))));
    assert_eq!(
        PublicKey::from_any(text.as_bytes()),
        Ok(key.public().clone())
    );
}

#[test]
fn primes_of_unequal_length_work() {
    let e = Nat::from_limb(65_537);
    let options = PrimeOptions {
        top_two_bits: true,
        coprime_to_minus_one: Some(&e),
        ..PrimeOptions::default()
    };
    let prime = |bits| random_prime(bits, &options, &mut rng(), &mut || ()).unwrap();
    let digest = Hash::Sha256.digest(b"a message");
    for (p, q) in [(520, 504), (600, 424), (760, 264)] {
        for primes in [[p, q], [q, p]] {
            let key = PrivateKey::from_primes(primes.map(prime).to_vec(), e.clone()).unwrap();
            let signature = key
                .rsassa_pss_sign(&mut rng(), Hash::Sha256, Hash::Sha256, 32, &digest)
                .unwrap();
            key.public()
                .rsassa_pss_verify(Hash::Sha256, Hash::Sha256, Some(32), &digest, &signature)
                .unwrap();
            let sign = SignPkcs1v15 {
                key: key.clone(),
                hash: Hash::Sha256,
                digest: digest.clone(),
            };
            for signature in Batch::new(1).run_with(rng, &vec![sign; 16]) {
                key.public()
                    .rsassa_pkcs1_v1_5_verify(Hash::Sha256, &digest, &signature.unwrap())
                    .unwrap();
            }
            let entry = first(&key.to_pkcs8_der());
            assert!(entry.content.is_ok() && entry.notes.len() == 1, "{entry:?}");
        }
    }
    for lengths in [&[780, 244][..], &[432, 432, 160]] {
        let primes = lengths.iter().copied().map(prime).collect();
        let error = PrivateKey::from_primes(primes, e.clone()).unwrap_err();
        assert!(error.to_string().contains("half of its share"), "{error}");
    }
    let primes = [422, 422, 180].map(prime).to_vec();
    PrivateKey::from_primes(primes, e.clone()).unwrap();
}

#[test]
fn crafted_encrypted_keys_are_refused_without_a_panic() {
    // SEQUENCE { SEQUENCE { PBES2, SEQUENCE { kdf, cipher } }, OCTET STRING }
    let element = |tag: u8, parts: &[&[u8]]| {
        let contents = parts.concat();
        assert!(contents.len() < 0x80 || contents.len() < 0x100);
        let mut head = vec![tag];
        if contents.len() >= 0x80 {
            head.push(0x81);
        }
        head.push(contents.len() as u8);
        [head, contents].concat()
    };
    let sequence = |parts: &[&[u8]]| element(0x30, parts);
    let number = |bytes: &[u8]| element(2, &[bytes]);
    let oid = |bytes: &[u8]| element(6, &[bytes]);
    let scrypt = |n: &[u8], r: &[u8], p: &[u8]| {
        let parameters = sequence(&[&element(4, &[b"salt"]), &number(n), &number(r), &number(p)]);
        sequence(&[&oid(b"\x2b\x06\x01\x04\x01\xda\x47\x04\x0b"), &parameters])
    };
    let pbkdf2_with = |iterations: &[u8], more: &[u8]| {
        let parameters = sequence(&[&element(4, &[b"salt"]), &number(iterations), more]);
        sequence(&[&oid(b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0c"), &parameters])
    };
    let pbkdf2 = |iterations: &[u8]| pbkdf2_with(iterations, &[]);
    let cipher = |which: &[u8], iv: &[u8]| sequence(&[&oid(which), &element(4, &[iv])]);
    const AES: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01\x2a";
    const TRIPLE_DES: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x03\x07";
    let file = |kdf: &[u8], cipher: &[u8], data: &[u8]| {
        let scheme = sequence(&[
            &oid(b"\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d"),
            &sequence(&[kdf, cipher]),
        ]);
        sequence(&[&scheme, &element(4, &[data])])
    };
    let aes = cipher(AES, &[0; 16]);
    let mut cases = vec![
        (file(&pbkdf2(&[0]), &aes, &[0; 16]), "0 times"),
        (
            file(&pbkdf2(b"\x00\x98\x96\x81"), &aes, &[0; 16]),
            "10000001 times",
        ),
        (
            file(&pbkdf2(b"\x7f\xff\xff\xff\xff\xff\xff\xff"), &aes, &[0; 16]),
            "times",
        ),
        // 2^32 + 1000, of which the low half would do.
        (
            file(&pbkdf2(b"\x01\x00\x00\x03\xe8"), &aes, &[0; 16]),
            "4294968296 times",
        ),
        (
            file(&pbkdf2_with(&[1], &number(&[24])), &aes, &[0; 16]),
            "another length",
        ),
        (
            file(&pbkdf2(&[1]), &cipher(TRIPLE_DES, &[0; 7]), &[0; 16]),
            "vector",
        ),
        (
            file(&pbkdf2(&[1]), &cipher(TRIPLE_DES, &[0; 9]), &[0; 16]),
            "vector",
        ),
        (file(&pbkdf2(&[1]), &cipher(AES, &[]), &[0; 16]), "vector"),
        // Twice the most that is taken, which is 2^18 * 8, 256 MiB, and a bit more than that.
        (
            file(&scrypt(b"\x08\x00\x00", b"\x08", b"\x01"), &aes, &[0; 16]),
            "256 MiB",
        ),
        (
            file(&scrypt(b"\x40\x00", b"\x08", b"\x11"), &aes, &[0; 16]),
            "256 MiB",
        ),
        (
            file(
                &scrypt(
                    b"\x7f\xff\xff\xff\xff\xff\xff\xff",
                    b"\x7f\xff\xff\xff\xff",
                    b"\x01",
                ),
                &aes,
                &[0; 16],
            ),
            "256 MiB",
        ),
    ];
    // Two blocks of 2^20 are as much effort as is taken, and four of them more memory.
    let long = scrypt(&[2], b"\x10\x00\x00", &[1]);
    cases.push((file(&long, &aes, &[0; 16]), "256 MiB"));
    // 2^56 times 2^8, which 64 bits do not hold.
    let overflow = scrypt(b"\x01\x00\x00\x00\x00\x00\x00\x00", b"\x01\x00", b"\x01");
    cases.push((file(&overflow, &aes, &[0; 16]), "256 MiB"));
    for (n, r, p) in [
        (0, 8, 1),
        (1, 8, 1),
        (3, 8, 1),
        (16, 0, 1),
        (16, 8, 0),
        (0, 0, 0),
    ] {
        cases.push((file(&scrypt(&[n], &[r], &[p]), &aes, &[0; 16]), "scrypt"));
    }
    for (der, reason) in cases {
        let error = first(&der).content.unwrap_err().to_string();
        assert!(error.contains(reason), "{error}, not {reason}");
    }
    for (kdf, cipher, data) in [
        (pbkdf2(&[1]), aes.clone(), &[][..]),
        (pbkdf2(&[1]), aes.clone(), &[0; 15][..]),
        (pbkdf2(&[1]), aes.clone(), &[0; 32][..]),
        (pbkdf2(&[1]), cipher(TRIPLE_DES, &[0; 8]), &[0; 12][..]),
        (scrypt(&[2], &[8], &[1]), aes.clone(), &[0; 16][..]),
        // The most effort that is taken.
        (scrypt(&[16], &[1], b"\x02\x00\x00"), aes, &[0; 16][..]),
    ] {
        assert_eq!(
            first(&file(&kdf, &cipher, data)).content.unwrap_err(),
            KeyError::Password
        );
    }
    // One in 256 gives octets that end like padding, and are no key.
    let garbled = file(&pbkdf2(&[1]), &cipher(AES, &[0; 16]), &[7; 32]);
    for i in 0..2000_u32 {
        let mut found = keys::read(&garbled, Some(&i.to_le_bytes()));
        assert_eq!(found.remove(0).content.unwrap_err(), KeyError::Password);
    }
    let old = data("iterations-10000001.pem");
    let error = first(&old).content.unwrap_err().to_string();
    assert!(error.contains("10000001 times"), "{error}");
}

#[test]
fn vectors_of_old_files_have_the_length_of_a_block() {
    for (cipher, octets) in [("AES-128-CBC", 16), ("DES-EDE3-CBC", 8), ("DES-CBC", 8)] {
        for len in [0, 7, 8, 9, 15, 16, 17, 24] {
            let pem = format!(
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: {cipher},{}\n\n{}\n\
                 -----END RSA PRIVATE KEY-----\n",
                "a5".repeat(len),
                "A".repeat(64)
            );
            let error = first(pem.as_bytes()).content.unwrap_err();
            match len == octets {
                true => assert_eq!(error, KeyError::Password),
                false => assert!(
                    error.to_string().contains("vector"),
                    "{cipher}, {len}: {error}"
                ),
            }
        }
    }
}

#[test]
fn numbers_of_curves_in_other_lengths_are_read() {
    // RFC 5915 wants 32 octets of P-256.
    let mut octets = [0; 32];
    octets[31] = 7;
    let key = |octets: &[u8]| {
        let number = [
            &[0x30, octets.len() as u8 + 5, 2, 1, 1, 4, octets.len() as u8],
            octets,
        ]
        .concat();
        let algorithm =
            b"\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07";
        let number = [&[4, number.len() as u8], &number[..]].concat();
        let body = [b"\x02\x01\x00", &algorithm[..], &number].concat();
        first(&[&[0x30, body.len() as u8], &body[..]].concat())
    };
    let public = |entry: &Entry| match &entry.content {
        Ok(Content::Key(key)) => key.public().to_openssh_blob(),
        other => panic!("{other:?}"),
    };
    let whole = key(&octets);
    assert!(whole.notes.is_empty());
    for octets in [&octets[31..], &[&[0], &octets[..]].concat()] {
        let other = key(octets);
        assert_eq!((public(&other), other.notes.len()), (public(&whole), 1));
    }
    for octets in [&[][..], &[0; 32], &[&[1], &octets[..]].concat()] {
        assert_eq!(
            key(octets).content.unwrap_err(),
            KeyError::Invalid("it is no key of its curve")
        );
    }
}
