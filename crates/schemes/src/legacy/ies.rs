//! DLIES and ECIES (IEEE 1363a-2004; SEC 1, 5.1) in the mode DHAES (Abdalla, Bellare, Rogaway, ePrint 1999/007),
//! compatible with Crypto++'s `DLIES<H>` and `ECIES<ECP, H>`. Legacy: today's choice is HPKE.
//!
//! A ciphertext is an element of the group, the message under a one-time pad, and a tag of HMAC, with 16 bytes of key. Pad
//! and key come from KDF2 of the element and the shared secret. A label, which is not sent, is in the tag.
//!
//! ```
//! use carrysave_schemes::{ec::{P256, PrivateKey}, hash::Hash, legacy::ies};
//! let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
//! let key = PrivateKey::<P256>::generate_with(rng);
//! let c = ies::ecies_encrypt(key.public(), rng, Hash::Sha256, b"", b"a secret").unwrap();
//! assert_eq!(*ies::ecies_decrypt(&key, Hash::Sha256, b"", &c).unwrap(), b"a secret");
//! ```

use crate::hash::Hash;
use crate::mgf::kdf2;
use crate::{dl, ec};
use carrysave_arith::publish;
use ctutils::CtEq;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// The length of the key of HMAC in bytes.
const MAC_KEY: usize = 16;

/// Encrypts `m` by DLIES.
///
/// # Errors
/// [`dl::Error::SmallOrder`], which only a fault of the machine can cause.
///
/// # Timing
/// Depends on the group and the lengths.
pub fn dlies_encrypt<R: CryptoRng + ?Sized>(
    key: &dl::PublicKey,
    rng: &mut R,
    hash: Hash,
    label: &[u8],
    m: &[u8],
) -> Result<Vec<u8>, dl::Error> {
    let (v, z) = key.dh_meet_new(rng)?;
    Ok(seal(hash, v, &z, label, m))
}

/// Decrypts what [`dlies_encrypt`] made.
///
/// # Errors
/// [`dl::Error::Decryption`] for every failure.
///
/// # Timing
/// Depends on the group, and on the ciphertext and its validity.
pub fn dlies_decrypt(
    key: &dl::PrivateKey,
    hash: Hash,
    label: &[u8],
    c: &[u8],
) -> Result<Zeroizing<Vec<u8>>, dl::Error> {
    let agree = |v: &[u8]| key.agree_once(v);
    open(hash, key.group().size(), label, c, agree).ok_or(dl::Error::Decryption)
}

/// Encrypts `m` by ECIES, with an uncompressed point.
///
/// # Errors
/// Those of [`ec::PrivateKey::agree`].
///
/// # Timing
/// Depends on the curve and the lengths.
pub fn ecies_encrypt<C: ec::Named, R: CryptoRng + ?Sized>(
    key: &ec::PublicKey<C>,
    rng: &mut R,
    hash: Hash,
    label: &[u8],
    m: &[u8],
) -> Result<Vec<u8>, ec::Error> {
    let ephemeral = ec::PrivateKey::<C>::generate_with(rng);
    let v = ephemeral.public().to_sec1();
    Ok(seal(hash, v, &ephemeral.agree(key)?, label, m))
}

/// Decrypts what [`ecies_encrypt`] made.
///
/// # Errors
/// [`ec::Error::Decryption`] for every failure.
///
/// # Timing
/// Depends on the curve, and on the ciphertext and its validity.
pub fn ecies_decrypt<C: ec::Named>(
    key: &ec::PrivateKey<C>,
    hash: Hash,
    label: &[u8],
    c: &[u8],
) -> Result<Zeroizing<Vec<u8>>, ec::Error> {
    let agree = |v: &[u8]| key.agree(&ec::PublicKey::from_sec1(v).ok()?).ok();
    let len = key.public().to_sec1().len();
    open(hash, len, label, c, agree).ok_or(ec::Error::Decryption)
}

/// The pad for a message of `len` bytes and the key of HMAC, from the sent element and the shared secret.
fn keys(hash: Hash, v: &[u8], z: &[u8], len: usize) -> [Zeroizing<Vec<u8>>; 2] {
    let secret = Zeroizing::new([v, z].concat());
    let mut keys = Zeroizing::new(vec![0; MAC_KEY + len]);
    kdf2(hash, &secret, &mut keys);
    let pad = Zeroizing::new(keys.split_off(MAC_KEY));
    [pad, keys]
}

fn tag(hash: Hash, key: &[u8], c: &[u8], label: &[u8]) -> Zeroizing<Vec<u8>> {
    let bits = 8 * label.len() as u64;
    hash.hmac(key, &[c, label, &bits.to_be_bytes()])
}

fn seal(hash: Hash, v: Vec<u8>, z: &[u8], label: &[u8], m: &[u8]) -> Vec<u8> {
    let [pad, mac_key] = keys(hash, &v, z, m.len());
    let padded: Vec<u8> = m.iter().zip(&*pad).map(|(m, k)| m ^ k).collect();
    let tag = tag(hash, &mac_key, &padded, label);
    [&v[..], &padded, &tag].concat()
}

/// The message in a ciphertext whose element has `v_len` bytes; `agree` gives the shared secret if the element is
/// valid.
fn open(
    hash: Hash,
    v_len: usize,
    label: &[u8],
    c: &[u8],
    agree: impl FnOnce(&[u8]) -> Option<Zeroizing<Vec<u8>>>,
) -> Option<Zeroizing<Vec<u8>>> {
    let len = c.len().checked_sub(v_len + hash.len())?;
    let (v, rest) = c.split_at(v_len);
    let (padded, found) = rest.split_at(len);
    let [mut m, mac_key] = keys(hash, v, &agree(v)?, len);
    // The message is not released before its tag is verified.
    let right = found.ct_eq(&tag(hash, &mac_key, padded, label)[..]);
    m.iter_mut().zip(padded).for_each(|(k, c)| *k ^= c);
    (publish(u64::from(right.to_u8())) == 1).then_some(m)
}
