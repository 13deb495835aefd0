//! PasswordRecipientInfo (RFC 5652 section 6.2.4): the content key encrypted with a password, by PBKDF2 (RFC 8018) and
//! the double encryption of RFC 3211.

use super::ber::{self, Reader, context, element};
use super::cbc::{self, BlockCipher};
use super::{Error, names};
use crate::formats::derive;
use crate::hash::Hash;
use carrysave_arith::publish;
use carrysave_symmetric::aes::Aes;
use rand_core::CryptoRng;
use std::io::Read;
use zeroize::Zeroizing;

/// The last byte of id-alg-PWRI-KEK.
const PWRI_KEK: u8 = 9;
/// The last byte of hmacWithSHA256.
const HMAC_SHA256: u8 = 9;

/// A content key encrypted with a password.
pub struct Info {
    prf: Hash,
    salt: Vec<u8>,
    iterations: u32,
    cipher: cbc::Algorithm,
    encrypted_key: Vec<u8>,
}

/// The value encrypted with a password.
pub fn read(bytes: &[u8]) -> Result<Info, Error> {
    let mut r = Reader::new(bytes);
    r.enter(context(3))?;
    r.number()?; // version
    if r.peek()? != Some(context(0)) {
        let what = "a key of a password with no derivation";
        return Err(Error::Unsupported(what.to_owned()));
    }
    r.enter(context(0))?;
    let (prf, salt, iterations) = read_pbkdf2(&mut r)?;
    r.leave()?;
    r.enter(ber::SEQUENCE)?;
    let oid = r.oid()?;
    if oid.strip_prefix(names::SMIME_ALG) != Some(&[PWRI_KEK]) {
        let what = format!("encryption of a key with a password {}", names::named(&oid));
        return Err(Error::Unsupported(what));
    }
    let cipher = names::read_cbc(&mut r)?;
    r.leave()?;
    let encrypted_key = r.octets(ber::OCTET_STRING, 1024)?;
    r.leave()?;
    let block = cipher.block_len();
    if encrypted_key.len() < 2 * block || !encrypted_key.len().is_multiple_of(block) {
        return Err(Error::Malformed(
            "an encrypted key that is not two blocks or more",
        ));
    }
    Ok(Info {
        prf,
        salt,
        iterations,
        cipher,
        encrypted_key,
    })
}

/// The contents of the AlgorithmIdentifier (RFC 8018 appendix A.2).
fn read_pbkdf2<R: Read>(r: &mut Reader<R>) -> Result<(Hash, Vec<u8>, u32), Error> {
    let oid = r.oid()?;
    if oid != names::PBKDF2 {
        let what = format!("derivation of a key from a password {}", names::named(&oid));
        return Err(Error::Unsupported(what));
    }
    r.enter(ber::SEQUENCE)?;
    let salt = r.octets(ber::OCTET_STRING, 1024)?;
    let iterations = u32::try_from(r.number()?).unwrap_or(u32::MAX).max(1);
    if r.peek()? == Some(ber::INTEGER) {
        r.number()?; // the length of the key, which the cipher says
    }
    let mut prf = Hash::Sha1;
    if r.peek()?.is_some() {
        r.enter(ber::SEQUENCE)?;
        let oid = r.oid()?;
        r.skip_out()?;
        prf = match oid.strip_prefix(names::HMAC) {
            Some([7]) => Hash::Sha1,
            Some([8]) => Hash::Sha224,
            Some([HMAC_SHA256]) => Hash::Sha256,
            Some([10]) => Hash::Sha384,
            Some([11]) => Hash::Sha512,
            Some([12]) => Hash::Sha512_224,
            Some([13]) => Hash::Sha512_256,
            _ => {
                let what = format!("PBKDF2 with {}", names::named(&oid));
                return Err(Error::Unsupported(what));
            }
        };
    }
    r.leave()?;
    Ok((prf, salt, iterations))
}

/// Encrypts a content key: PBKDF2 with HMAC-SHA-256, then AES-256-CBC twice (RFC 3211 section 2.3.1).
pub fn write<G: CryptoRng + ?Sized>(
    rng: &mut G,
    password: &[u8],
    iterations: u32,
    content_key: &[u8],
) -> Vec<u8> {
    let (mut salt, mut iv) = ([0; 16], [0; 16]);
    rng.fill_bytes(&mut salt);
    rng.fill_bytes(&mut iv);
    let kek = derive::pbkdf2(Hash::Sha256, password, &salt, iterations, 32);
    let aes = kek.and_then(|kek| Aes::new(&kek)).expect("32 bytes");
    let len = (4 + content_key.len()).next_multiple_of(16).max(32);
    let mut key = Zeroizing::new(vec![0; len]);
    rng.fill_bytes(&mut key);
    key[0] = content_key.len() as u8;
    for i in 0..3 {
        key[1 + i] = !content_key[i];
    }
    key[4..4 + content_key.len()].copy_from_slice(content_key);
    aes.cbc_encrypt(&iv, &mut key);
    let last = *key.last_chunk().expect("two blocks or more");
    aes.cbc_encrypt(&last, &mut key);

    let iterations = ber::integer(iterations.into());
    let prf = [names::HMAC, &[HMAC_SHA256]].concat();
    let prf = names::algorithm(&prf, &element(ber::NULL, &[]));
    let salt = element(ber::OCTET_STRING, &[&salt]);
    let pbkdf2 = element(ber::SEQUENCE, &[&salt, &iterations, &prf]);
    let cipher = [names::AES, &[42]].concat();
    let cipher = names::algorithm(&cipher, &element(ber::OCTET_STRING, &[&iv]));
    element(
        context(3),
        &[
            &ber::integer(0),
            &element(context(0), &[&element(ber::OID, &[names::PBKDF2]), &pbkdf2]),
            &names::algorithm(&[names::SMIME_ALG, &[PWRI_KEK]].concat(), &cipher),
            &element(ber::OCTET_STRING, &[&key]),
        ],
    )
}

/// The content key: the first whose check value is right.
pub fn open(
    password: &[u8],
    infos: &[Info],
    key_len: usize,
    max_iterations: u32,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let all: u64 = infos.iter().map(|info| u64::from(info.iterations)).sum();
    if all > max_iterations.into() {
        return Err(Error::Unsupported(format!(
            "{all} iterations of PBKDF2, which are more than {max_iterations}"
        )));
    }
    let mut opened = infos.iter().filter_map(|info| info.open(password, key_len));
    opened.next().ok_or(Error::Decryption)
}

impl Info {
    fn open(&self, password: &[u8], key_len: usize) -> Option<Zeroizing<Vec<u8>>> {
        let (salt, len) = (&self.salt, self.cipher.key_len);
        let kek = derive::pbkdf2(self.prf, password, salt, self.iterations, len)?;
        unwrap(
            &self.cipher.cipher(&kek)?,
            &self.cipher.iv,
            &self.encrypted_key,
            key_len,
        )
    }
}

/// RFC 3211 section 2.3.2: the last block of the inner encryption was the vector of the outer one.
fn unwrap(
    cipher: &BlockCipher,
    iv: &[u8],
    encrypted: &[u8],
    key_len: usize,
) -> Option<Zeroizing<Vec<u8>>> {
    let mut data = Zeroizing::new(encrypted.to_vec());
    let (rest, last) = data.split_at_mut(encrypted.len() - iv.len());
    cipher.decrypt(&rest[rest.len() - iv.len()..], last);
    cipher.decrypt(last, rest);
    cipher.decrypt(iv, &mut data);
    let key = data.get(4..4 + key_len)?;
    let check = (0..3).fold(data[0] ^ key_len as u8, |acc, i| {
        acc | (data[1 + i] ^ !key[i])
    });
    (publish(check.into()) == 0).then(|| Zeroizing::new(key.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use getrandom::SysRng;
    use rand_core::UnwrapErr;

    #[test]
    fn iterations_beyond_a_word_are_many() {
        for (number, expected) in [
            (&[0][..], 1),
            (&[3, 0xe8], 1000),
            (&[0, 0xff, 0xff, 0xff, 0xff], u32::MAX),
            (&[1, 0, 0, 0, 1], u32::MAX),
        ] {
            let salt = element(ber::OCTET_STRING, &[b"salt"]);
            let parameters = element(ber::SEQUENCE, &[&salt, &element(ber::INTEGER, &[number])]);
            let bytes = [element(ber::OID, &[names::PBKDF2]), parameters].concat();
            let (_, _, iterations) = read_pbkdf2(&mut Reader::new(&bytes[..])).unwrap();
            assert_eq!(iterations, expected);
        }
    }

    #[test]
    fn salts_are_read_up_to_their_limit() {
        let read = |len: usize| {
            let salt = element(ber::OCTET_STRING, &[&vec![7; len]]);
            let parameters = element(ber::SEQUENCE, &[&salt, &ber::integer(1)]);
            let bytes = [element(ber::OID, &[names::PBKDF2]), parameters].concat();
            read_pbkdf2(&mut Reader::new(&bytes[..])).is_ok()
        };
        assert!(read(1024) && !read(1025));
    }

    /// The value with another encrypted key at its end.
    fn with_key(message: &[u8], key: &[u8]) -> Vec<u8> {
        let mut parts = Reader::new(message);
        parts.enter(context(3)).unwrap();
        let mut all: Vec<_> = (0..3).map(|_| parts.der(1024).unwrap()).collect();
        all.push(element(ber::OCTET_STRING, &[key]));
        let all: Vec<&[u8]> = all.iter().map(|part| &part[..]).collect();
        element(context(3), &all)
    }

    #[test]
    fn an_encrypted_key_is_two_blocks_to_1024_octets() {
        let message = write(&mut UnwrapErr(SysRng), b"password", 1, &[7; 16]);
        for len in (0..=80).chain(1008..=1056) {
            let right = read(&with_key(&message, &vec![0; len])).is_ok();
            assert_eq!(right, (32..=1024).contains(&len) && len % 16 == 0, "{len}");
        }
    }

    /// The count and the three check octets (RFC 3211 section 2.3) are compared, each.
    #[test]
    fn a_key_whose_check_is_wrong_is_none() {
        let (aes, iv, key) = (Aes::new(&[5; 32]).unwrap(), [3; 16], [7; 16]);
        let encrypted = |check: [u8; 4]| {
            let mut data = [&check[..], &key, &[9; 12]].concat();
            aes.cbc_encrypt(&iv, &mut data);
            let last: [u8; 16] = *data.last_chunk().unwrap();
            aes.cbc_encrypt(&last, &mut data);
            data
        };
        let cipher = BlockCipher::Aes(Aes::new(&[5; 32]).unwrap());
        let opened = |check| unwrap(&cipher, &iv, &encrypted(check), 16);
        let right = [16, !7, !7, !7];
        assert_eq!(*opened(right).unwrap(), key);
        for (i, bit) in (0..4).flat_map(|i| (0..8).map(move |bit| (i, bit))) {
            let mut check = right;
            check[i] ^= 1 << bit;
            assert!(opened(check).is_none(), "octet {i}, bit {bit}");
        }
    }

    /// Salt, vector and key, 64 octets, are not those of another message, nor is the padding inside.
    #[test]
    fn what_is_written_twice_differs() {
        let rng = &mut UnwrapErr(SysRng);
        let messages = [(); 2].map(|()| write(rng, b"password", 1, &[7; 16]));
        let pairs = messages[0].iter().zip(&messages[1]);
        let differ = pairs.filter(|(a, b)| a != b).count();
        assert!((55..=64).contains(&differ), "{differ}");
        let [padding, other] = messages.map(|message| {
            let info = read(&message).unwrap();
            let kek = derive::pbkdf2(Hash::Sha256, b"password", &info.salt, 1, 32).unwrap();
            let cipher = info.cipher.cipher(&kek).unwrap();
            let mut data = info.encrypted_key;
            let (first, last) = data.split_at_mut(16);
            cipher.decrypt(first, last);
            cipher.decrypt(last, first);
            cipher.decrypt(&info.cipher.iv, &mut data);
            assert_eq!(data[4..20], [7; 16]);
            data[20..].to_vec()
        });
        assert_ne!(padding, other);
    }
}
