//! Private keys in the form of OpenSSH (PROTOCOL.key), with a password or without.

use super::LABEL;
use crate::formats::ssh_string;
use carrysave_symmetric::aes::Aes;
use der::pem::{LineEnding, encode_string};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Rounds of bcrypt, as `ssh-keygen` takes them.
const ROUNDS: u32 = 24;
/// Octets of bcrypt's salt.
const SALT: usize = 16;
/// Octets of a block: of AES, and where nothing is encrypted.
const BLOCK: usize = 16;
const PLAIN_BLOCK: usize = 8;

/// A number (RFC 4251, 5) of big-endian octets: in its shortest form, with a zero before a top bit.
pub(crate) fn mpint(octets: &[u8]) -> Zeroizing<Vec<u8>> {
    let zeros = octets.iter().take_while(|&&octet| octet == 0).count();
    let magnitude = &octets[zeros..];
    let zero: &[u8] = match magnitude.first() {
        Some(0x80..) => &[0],
        _ => &[],
    };
    ssh_string(&Zeroizing::new([zero, magnitude].concat()))
}

/// The file with a key: its public blob, and what the private section has behind the kind of the key.
pub(crate) fn private<R: CryptoRng + ?Sized>(
    public: &[u8],
    secret: &[&[u8]],
    comment: &str,
    password: Option<&[u8]>,
    rng: &mut R,
) -> Zeroizing<String> {
    let mut check = [0; 4];
    rng.fill_bytes(&mut check);
    let secret = Zeroizing::new(secret.concat());
    let comment = ssh_string(comment.as_bytes());
    let block = if password.is_some() {
        BLOCK
    } else {
        PLAIN_BLOCK
    };
    let len = 2 * check.len() + secret.len() + comment.len();
    let padded = len.next_multiple_of(block);
    let mut section = Zeroizing::new(Vec::with_capacity(padded));
    for part in [&check, &check, &secret[..], &comment] {
        section.extend_from_slice(part);
    }
    section.extend((1..).take(padded - len));
    let (cipher, kdf, options) = match password {
        None => ("none", "none", vec![]),
        Some(password) => {
            let mut salt = [0; SALT];
            rng.fill_bytes(&mut salt);
            let mut key = Zeroizing::new([0; 32 + BLOCK]);
            bcrypt_pbkdf::bcrypt_pbkdf(password, &salt, ROUNDS, &mut *key)
                .expect("a password, a salt and rounds that bcrypt takes");
            let (key, iv) = key.split_at(32);
            let aes = Aes::new(key).expect("32 octets are a key");
            aes.apply_ctr(iv.try_into().expect("a block"), 128, 0, &mut section);
            let options = [&ssh_string(&salt)[..], &ROUNDS.to_be_bytes()].concat();
            ("aes256-ctr", "bcrypt", options)
        }
    };
    let file = Zeroizing::new(
        [
            b"openssh-key-v1\0",
            &ssh_string(cipher.as_bytes())[..],
            &ssh_string(kdf.as_bytes()),
            &ssh_string(&options),
            &1_u32.to_be_bytes(),
            &ssh_string(public),
            &ssh_string(&section),
        ]
        .concat(),
    );
    Zeroizing::new(encode_string(LABEL, LineEnding::LF, &file).expect("a label of our own"))
}
