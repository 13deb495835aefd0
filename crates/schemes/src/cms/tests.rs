//! Round trips, damaged messages, and messages of other programs.

use super::ber::{self, context, context_primitive, element};
use super::gcm::Gcm;
use super::*;
use crate::rsa::{KeygenOptions, PrivateKey};
use aes::cipher::{BlockModeEncrypt, KeyIvInit, block_padding::Pkcs7};
use carrysave_team::Serial;
use carrysave_team::Spawned;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::sync::LazyLock;

mod faults;
mod others;

fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// Two keys, short ones so that the tests are quick.
static KEYS: LazyLock<[PrivateKey; 2]> = LazyLock::new(|| {
    let options = KeygenOptions {
        allow_small: true,
        ..Default::default()
    };
    [1024, 1024].map(|bits| PrivateKey::generate_with(rng, bits, &options, &|_| ()).unwrap())
});

fn recipient(i: usize) -> Recipient {
    Recipient::from_public_key(KEYS[i].public().clone()).unwrap()
}

fn seal(recipients: &[Recipient], options: &EncryptOptions, data: &[u8]) -> Vec<u8> {
    let mut message = Vec::new();
    let bytes = encrypt(
        &mut rng(),
        recipients,
        options,
        &mut &data[..],
        &mut message,
    )
    .unwrap();
    assert_eq!(bytes, data.len() as u64);
    message
}

fn open(i: usize, message: &[u8]) -> Result<(Vec<u8>, Opened), Error> {
    let mut plain = Vec::new();
    let opened = open_with(&KEYS[i], message, &mut plain)?;
    assert_eq!(opened.bytes, plain.len() as u64);
    Ok((plain, opened))
}

fn open_with<'a>(
    identity: impl Into<Identity<'a>>,
    message: &[u8],
    plain: &mut Vec<u8>,
) -> Result<Opened, Error> {
    let options = DecryptOptions::default();
    decrypt(&mut rng(), identity, &options, &mut &message[..], plain)
}

/// Base64 behind a byte order mark, which some editors put there, is that message.
#[test]
fn bare_base64_behind_a_mark() {
    use base64ct::Encoding;
    let message = seal(&[recipient(0)], &EncryptOptions::default(), b"a text");
    let text = base64ct::Base64::encode_string(&message);
    for mark in ["", "\u{feff}"] {
        let (plain, _) = open(0, format!("{mark}{text}\n").as_bytes()).unwrap();
        assert_eq!(plain, b"a text");
    }
}

/// No message is written that is not read.
#[test]
fn more_recipients_than_are_read() {
    let all = vec![recipient(0); 1025];
    let options = EncryptOptions::default();
    let error = encrypt(&mut rng(), &all, &options, &mut &b""[..], &mut vec![]).unwrap_err();
    assert!(
        matches!(error, Error::Unsupported(why) if why == "1025 recipients, which are more than 1024")
    );
    seal(&all[..1024], &options, b"a text");
}

#[test]
fn there_and_back() {
    for len in [0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
        let data: Vec<u8> = (0..len).map(|i| (i * i) as u8).collect();
        for (known, pem) in [(true, false), (false, false), (true, true), (false, true)] {
            let options = EncryptOptions {
                len: known.then_some(len as u64),
                pem,
                ..Default::default()
            };
            let message = seal(&[recipient(0), recipient(1)], &options, &data);
            for i in 0..2 {
                let (plain, opened) = open(i, &message).unwrap();
                assert!(
                    plain == data && opened.authenticated,
                    "{len} bytes, {options:?}, recipient {i}"
                );
            }
        }
    }
}

#[test]
fn every_hash_of_oaep_that_fits() {
    for &hash in Hash::ALL {
        let options = EncryptOptions {
            hash,
            ..Default::default()
        };
        let mut message = Vec::new();
        let sealed = encrypt(
            &mut rng(),
            &[recipient(0)],
            &options,
            &mut &b"x"[..],
            &mut message,
        );
        if 2 * hash.len() + 2 + 32 <= 128 {
            sealed.unwrap();
            assert_eq!(open(0, &message).unwrap().0, b"x", "{hash}");
        } else {
            assert!(matches!(sealed, Err(Error::Rsa(_))), "{hash}");
        }
    }
}

#[test]
fn no_truncation_and_no_flipped_bit_passes() {
    for data in [&b""[..], b"some secret that is longer than one block"] {
        for len in [Some(data.len() as u64), None] {
            let message = seal(
                &[recipient(0)],
                &EncryptOptions {
                    len,
                    ..Default::default()
                },
                data,
            );
            open(0, &message).unwrap();
            for cut in 0..message.len() {
                assert!(
                    open(0, &message[..cut]).is_err(),
                    "{cut} bytes of {} are enough",
                    message.len()
                );
            }
            for bit in 0..8 * message.len() {
                let mut flipped = message.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                // Name and version may be anything: the key is tried regardless.
                assert!(
                    open(0, &flipped).map_or(true, |(plain, opened)| opened.authenticated
                        && plain == data),
                    "bit {bit} changes the plaintext: {message:02x?}"
                );
            }
            assert!(
                open(0, &[&message[..], b"\0"].concat()).is_err(),
                "a trailing byte passes"
            );
        }
    }
}

#[test]
fn a_message_for_nobody_is_not_written() {
    let mut message = Vec::new();
    let options = EncryptOptions::default();
    assert!(encrypt(&mut rng(), &[], &options, &mut &b"x"[..], &mut message).is_err());
    assert!(message.is_empty());
}

#[test]
fn for_others_is_said_so() {
    let message = seal(&[recipient(0)], &EncryptOptions::default(), b"secret");
    assert!(matches!(open(1, &message), Err(Error::Decryption)));
    let others = open_with(Identity::password(b"x"), &message, &mut Vec::new()).unwrap_err();
    assert_eq!(
        others.to_string(),
        "the message is encrypted for others: 1 RSA key"
    );
}

#[test]
fn a_length_that_was_announced_is_kept() {
    for len in [5, 7, u64::MAX] {
        let options = EncryptOptions {
            len: Some(len),
            ..Default::default()
        };
        let sealed = encrypt(
            &mut rng(),
            &[recipient(0)],
            &options,
            &mut &b"secret"[..],
            &mut Vec::new(),
        );
        assert!(
            matches!(sealed, Err(Error::LengthChanged | Error::TooLong)),
            "{len}"
        );
    }
}

const OID_AES: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x01";
const RSA: &[u8] = b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";

fn integer(value: u8) -> Vec<u8> {
    element(ber::INTEGER, &[&[value]])
}

/// A message of the form that older programs write: a content key in PKCS#1 v1.5 for an issuer and serial number.
fn foreign(
    kind: &[u8],
    encrypted_key: &[u8],
    cipher: &[u8],
    content: &[u8],
    rest: &[u8],
) -> Vec<u8> {
    let id = element(ber::SEQUENCE, &[&element(ber::SEQUENCE, &[]), &integer(7)]);
    let key = element(ber::OCTET_STRING, &[encrypted_key]);
    let info = element(ber::SEQUENCE, &[&integer(0), &id, RSA, &key]);
    let data = element(ber::OID, &[names::DATA]);
    let content = element(context_primitive(0), &[content]);
    let content = element(ber::SEQUENCE, &[&data, cipher, &content]);
    let body = element(
        ber::SEQUENCE,
        &[&integer(0), &element(ber::SET, &[&info]), &content, rest],
    );
    element(
        ber::SEQUENCE,
        &[&element(ber::OID, &[kind]), &element(context(0), &[&body])],
    )
}

fn transported(key: &[u8]) -> Vec<u8> {
    KEYS[0]
        .public()
        .rsaes_pkcs1_v1_5_encrypt(&mut rng(), key)
        .unwrap()
}

fn cbc_message(encrypted_key: &[u8], key: &[u8; 16], data: &[u8]) -> Vec<u8> {
    let iv = [9; 16];
    let mut content = [data, &[0; 16]].concat();
    let mode = ::cbc::Encryptor::<aes::Aes128>::new(key.into(), &iv.into());
    let len = mode
        .encrypt_padded::<Pkcs7>(&mut content, data.len())
        .unwrap()
        .len();
    content.truncate(len);
    let oid = element(ber::OID, &[OID_AES, &[2]]);
    let cipher = element(ber::SEQUENCE, &[&oid, &element(ber::OCTET_STRING, &[&iv])]);
    foreign(names::ENVELOPED_DATA, encrypted_key, &cipher, &content, &[])
}

/// A content in parts that match no buffer's size, and in one, for one to five threads.
#[test]
fn teams_read_and_write_what_one_thread_does() {
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
        let data: Vec<u8> = (0..len).map(|i| (i * i) as u8).collect();
        for threads in 1..=5 {
            let team = Spawned::new(threads);
            for (known, pem) in [(true, false), (false, false), (false, true)] {
                let options = EncryptOptions {
                    len: known.then_some(len as u64),
                    pem,
                    ..Default::default()
                };
                let (mut message, mut plain) = (vec![], vec![]);
                let to = [recipient(0)];
                let input = &mut &data[..];
                encrypt_on(&team, &mut rng(), &to, &options, input, &mut message).unwrap();
                assert!(open(0, &message).unwrap().0 == data, "{len} bytes");
                let message = &mut &seal(&to, &options, &data)[..];
                let opened = {
                    let options = DecryptOptions::default();
                    decrypt_on(&team, &mut rng(), &KEYS[0], &options, message, &mut plain)
                };
                assert_eq!(opened.unwrap().bytes, len as u64);
                assert!(plain == data, "{len} bytes, {threads} threads");
            }
        }
    }
}

#[test]
fn old_messages_are_read_and_called_unauthenticated() {
    for len in [0, 1, 15, 16, 17, 5 * CHUNK / 2] {
        let data = vec![0x5a; len];
        let message = cbc_message(&transported(&[1; 16]), &[1; 16], &data);
        let (plain, opened) = open(0, &message).unwrap();
        assert!(plain == data && !opened.authenticated, "{len} bytes");
    }
}

#[test]
fn a_bad_key_transport_fails_like_a_bad_content() {
    let data = [0; 64];
    let wrong_length = transported(&[1; 24]);
    let no_padding = vec![1; 128];
    for encrypted_key in [&wrong_length, &no_padding] {
        // A random key leaves a padding that looks right once in 256 times; then the plaintext is still not ours.
        let outcome = open(0, &cbc_message(encrypted_key, &[1; 16], &data));
        assert!(
            matches!(&outcome, Err(Error::Decryption))
                || outcome.is_ok_and(|(plain, _)| plain != data)
        );
    }
}

#[test]
fn attributes_behind_the_content_are_authenticated() {
    let (key, nonce, text) = ([3; 16], [4; 12], b"not longer than two blocks");
    let gcm = Gcm::new(&key, &nonce).unwrap();
    let mut content = vec![];
    let read = |piece: &mut [u8]| {
        piece[..text.len()].copy_from_slice(text);
        Ok(text.len())
    };
    let write = |piece: &[u8]| {
        content.extend_from_slice(piece);
        Ok(())
    };
    let sum = gcm.encrypt(&Serial, read, write).unwrap();
    // In another order than that of DER, in which they are authenticated (RFC 5083 section 2.2).
    let parts = [element(ber::OID, &[names::DATA]), integer(42)];
    let attributes = parts.concat();
    let tag = gcm.tag(&sum, &element(ber::SET, &[&parts[1], &parts[0]]));

    let oid = element(ber::OID, &[OID_AES, &[6]]);
    let parameters = element(
        ber::SEQUENCE,
        &[&element(ber::OCTET_STRING, &[&nonce]), &integer(16)],
    );
    let cipher = element(ber::SEQUENCE, &[&oid, &parameters]);
    let message = |attributes: &[u8], tag: &[u8]| {
        let rest = [
            element(context(1), &[attributes]),
            element(ber::OCTET_STRING, &[tag]),
        ]
        .concat();
        foreign(
            names::AUTH_ENVELOPED_DATA,
            &transported(&key),
            &cipher,
            &content,
            &rest,
        )
    };
    assert_eq!(
        open(0, &message(&attributes, &tag)).unwrap().0,
        b"not longer than two blocks"
    );
    let mut other = attributes.clone();
    *other.last_mut().unwrap() ^= 1;
    assert!(matches!(
        open(0, &message(&other, &tag)),
        Err(Error::Decryption)
    ));
    assert!(matches!(
        open(0, &message(&attributes, &tag[..15])),
        Err(Error::Decryption)
    ));
}

#[test]
fn foreign_bytes_get_a_sentence() {
    let cases: [&[u8]; 6] = [
        b"",
        b"hello",
        b"\x30",
        b"\x30\x80",
        b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        &[0x30; 4096],
    ];
    for case in cases {
        let error = open(0, case).unwrap_err();
        assert!(error.to_string().len() > 10, "{case:?}");
    }
}

/// What `openssl cms -decrypt` reads too, though it is BER where programs write DER.
#[test]
fn strings_in_parts_are_read_wherever_strings_are() {
    let text = b"some text";
    let cbc = |parts: &dyn Fn(&[u8]) -> Vec<u8>| {
        let iv = [9; 16];
        let mut content = text.to_vec();
        carrysave_symmetric::aes::Aes::new(&[1; 16])
            .unwrap()
            .cbc_encrypt_padded(&iv, &mut content);
        let id = element(ber::SEQUENCE, &[&element(ber::SEQUENCE, &[]), &integer(7)]);
        let info = [integer(0), id, RSA.to_vec(), parts(&transported(&[1; 16]))].concat();
        let oid = element(ber::OID, &[OID_AES, &[2]]);
        let cipher = element(ber::SEQUENCE, &[&oid, &parts(&iv)]);
        let content = element(context_primitive(0), &[&content]);
        let data = element(ber::OID, &[names::DATA]);
        let infos = element(ber::SET, &[&element(ber::SEQUENCE, &[&info])]);
        let content = element(ber::SEQUENCE, &[&data, &cipher, &content]);
        let body = element(ber::SEQUENCE, &[&integer(0), &infos, &content]);
        let kind = element(ber::OID, &[names::ENVELOPED_DATA]);
        element(ber::SEQUENCE, &[&kind, &element(context(0), &[&body])])
    };
    let definite = |bytes: &[u8]| {
        let (a, b) = bytes.split_at(5);
        let [a, b] = [a, b].map(|part| element(ber::OCTET_STRING, &[part]));
        element(ber::OCTET_STRING | ber::CONSTRUCTED, &[&a, &b])
    };
    let indefinite = |bytes: &[u8]| {
        let inner = element(ber::OCTET_STRING, &[bytes]);
        [&[0x24, 0x80, 0x24, 0x80][..], &inner, &[0; 4]].concat()
    };
    for message in [cbc(&definite), cbc(&indefinite)] {
        assert_eq!(open(0, &message).unwrap().0, text);
    }
}
