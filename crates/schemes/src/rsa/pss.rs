//! EMSA-PSS (RFC 8017 section 9.1) and RSASSA-PSS (section 8.1).

use super::{Error, PrivateKey, PublicKey, check_digest, refuse_sha1};
use crate::hash::Hash;
use crate::mgf::mgf1_xor;
use carrysave_arith::Nat;
use core::mem;
use rand_core::CryptoRng;

/// `H = Hash(l || M1 || mHash || salt)`, where l is the length of M1 in bits, as 8 octets: all zero for PSS, which has
/// no part M1 of the message in its signature.
fn hash_m_prime(hash: Hash, m1: &[u8], m_hash: &[u8], salt: &[u8], h: &mut [u8]) {
    let mut hasher = hash.hasher();
    hasher.update(&(8 * m1.len() as u64).to_be_bytes());
    hasher.update(m1);
    hasher.update(m_hash);
    hasher.update(salt);
    hasher.finish_into(h);
}

/// Whether the hash is h.
fn is_hash_m_prime(hash: Hash, m1: &[u8], m_hash: &[u8], salt: &[u8], h: &[u8]) -> bool {
    let mut expected = [0; 64];
    let expected = &mut expected[..hash.len()];
    hash_m_prime(hash, m1, m_hash, salt, expected);
    expected == h
}

/// `EMSA-PSS-ENCODE` (RFC 8017 section 9.1.1) of the digest `m_hash` with the given `salt`: `ceil(em_bits / 8)` bytes.
///
/// # Errors
/// [`Error::DigestLength`] if `m_hash` is not of the hash's length, [`Error::KeyTooSmall`] if the salt does not fit.
pub fn emsa_pss_encode(
    hash: Hash,
    mgf: Hash,
    m_hash: &[u8],
    em_bits: usize,
    salt: &[u8],
) -> Result<Vec<u8>, Error> {
    emsa_pssr_encode(hash, mgf, &[], m_hash, em_bits, salt)
}

/// Encodes with a part `m1` of the message inside, beside the digest of the rest (IEEE 1363a-2004, EMSR3; ISO 9796-2,
/// scheme 2).
///
/// # Errors
/// As [`emsa_pss_encode`], and [`Error::MessageTooLong`].
pub(crate) fn emsa_pssr_encode(
    hash: Hash,
    mgf: Hash,
    m1: &[u8],
    m_hash: &[u8],
    em_bits: usize,
    salt: &[u8],
) -> Result<Vec<u8>, Error> {
    encode(hash, mgf, m1, m_hash, em_bits, salt.len(), |to| {
        to.copy_from_slice(salt);
    })
}

/// Encodes with a salt of `salt_len` bytes, which `write_salt` writes in place.
fn encode(
    hash: Hash,
    mgf: Hash,
    m1: &[u8],
    m_hash: &[u8],
    em_bits: usize,
    salt_len: usize,
    write_salt: impl FnOnce(&mut [u8]),
) -> Result<Vec<u8>, Error> {
    check_digest(hash, m_hash)?;
    let em_len = em_bits.div_ceil(8);
    // 3. If emLen < hLen + sLen + 2, output "encoding error" and stop.
    let without_salt = em_len.checked_sub(hash.len() + 2);
    let max = without_salt.and_then(|len| len.checked_sub(salt_len));
    let max = max.ok_or(Error::KeyTooSmall)?;
    if m1.len() > max {
        return Err(Error::MessageTooLong { max });
    }
    let mut em = vec![0; em_len];
    let (db, rest) = em.split_at_mut(em_len - hash.len() - 1);
    let (h, trailer) = rest.split_at_mut(hash.len());
    // 4. 7. 8. DB = PS || 0x01 || M1 || salt
    let (start, salt) = (db.len() - salt_len - m1.len(), db.len() - salt_len);
    db[start - 1] = 1;
    db[start..salt].copy_from_slice(m1);
    write_salt(&mut db[salt..]);
    // 5. 6. H = Hash(M')
    hash_m_prime(hash, m1, m_hash, &db[salt..], h);
    // 9. 10. maskedDB = DB xor MGF(H)
    mgf1_xor(mgf, h, db);
    // 11. Set the leftmost 8emLen - emBits bits of the leftmost octet in maskedDB to zero.
    db[0] &= top_mask(em_bits);
    // 12. EM = maskedDB || H || 0xbc
    trailer[0] = 0xbc;
    Ok(em)
}

/// The bits of the leftmost octet that belong to an encoding of `em_bits` bits.
pub(crate) fn top_mask(em_bits: usize) -> u8 {
    0xff >> (8 * em_bits.div_ceil(8) - em_bits)
}

/// `EMSA-PSS-VERIFY` (RFC 8017 section 9.1.2). `salt_len` is the length the salt must have, or `None` for any.
///
/// # Errors
/// [`Error::Verification`] if `em` does not belong to `m_hash`, [`Error::DigestLength`].
pub fn emsa_pss_verify(
    hash: Hash,
    mgf: Hash,
    salt_len: Option<usize>,
    m_hash: &[u8],
    em: &[u8],
    em_bits: usize,
) -> Result<(), Error> {
    verify(hash, mgf, salt_len, m_hash, &mut em.to_vec(), em_bits).map(drop)
}

/// [`emsa_pss_verify`] in place, which removes the mask of the encoding; returns the length of the salt.
fn verify(
    hash: Hash,
    mgf: Hash,
    salt_len: Option<usize>,
    m_hash: &[u8],
    em: &mut [u8],
    em_bits: usize,
) -> Result<usize, Error> {
    check_digest(hash, m_hash)?;
    let (salt, h) = open(hash, mgf, em, em_bits).ok_or(Error::Verification)?;
    let fits = salt_len.is_none_or(|len| len == salt.len());
    // 12. - 14. H = Hash(M')
    if fits && is_hash_m_prime(hash, &[], m_hash, salt, h) {
        Ok(salt.len())
    } else {
        Err(Error::Verification)
    }
}

/// The part of the message inside an encoding of [`emsa_pssr_encode`] with a salt of `salt_len` bytes. Removes the
/// encoding's mask.
///
/// # Errors
/// As [`emsa_pss_verify`].
pub(crate) fn emsa_pssr_verify(
    hash: Hash,
    mgf: Hash,
    salt_len: usize,
    m_hash: &[u8],
    em: &mut [u8],
    em_bits: usize,
) -> Result<Vec<u8>, Error> {
    check_digest(hash, m_hash)?;
    let (both, h) = open(hash, mgf, em, em_bits).ok_or(Error::Verification)?;
    let end = both.len().checked_sub(salt_len);
    let (m1, salt) = both.split_at(end.ok_or(Error::Verification)?);
    if is_hash_m_prime(hash, m1, m_hash, salt, h) {
        Ok(m1.to_vec())
    } else {
        Err(Error::Verification)
    }
}

/// The part of DB after the first 0x01, and H; `None` if the form is wrong. DB replaces maskedDB.
fn open(hash: Hash, mgf: Hash, em: &mut [u8], em_bits: usize) -> Option<(&[u8], &[u8])> {
    let em_len = em_bits.div_ceil(8);
    // 3. If emLen < hLen + sLen + 2, output "inconsistent" and stop.
    if em.len() != em_len || em_len < hash.len() + 2 {
        return None;
    }
    // 4. 5. EM = maskedDB || H || 0xbc
    let (db, rest) = em.split_at_mut(em_len - hash.len() - 1);
    let (h, trailer) = rest.split_at(hash.len());
    // 6. The leftmost bits are zero.
    if trailer[0] != 0xbc || db[0] & !top_mask(em_bits) != 0 {
        return None;
    }
    // 7. - 9. DB = maskedDB xor MGF(H), its leftmost bits cleared
    mgf1_xor(mgf, h, db);
    db[0] &= top_mask(em_bits);
    // 10. 11. DB = 00 ... 00 || 0x01 || salt
    let zeros = |bytes: &&[u8]| bytes.iter().fold(0, |all, byte| all | byte) == 0;
    let start = 16 * db.chunks(16).take_while(zeros).count();
    let one = (start..db.len()).find(|&i| db[i] != 0);
    let one = one.filter(|&i| db[i] == 1)?;
    Some((&db[one + 1..], h))
}

impl PrivateKey {
    /// `RSASSA-PSS-SIGN` (RFC 8017 section 8.1.1) of the digest of the message, with a random salt of `salt_len` bytes
    /// (usually `hash.len()`).
    ///
    /// # Errors
    /// [`Error::Sha1Signature`], [`Error::Purpose`], [`Error::DigestLength`], [`Error::KeyTooSmall`]; [`Error::Fault`]
    /// if the machine miscalculated.
    ///
    /// # Timing
    /// As [`PrivateKey::rsasp1`].
    pub fn rsassa_pss_sign<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        mgf: Hash,
        salt_len: usize,
        digest: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let m = self.rsassa_pss_sign_start(rng, hash, mgf, salt_len, digest)?;
        // 2. b. s = RSASP1(K, m)
        self.rsassa_sign_finish(&self.rsasp1(rng, &m)?)
    }

    /// The first step of [`PrivateKey::rsassa_pss_sign`]: the message representative.
    pub(super) fn rsassa_pss_sign_start<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        mgf: Hash,
        salt_len: usize,
        digest: &[u8],
    ) -> Result<Nat, Error> {
        refuse_sha1(hash)?;
        self.public().permits_pss(hash, mgf, salt_len)?;
        // 1. EM = EMSA-PSS-ENCODE(M, modBits - 1)
        let em = encode(hash, mgf, &[], digest, self.bits() - 1, salt_len, |salt| {
            rng.fill_bytes(salt);
        })?;
        // 2. a. m = OS2IP(EM)
        Ok(Nat::from_be_bytes(&em))
    }
}

impl PublicKey {
    /// `RSASSA-PSS-VERIFY` (RFC 8017 section 8.1.2) of the digest of the message. `salt_len` is the length that the
    /// salt must have; `None` accepts any.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not valid for this key and digest; [`Error::DigestLength`];
    /// [`Error::Purpose`] if the key is for other signatures.
    pub fn rsassa_pss_verify(
        &self,
        hash: Hash,
        mgf: Hash,
        salt_len: Option<usize>,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        let s = self.rsassa_pss_verify_start(hash, digest, signature)?;
        // 2. b. m = RSAVP1((n, e), s)
        self.rsassa_pss_verify_finish(hash, mgf, salt_len, digest, &self.rsavp1(&s)?)
    }

    /// The first step of [`PublicKey::rsassa_pss_verify`]: the signature representative.
    pub(super) fn rsassa_pss_verify_start(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Nat, Error> {
        check_digest(hash, digest)?;
        self.signature_representative(signature)
    }

    /// The last step of [`PublicKey::rsassa_pss_verify`], after the primitive's result `m`.
    pub(super) fn rsassa_pss_verify_finish(
        &self,
        hash: Hash,
        mgf: Hash,
        salt_len: Option<usize>,
        digest: &[u8],
        m: &Nat,
    ) -> Result<(), Error> {
        // 2. c. EM = I2OSP(m, emLen); if m is too large, output "invalid signature".
        let em_bits = self.bits() - 1;
        // It is public, so it is dropped without wiping.
        let em = m.to_be_bytes(em_bits.div_ceil(8));
        let mut em = mem::take(&mut *em.ok_or(Error::Verification)?);
        let salt_len = verify(hash, mgf, salt_len, digest, &mut em, em_bits)?;
        self.permits_pss(hash, mgf, salt_len)
    }
}
