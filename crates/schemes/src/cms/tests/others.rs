//! Recipients of every kind, alone, mixed and many.

use super::*;
use crate::ec::{self, Algorithm, AnyPrivateKey};

/// A key of every curve, made once.
static CURVES: LazyLock<Vec<AnyPrivateKey>> = LazyLock::new(|| {
    let curves = Algorithm::ALL.iter().filter(|algorithm| algorithm.agrees());
    curves
        .map(|algorithm| AnyPrivateKey::generate_with(*algorithm, &mut rng()))
        .collect()
});

/// A message for keys 0 and 1, every curve and a password.
static MIXED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut to = vec![recipient(0), recipient(1)];
    for key in CURVES.iter() {
        to.push(Recipient::from_curve_key(key.public()).unwrap());
    }
    to.push(Recipient::from_password(b"open sesame"));
    let options = EncryptOptions {
        iterations: 1000,
        ..Default::default()
    };
    seal(&to, &options, b"for all")
});

#[test]
fn everybody_reads_a_message_for_all() {
    let mut identities: Vec<Identity<'_>> = KEYS.iter().map(Identity::from).collect();
    identities.extend(CURVES.iter().map(Identity::from));
    identities.push(Identity::password(b"open sesame"));
    assert_eq!(identities.len(), KEYS.len() + CURVES.len() + 1);
    for identity in identities {
        let mut plain = Vec::new();
        let opened = open_with(identity, &MIXED, &mut plain).unwrap();
        assert!(opened.authenticated && plain == b"for all", "{identity:?}");
    }
}

#[test]
fn nobody_else_does() {
    for algorithm in Algorithm::ALL.iter().filter(|algorithm| algorithm.agrees()) {
        let key = AnyPrivateKey::generate_with(*algorithm, &mut rng());
        let outcome = open_with(&key, &MIXED, &mut Vec::new());
        assert!(matches!(outcome, Err(Error::Decryption)), "{algorithm}");
    }
    let outcome = open_with(Identity::password(b"open sesam"), &MIXED, &mut Vec::new());
    assert!(matches!(outcome, Err(Error::Decryption)));
}

#[test]
fn a_key_that_signs_only_is_no_recipient() {
    let key = AnyPrivateKey::generate_with(Algorithm::Ed25519, &mut rng());
    let refused = Recipient::from_curve_key(key.public());
    assert!(matches!(refused, Err(Error::Curve(ec::Error::NoAgreement))));
    let outcome = open_with(&key, &MIXED, &mut Vec::new());
    assert!(matches!(outcome, Err(Error::NoRecipient(_))));
}

#[test]
fn for_whom_a_message_is_is_said() {
    let to = [
        recipient(0),
        recipient(1),
        Recipient::from_password(b"a word"),
    ];
    let message = seal(&to, &EncryptOptions::default(), b"secret");
    let refused = open_with(&CURVES[0], &message, &mut Vec::new()).unwrap_err();
    let said = "the message is encrypted for others: 2 RSA keys, 1 password";
    assert_eq!(refused.to_string(), said);
    // A key of another curve has nothing to try.
    let to = [Recipient::from_curve_key(CURVES[0].public()).unwrap()];
    let message = seal(&to, &EncryptOptions::default(), b"secret");
    let refused = open_with(&CURVES[1], &message, &mut Vec::new());
    assert!(matches!(refused, Err(Error::NoRecipient(_))));
}

#[test]
fn no_flipped_bit_of_a_curve_or_a_password_changes_the_plaintext() {
    let x25519 = |key: &&AnyPrivateKey| key.algorithm() == Algorithm::X25519;
    let curve = CURVES.iter().find(x25519).expect("every curve");
    let messages = [
        (
            Identity::from(curve),
            Recipient::from_curve_key(curve.public()).unwrap(),
        ),
        (Identity::password(b"pw"), Recipient::from_password(b"pw")),
    ];
    for (identity, to) in messages {
        let options = EncryptOptions {
            iterations: 100,
            ..Default::default()
        };
        let message = seal(&[to], &options, b"some secret");
        // Few iterations, as each bit costs them.
        let options = DecryptOptions {
            max_iterations: 200,
            ..Default::default()
        };
        for bit in 0..8 * message.len() {
            let mut flipped = message.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let mut plain = Vec::new();
            let opened = decrypt(
                &mut rng(),
                identity,
                &options,
                &mut &flipped[..],
                &mut plain,
            );
            assert!(
                opened.is_err() || plain == b"some secret",
                "bit {bit} of {identity:?}"
            );
        }
    }
}

#[test]
fn iterations_are_limited() {
    let to = [b"a", b"b"].map(|password| Recipient::from_password(password));
    let iterations = 1000;
    let options = EncryptOptions {
        iterations,
        ..Default::default()
    };
    let message = seal(&to, &options, b"secret");
    for (max_iterations, read) in [(2000, true), (1999, false)] {
        let options = DecryptOptions {
            max_iterations,
            ..Default::default()
        };
        let (identity, plain) = (Identity::password(b"b"), &mut Vec::new());
        let outcome = decrypt(&mut rng(), identity, &options, &mut &message[..], plain);
        assert_eq!(outcome.is_ok(), read);
    }
}

#[test]
fn what_is_not_authenticated_is_refused_when_asked() {
    let message = cbc_message(&transported(&[1; 16]), &[1; 16], b"text");
    let options = DecryptOptions {
        require_authenticated: true,
        ..Default::default()
    };
    let mut plain = Vec::new();
    let refused = decrypt(
        &mut rng(),
        &KEYS[0],
        &options,
        &mut &message[..],
        &mut plain,
    );
    assert!(matches!(refused, Err(Error::Unauthenticated)) && plain.is_empty());
    let message = seal(&[recipient(0)], &EncryptOptions::default(), b"text");
    decrypt(
        &mut rng(),
        &KEYS[0],
        &options,
        &mut &message[..],
        &mut plain,
    )
    .unwrap();
    assert_eq!(plain, b"text");
}

/// A recipient by PKCS #1 v1.5 or OAEP with an unknown name.
fn unnamed(transport: &[u8], encrypted_key: &[u8]) -> Vec<u8> {
    let id = element(context_primitive(0), &[b"somebody"]);
    let key = element(ber::OCTET_STRING, &[encrypted_key]);
    element(ber::SEQUENCE, &[&integer(2), &id, transport, &key])
}

/// EnvelopedData in AES-CBC for these recipients.
fn cbc_for(infos: &[u8], key: &[u8; 16], text: &[u8]) -> Vec<u8> {
    let iv = [9; 16];
    let mut content = text.to_vec();
    let aes = carrysave_symmetric::aes::Aes::new(key).unwrap();
    aes.cbc_encrypt_padded(&iv, &mut content);
    let oid = element(ber::OID, &[OID_AES, &[2]]);
    let cipher = element(ber::SEQUENCE, &[&oid, &element(ber::OCTET_STRING, &[&iv])]);
    let data = element(ber::OID, &[names::DATA]);
    let content = element(context_primitive(0), &[&content]);
    let content = element(ber::SEQUENCE, &[&data, &cipher, &content]);
    let infos = element(ber::SET, &[infos]);
    let body = element(ber::SEQUENCE, &[&integer(2), &infos, &content]);
    let kind = element(ber::OID, &[names::ENVELOPED_DATA]);
    element(ber::SEQUENCE, &[&kind, &element(context(0), &[&body])])
}

fn by_oaep(i: usize, key: &[u8]) -> Vec<u8> {
    let public = KEYS[i].public();
    let hash = Hash::Sha1;
    let encrypted = public.rsaes_oaep_encrypt(&mut rng(), hash, hash, &[], key);
    unnamed(&names::oaep_der(hash), &encrypted.unwrap())
}

#[test]
fn oaep_wins_over_an_old_padding_and_all_are_tried() {
    let (right, wrong) = ([1; 16], [2; 16]);
    let mut infos = unnamed(RSA, &transported(&wrong));
    for _ in 0..200 {
        infos.extend(by_oaep(1, &wrong));
    }
    infos.extend(by_oaep(0, &right));
    let message = cbc_for(&infos, &right, b"text");
    assert_eq!(open(0, &message).unwrap().0, b"text");
    // The number of tries is bounded.
    for _ in 0..60 {
        infos.extend(by_oaep(1, &wrong));
    }
    let refused = open(0, &cbc_for(&infos, &right, b"text"));
    assert!(matches!(refused, Err(Error::Unsupported(_))));
}

#[test]
fn of_old_paddings_one_that_names_the_key_is_taken_and_the_first_that_fits() {
    let (right, wrong) = ([1; 16], [2; 16]);
    let named = |key: &[u8]| {
        let id = element(context_primitive(0), &[&recipient(0).key_id]);
        let key = element(ber::OCTET_STRING, &[&transported(key)]);
        element(ber::SEQUENCE, &[&integer(2), &id, RSA, &key])
    };
    let infos = [
        unnamed(RSA, &transported(&wrong)),
        named(&right),
        named(&wrong),
    ]
    .concat();
    assert_eq!(
        open(0, &cbc_for(&infos, &right, b"text")).unwrap().0,
        b"text"
    );
    let infos = [named(&[3; 24]), named(&right), named(&wrong)].concat();
    assert_eq!(
        open(0, &cbc_for(&infos, &right, b"text")).unwrap().0,
        b"text"
    );
    // One that another key opens is passed over.
    let other = KEYS[1].public();
    let other = other
        .rsaes_pkcs1_v1_5_encrypt(&mut rng(), &[3; 24])
        .unwrap();
    let infos = [unnamed(RSA, &other), unnamed(RSA, &transported(&right))].concat();
    let outcome = open(0, &cbc_for(&infos, &right, b"text"));
    assert!(outcome.is_ok_and(|(plain, _)| plain == b"text") || another_fits(&other));
}

/// Whether key 0 mistakes another's entry for a key of 16 bytes, which happens about once in 100 times.
fn another_fits(encrypted: &[u8]) -> bool {
    let opened = KEYS[0].rsaes_pkcs1_v1_5_decrypt(&mut rng(), encrypted);
    opened.is_ok_and(|opened| opened.len() == 16)
}

#[test]
fn what_is_odd_about_the_only_recipient_is_said() {
    let md5 = b"\x30\x0c\x06\x08\x2a\x86\x48\x86\xf7\x0d\x02\x05";
    let message = cbc_for(&unnamed(md5, &[1; 128]), &[1; 16], b"text");
    let said = open(0, &message).unwrap_err().to_string();
    assert!(said.contains("key transport 1.2.840.113549.2.5"), "{said}");
    // Another kind of recipient, however long and deep, is passed over.
    let deep = [
        &[0xa4, 0x80][..],
        &[0x30, 0x80].repeat(50_000),
        &[0; 100_002],
    ]
    .concat();
    let infos = [&deep[..], &unnamed(RSA, &transported(&[1; 16]))].concat();
    assert_eq!(
        open(0, &cbc_for(&infos, &[1; 16], b"text")).unwrap().0,
        b"text"
    );
}

#[test]
fn there_are_limits_to_what_is_kept() {
    let one = unnamed(RSA, &[1; 128]);
    let said = |infos: &[u8]| {
        let outcome = open(0, &cbc_for(infos, &[1; 16], b"text"));
        outcome.unwrap_err().to_string()
    };
    assert!(said(&one.repeat(1025)).contains("more than 1024 recipients"));
    assert!(said(&one.repeat(17)).contains("name its certificate"));
    let named_at_length = |len: usize| {
        let id = element(context_primitive(0), &[&vec![7; len]]);
        let key = element(ber::OCTET_STRING, &[&[1; 128]]);
        element(ber::SEQUENCE, &[&integer(2), &id, RSA, &key])
    };
    let long = named_at_length(60_000);
    assert!(said(&long.repeat(70)).contains("longer than 4 MiB"));
    let too_long = named_at_length(70_000);
    assert!(said(&too_long).contains("longer than 64 KiB"));
    let infos = [&too_long[..], &unnamed(RSA, &transported(&[1; 16]))].concat();
    let read = open(0, &cbc_for(&infos, &[1; 16], b"text")).unwrap();
    assert_eq!(read.0, b"text");
}
