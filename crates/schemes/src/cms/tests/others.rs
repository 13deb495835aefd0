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

/// A recipient by PKCS #1 v1.5 or OAEP with a name.
fn entry(name: &[u8], transport: &[u8], encrypted_key: &[u8]) -> Vec<u8> {
    let id = element(context_primitive(0), &[name]);
    let key = element(ber::OCTET_STRING, &[encrypted_key]);
    element(ber::SEQUENCE, &[&integer(2), &id, transport, &key])
}

/// A recipient with an unknown name.
fn unnamed(transport: &[u8], encrypted_key: &[u8]) -> Vec<u8> {
    entry(b"somebody", transport, encrypted_key)
}

/// A recipient of `size` octets, from 500 to 65,539, filled up by an unknown name.
fn of_size(size: usize, transport: &[u8], encrypted_key: &[u8]) -> Vec<u8> {
    let named_at_length = |len| entry(&vec![7; len], transport, encrypted_key);
    let filled = named_at_length(60_000 + size - named_at_length(60_000).len());
    assert_eq!(filled.len(), size);
    filled
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

fn encrypted_by_oaep(i: usize, key: &[u8]) -> Vec<u8> {
    let (public, hash) = (KEYS[i].public(), Hash::Sha1);
    let encrypted = public.rsaes_oaep_encrypt(&mut rng(), hash, hash, &[], key);
    encrypted.unwrap()
}

fn by_oaep(i: usize, key: &[u8]) -> Vec<u8> {
    unnamed(&names::oaep_der(Hash::Sha1), &encrypted_by_oaep(i, key))
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
    let named = |key: &[u8]| entry(&recipient(0).key_id, RSA, &transported(key));
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

/// Every bit of the key that takes the place of a refused one is 0 once and 1 once. By chance one is not in one of 2^119 runs.
#[test]
fn a_refused_entry_gives_a_random_key() {
    let names = ids::Names::new(&KEYS[0].public().to_spki_der(), None).unwrap();
    let refused = unnamed(RSA, &transported(&[1; 24]));
    let (mut ones, mut zeros) = ([0; 16], [0; 16]);
    for _ in 0..128 {
        let info = transport::read(&refused, &names, KEYS[0].size()).unwrap();
        let infos = info.into_iter().collect();
        let key = transport::open(&Serial, &mut rng(), &KEYS[0], infos, 16).unwrap();
        for (i, octet) in key.iter().enumerate() {
            ones[i] |= octet;
            zeros[i] |= !octet;
        }
    }
    assert_eq!([ones, zeros], [[0xff; 16]; 2]);
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
    let long = of_size(60_000, RSA, &[1; 128]);
    assert!(said(&long.repeat(70)).contains("longer than 4 MiB"));
    let too_long = entry(&[7; 70_000], RSA, &[1; 128]);
    assert!(said(&too_long).contains("longer than 64 KiB"));
    let infos = [&too_long[..], &unnamed(RSA, &transported(&[1; 16]))].concat();
    let read = open(0, &cbc_for(&infos, &[1; 16], b"text")).unwrap();
    assert_eq!(read.0, b"text");
}

/// Up to each limit a message is read, and beyond it refused.
#[test]
fn messages_are_read_up_to_their_limits() {
    let key = [1; 16];
    let oaep = names::oaep_der(Hash::Sha1);
    let read = |infos: &[&[u8]]| {
        let opened = open(0, &cbc_for(&infos.concat(), &key, b"text"));
        opened.map(|(plain, _)| assert_eq!(plain, b"text"))
    };
    let refused = |infos: &[&[u8]], why: &str| {
        let said = read(infos).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    };
    // Each of these is passed over: it is of another kind, its key has another length, or it is for another key.
    let own = unnamed(RSA, &transported(&key));
    for (passed, most, why) in [
        (element(context(4), &[]), 1024, "more than 1024 recipients"),
        (
            unnamed(RSA, &transported(&[1; 24])),
            16,
            "name its certificate",
        ),
    ] {
        read(&[&passed.repeat(most - 1), &own]).unwrap();
        refused(&[&passed.repeat(most), &own], why);
    }
    let (passed, own) = (by_oaep(1, &key), by_oaep(0, &key));
    read(&[&passed.repeat(255), &own]).unwrap();
    refused(&[&passed.repeat(256), &own], "name its certificate");
    // 64 KiB each, and 4 MiB together.
    let own = |size| of_size(size, &oaep, &encrypted_by_oaep(0, &key));
    read(&[&own(1 << 16)]).unwrap();
    refused(&[&own((1 << 16) + 1)], "longer than 64 KiB");
    let passed = of_size(1 << 16, &oaep, &encrypted_by_oaep(1, &key));
    let shorter = of_size((1 << 16) - 1000, &oaep, &encrypted_by_oaep(1, &key));
    read(&[&passed.repeat(63), &shorter, &own(1000)]).unwrap();
    let beyond = [&passed.repeat(63)[..], &shorter, &own(1001)];
    refused(&beyond, "longer than 4 MiB");
}

/// The agreements computed for a message, and the lengths that are read of one.
#[test]
fn agreements_are_read_up_to_their_limits() {
    let key = [1; 16];
    let id = ids::Id::KeyId(b"somebody".to_vec());
    let [own, other] = [(); 2].map(|()| AnyPrivateKey::generate(Algorithm::X25519));
    let to = |to: &AnyPrivateKey| agree::write(&mut rng(), &to.public(), &id, &key).unwrap();
    let open = |count: usize| {
        let infos = [to(&other).repeat(count - 1), to(&own)].concat();
        let mut plain = Vec::new();
        open_with(&own, &cbc_for(&infos, &key, b"text"), &mut plain).map(|_| plain)
    };
    assert_eq!(open(256).unwrap(), b"text");
    assert!(matches!(open(257), Err(Error::Unsupported(_))));

    let info = to(&own);
    let mut r = ber::Reader::new(&info[..]);
    r.enter(context(1)).unwrap();
    let [version, originator, scheme] = [(); 3].map(|()| r.der(1024).unwrap());
    let names = ids::Names::new(&own.public().to_spki_der(), None).unwrap();
    let read = |ukm: usize, wrapped: usize| {
        let ukm = element(ber::OCTET_STRING, &[&vec![7; ukm]]);
        let id = element(context(0), &[&element(ber::OCTET_STRING, &[b"somebody"])]);
        let wrapped = element(ber::OCTET_STRING, &[&vec![7; wrapped]]);
        let keys = element(ber::SEQUENCE, &[&element(ber::SEQUENCE, &[&id, &wrapped])]);
        let ukm = element(context(1), &[&ukm]);
        let info = element(context(1), &[&version, &originator, &ukm, &scheme, &keys]);
        agree::read(&info, &names, &own.public()).is_ok_and(|info| info.is_some())
    };
    assert!(read(4096, 256));
    assert!(!read(4097, 256) && !read(4096, 257));
}
