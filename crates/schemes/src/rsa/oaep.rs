//! EME-OAEP (RFC 8017 section 7.1): encoding and constant-time decoding.

use super::{Error, PrivateKey, PublicKey};
use crate::STACK;
use crate::hash::Hash;
use crate::mgf::mgf1_xor;
use carrysave_arith::{Nat, off_stack, publish};
use ctutils::{Choice, CtAssign, CtEq};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// `EME-OAEP-Encode`: `EM` of `k` bytes for the message `m` (RFC 8017 section 7.1.1, step 2), with the given `seed`.
///
/// # Errors
/// [`Error::MessageTooLong`] if `m` is longer than `k - 2 hLen - 2` bytes, [`Error::KeyTooSmall`] if no message fits.
///
/// # Panics
/// If `seed` is not `hash.len()` bytes long.
///
/// # Timing
/// Depends on the lengths only.
pub fn eme_oaep_encode(
    hash: Hash,
    mgf: Hash,
    label: &[u8],
    m: &[u8],
    seed: &[u8],
    k: usize,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let h_len = hash.len();
    assert_eq!(seed.len(), h_len, "the seed is as long as the hash");
    // 1. b. If mLen > k - 2hLen - 2, output "message too long" and stop.
    let max = k.checked_sub(2 * h_len + 2).ok_or(Error::KeyTooSmall)?;
    if m.len() > max {
        return Err(Error::MessageTooLong { max });
    }
    // 2. i. EM = 0x00 || maskedSeed || maskedDB
    let mut em = Zeroizing::new(vec![0; k]);
    let (masked_seed, db) = em[1..].split_at_mut(h_len);
    masked_seed.copy_from_slice(seed);
    // 2. a. - c. DB = lHash || PS || 0x01 || M
    db[..h_len].copy_from_slice(&hash.digest(label));
    let start = db.len() - m.len();
    db[start - 1] = 1;
    db[start..].copy_from_slice(m);
    // 2. e. f. maskedDB = DB xor MGF(seed)
    mgf1_xor(mgf, masked_seed, db);
    // 2. g. h. maskedSeed = seed xor MGF(maskedDB)
    mgf1_xor(mgf, db, masked_seed);
    Ok(em)
}

/// `EME-OAEP-Decode` (RFC 8017 section 7.1.2, step 3): the message in `em`.
///
/// # Errors
/// [`Error::Decryption`], from one path for every error.
///
/// # Timing
/// Depends on the lengths only; if the padding is right, also on the length of the message.
pub fn eme_oaep_decode(
    hash: Hash,
    mgf: Hash,
    label: &[u8],
    em: &[u8],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let h_len = hash.len();
    if em.len() < 2 * h_len + 2 {
        return Err(Error::Decryption);
    }
    // 3. b. EM = Y || maskedSeed || maskedDB
    let mut em = Zeroizing::new(em.to_vec());
    let (y, rest) = em.split_at_mut(1);
    let (seed, db) = rest.split_at_mut(h_len);
    // 3. c. - f.
    mgf1_xor(mgf, db, seed);
    mgf1_xor(mgf, seed, db);
    // 3. g. DB = lHash' || PS || 0x01 || M, with Y = 0; there is no decision before everything has been read.
    let mut good = y[0].ct_eq(&0) & db[..h_len].ct_eq(&*hash.digest(label));
    let mut found = Choice::FALSE;
    let mut start = 0u32;
    for (i, byte) in (1u32..).zip(&db[h_len..]) {
        let is_one = byte.ct_eq(&1);
        start.ct_assign(&i, !found & is_one);
        good &= found | is_one | byte.ct_eq(&0);
        found |= is_one;
    }
    // The caller learns this bit, and then the message's length.
    if publish(u64::from((good & found).to_u8())) == 0 {
        return Err(Error::Decryption);
    }
    let start = publish(start.into()) as usize;
    Ok(Zeroizing::new(db[h_len + start..].to_vec()))
}

impl PublicKey {
    /// `RSAES-OAEP-ENCRYPT` (RFC 8017 section 7.1.1): encrypts `m`, `label` being associated data that is not sent.
    ///
    /// ```
    /// # use carrysave_schemes::{hash::Hash, rsa::{KeygenOptions, PrivateKey}};
    /// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    /// # let options = KeygenOptions { allow_small: true, ..Default::default() };
    /// # let key = PrivateKey::generate_with(|| rand_core::UnwrapErr(getrandom::SysRng), 1024, &options, &|_| ()).unwrap();
    /// let c = key.public().rsaes_oaep_encrypt(&mut rng, Hash::Sha256, Hash::Sha256, b"", b"a secret").unwrap();
    /// let m = key.rsaes_oaep_decrypt(&mut rng, Hash::Sha256, Hash::Sha256, b"", &c).unwrap();
    /// assert_eq!(*m, b"a secret");
    /// ```
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::KeyTooSmall`], [`Error::Purpose`].
    pub fn rsaes_oaep_encrypt<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        mgf: Hash,
        label: &[u8],
        m: &[u8],
    ) -> Result<Vec<u8>, Error> {
        // 3. m = OS2IP(EM), c = RSAEP((n, e), m), C = I2OSP(c, k)
        let m = self.rsaes_oaep_encrypt_start(rng, hash, mgf, label, m)?;
        self.i2osp(&self.rsaep(&m)?)
    }

    /// The first step of [`PublicKey::rsaes_oaep_encrypt`]: the message representative.
    pub(super) fn rsaes_oaep_encrypt_start<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        mgf: Hash,
        label: &[u8],
        m: &[u8],
    ) -> Result<Nat, Error> {
        self.permits_other_than_pss()?;
        // 2. d. Generate a random octet string seed of length hLen.
        let mut seed = Zeroizing::new([0; 64]);
        let seed = &mut seed[..hash.len()];
        rng.fill_bytes(seed);
        let em = eme_oaep_encode(hash, mgf, label, m, seed, self.size())?;
        Ok(Nat::from_be_bytes(&em))
    }
}

impl PrivateKey {
    /// `RSAES-OAEP-DECRYPT` (RFC 8017 section 7.1.2): decrypts `c`.
    ///
    /// # Errors
    /// [`Error::Decryption`] for every failure; [`Error::Purpose`] for a key that is not for decryption.
    ///
    /// # Timing
    /// As [`PrivateKey::rsadp`] and [`eme_oaep_decode`].
    pub fn rsaes_oaep_decrypt<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        mgf: Hash,
        label: &[u8],
        c: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        // 2. m = RSADP(K, OS2IP(C))
        let m = self.rsadp(rng, &self.rsaes_decrypt_start(c)?)?;
        self.rsaes_oaep_decrypt_finish(hash, mgf, label, &m)
    }

    /// The last step of [`PrivateKey::rsaes_oaep_decrypt`], after the primitive's result `m`.
    pub(super) fn rsaes_oaep_decrypt_finish(
        &self,
        hash: Hash,
        mgf: Hash,
        label: &[u8],
        m: &Nat,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        off_stack::<STACK, _>(|| eme_oaep_decode(hash, mgf, label, &self.decrypted_block(m)?))
    }
}
