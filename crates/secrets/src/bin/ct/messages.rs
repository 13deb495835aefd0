//! Encrypted messages: private keys, passwords, content keys and contents are secret, messages are public.

use crate::curves::own;
use crate::hidden::{SecretRng, assert_octets, octets, secrets};
use carrysave_schemes::{
    cms::{
        DecryptOptions, EncryptOptions, Error, Identity, Opened, Recipient, decrypt, decrypt_on,
        encrypt, encrypt_on,
    },
    ec::{
        Algorithm, AnyPrivateKey, AnyPublicKey, BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1,
        P224, P256, P384, P521, Secp256k1,
    },
    rsa::{PrivateKey, PublicKey},
};
use carrysave_secrets::valgrind::reveal;
use carrysave_symmetric::aes::Aes;
use carrysave_team::Spawned;
use getrandom::SysRng;
use rand_core::UnwrapErr;

/// The length of a content: a few blocks and a part of one.
const LEN: usize = 100;

/// Messages for RSA keys, keys of every curve and passwords, read and changed.
pub fn authenticated(key: &PrivateKey) {
    let to = Recipient::from_public_key(public(key)).expect("a public key");
    round_trip(&to, key.into());
    macro_rules! curves {
        ($($Curve:ident)*) => {$({
            let key = own::<$Curve>();
            let to = Recipient::from_curve_key(AnyPublicKey::from(key.public().clone()));
            round_trip(&to.expect("it agrees"), (&AnyPrivateKey::from(key)).into());
        })*};
    }
    curves!(P256 BrainpoolP256r1);
    if !cfg!(miri) {
        curves!(P224 P384 P521 Secp256k1 BrainpoolP384r1 BrainpoolP512r1);
    }
    for algorithm in [Algorithm::X25519, Algorithm::X448] {
        let key = AnyPrivateKey::generate_with(algorithm, &mut UnwrapErr(SecretRng));
        let to = Recipient::from_curve_key(key.public()).expect("it agrees");
        round_trip(&to, (&key).into());
    }
    let password = secrets(12);
    round_trip(
        &Recipient::from_password(&password),
        Identity::password(&password),
    );
}

fn public(key: &PrivateKey) -> PublicKey {
    key.public().clone()
}

/// A message for a recipient, which its reader opens; with one bit of its tag changed, or for another key, it is refused.
fn round_trip(to: &Recipient, reader: Identity<'_>) {
    let options = EncryptOptions {
        iterations: 3,
        ..EncryptOptions::default()
    };
    let rng = &mut UnwrapErr(SecretRng);
    let mut message = Vec::with_capacity(8192);
    let text = secrets(LEN);
    encrypt(
        rng,
        std::slice::from_ref(to),
        &options,
        &mut &text[..],
        &mut message,
    )
    .expect("a message");
    reveal(&message);
    let (opened, text) = read(reader, &message);
    assert!(opened.expect("it is for its reader").authenticated);
    assert_octets(&text);
    let last = message.len() - 7;
    message[last] ^= 1;
    assert!(matches!(read(reader, &message).0, Err(Error::Decryption)));
}

fn read(reader: Identity<'_>, message: &[u8]) -> (Result<Opened, Error>, Vec<u8>) {
    let mut text = Vec::with_capacity(2 * message.len());
    let options = DecryptOptions::default();
    let rng = &mut UnwrapErr(SecretRng);
    let opened = decrypt(rng, reader, &options, &mut &message[..], &mut text);
    (opened, text)
}

/// A message of several pieces, by a team.
pub fn on_teams(key: &PrivateKey) {
    let (team, rng) = (&Spawned::new(2), &mut UnwrapErr(SecretRng));
    let to = [Recipient::from_public_key(public(key)).expect("a public key")];
    let text = secrets(300_000);
    let mut message = Vec::with_capacity(400_000);
    let options = EncryptOptions::default();
    encrypt_on(team, rng, &to, &options, &mut &text[..], &mut message).expect("a message");
    reveal(&message);
    let mut back = Vec::with_capacity(400_000);
    let options = DecryptOptions::default();
    decrypt_on(team, rng, key, &options, &mut &message[..], &mut back).expect("it is for the key");
    assert_octets(&back);
}

/// An old message without authentication, with two content keys by PKCS #1 v1.5, of which one is another's: right, and with
/// a wrong padding of the content.
pub fn unauthenticated(key: &PrivateKey) {
    let open = &mut UnwrapErr(SysRng);
    let content_key = [7; 32];
    let size = key.public().size();
    let right = key
        .public()
        .rsaes_pkcs1_v1_5_encrypt(open, &content_key)
        .expect("it is short");
    let other = vec![1; size];
    let info = |encrypted: &[u8]| {
        let algorithm = element(
            0x30,
            &[
                &element(6, &[b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"]),
                &[5, 0],
            ],
        );
        let id = element(0x80, &[&[9; 20]]);
        element(
            0x30,
            &[&[2, 1, 2], &id, &algorithm, &element(4, &[encrypted])],
        )
    };
    for padding in [true, false] {
        let mut content = octets(LEN);
        match padding {
            true => Aes::new(&content_key)
                .expect("32 octets")
                .cbc_encrypt_padded(&[3; 16], &mut content),
            false => content.truncate(96),
        }
        let cipher = element(
            0x30,
            &[
                &element(6, &[b"\x60\x86\x48\x01\x65\x03\x04\x01\x2a"]),
                &element(4, &[&[3; 16]]),
            ],
        );
        let data = element(6, &[b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"]);
        let encrypted = element(0x30, &[&data, &cipher, &element(0x80, &[&content])]);
        let recipients = element(0x31, &[&info(&right), &info(&other)]);
        let enveloped = element(0x30, &[&[2, 1, 2], &recipients, &encrypted]);
        let kind = element(6, &[b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03"]);
        let message = element(0x30, &[&kind, &element(0xa0, &[&enveloped])]);
        let (opened, text) = read(key.into(), &message);
        assert_eq!(opened.is_ok(), padding, "{opened:?}");
        if padding {
            assert_octets(&text);
        }
    }
}

/// An element of DER.
fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut element = vec![tag];
    match content.len() {
        len @ 0..128 => element.push(len as u8),
        len => element.extend([0x82, (len >> 8) as u8, len as u8]),
    }
    element.extend(content);
    element
}
