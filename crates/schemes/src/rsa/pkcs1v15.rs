//! PKCS #1 v1.5: encryption with implicit rejection (RFC 8017 section 7.2, draft-irtf-cfrg-rsa-guidance) and
//! signatures (section 8.2).

use super::{Error, PrivateKey, PublicKey, check_digest, refuse_sha1};
use crate::STACK;
use crate::hash::Hash;
use carrysave_arith::{Nat, off_stack, publish};
use ctutils::{Choice, CtAssign, CtEq, CtLt, CtSelect};
use hmac::{Hmac, KeyInit, Mac};
use rand_core::CryptoRng;
use sha2::Sha256;
use zeroize::{Zeroize, Zeroizing};

/// The fewest bytes of padding in a block: `00 02`, eight of `PS`, `00`.
const OVERHEAD: usize = 11;

/// `EME-PKCS1-v1_5-ENCODE` (RFC 8017 section 7.2.1, step 2): `00 || 02 || PS || 00 || m`, `k` bytes.
/// `ps` gives the padding's bytes and must not give a zero.
///
/// # Errors
/// [`Error::MessageTooLong`] if `m` is longer than `k - 11` bytes, [`Error::KeyTooSmall`] if no message fits.
pub fn eme_pkcs1_v1_5_encode(
    m: &[u8],
    k: usize,
    ps: impl FnOnce(&mut [u8]),
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let max = k.checked_sub(OVERHEAD).ok_or(Error::KeyTooSmall)?;
    if m.len() > max {
        return Err(Error::MessageTooLong { max });
    }
    let mut em = Zeroizing::new(vec![0; k]);
    let start = k - m.len();
    em[1] = 2;
    ps(&mut em[2..start - 1]);
    em[start..].copy_from_slice(m);
    Ok(em)
}

/// The pseudo-random function of implicit rejection: `out.len()` bytes from the per-ciphertext key `kdk`.
fn prf(kdk: &[u8], label: &[u8], out: &mut [u8]) {
    let mac =
        <Hmac<Sha256> as KeyInit>::new_from_slice(kdk).expect("HMAC takes a key of any length");
    let bits = (out.len() as u16).wrapping_mul(8);
    for (i, chunk) in (0u16..).zip(out.chunks_mut(32)) {
        let mut mac = mac.clone();
        mac.update(&i.to_be_bytes());
        mac.update(label);
        mac.update(&bits.to_be_bytes());
        chunk.copy_from_slice(&mac.finalize().into_bytes()[..chunk.len()]);
    }
}

/// `EME-PKCS1-v1_5` decoding with implicit rejection: the message in `em` or, if the padding is wrong, a synthetic
/// message that depends only on the key and the ciphertext (through `kdk`).
///
/// # Timing
/// Depends on `em.len()` and on the length of the returned message, which reveals nothing about the padding.
pub(super) fn eme_pkcs1_v1_5_decode(kdk: &[u8], em: &[u8]) -> Zeroizing<Vec<u8>> {
    let k = em.len();
    let mut synthetic = Zeroizing::new(vec![0; k]);
    prf(kdk, b"message", &mut synthetic);
    // The synthetic length: the last of 128 masked candidates that is short enough.
    let mut candidates = Zeroizing::new([0; 256]);
    prf(kdk, b"length", &mut *candidates);
    let longest = (k - 10) as u32;
    let mask = (longest + 1).next_power_of_two() - 1;
    let mut length = 0u32;
    for pair in candidates.chunks_exact(2) {
        let candidate = u32::from(u16::from_be_bytes([pair[0], pair[1]])) & mask;
        length.ct_assign(&candidate, candidate.ct_lt(&longest));
    }
    // The real message starts after the first zero from index 2 on, which must leave 8 bytes of PS.
    let mut good = em[0].ct_eq(&0) & em[1].ct_eq(&2);
    let mut found = Choice::FALSE;
    let mut zero = 0u32;
    for (i, byte) in (2u32..).zip(&em[2..]) {
        let is_zero = byte.ct_eq(&0);
        zero.ct_assign(&i, !found & is_zero);
        found |= is_zero;
    }
    good &= found & !zero.ct_lt(&10);
    // Selects one of the two without a branch.
    let start = (k as u32 - length).ct_select(&(zero + 1), good);
    for (s, e) in synthetic.iter_mut().zip(em) {
        s.ct_assign(e, good);
    }
    // The caller learns only the length of the returned message.
    let start = publish(start.into()) as usize;
    Zeroizing::new(synthetic[start..].to_vec())
}

/// `EMSA-PKCS1-v1_5-ENCODE` (RFC 8017 section 9.2) of a digest: `em_len` bytes.
///
/// # Errors
/// [`Error::DigestLength`] if `digest` is not of the hash's length, [`Error::KeyTooSmall`] if it does not fit;
/// [`Error::Unfit`] for SHAKE, which is for PSS only (RFC 8702).
pub fn emsa_pkcs1_v1_5_encode(hash: Hash, digest: &[u8], em_len: usize) -> Result<Vec<u8>, Error> {
    check_hash(hash)?;
    check_digest(hash, digest)?;
    // 2. T = DigestInfo
    emsa_pkcs1_v1_5_block(hash.digest_info_prefix(), digest, em_len)
}

/// Refuses a hash for which no standard has a `DigestInfo`.
fn check_hash(hash: Hash) -> Result<(), Error> {
    match hash {
        Hash::Shake128 | Hash::Shake256 => Err(Error::Unfit("SHAKE is for PSS (RFC 8702)")),
        _ => Ok(()),
    }
}

/// The block of `EMSA-PKCS1-v1_5-ENCODE` (RFC 8017 section 9.2, steps 3 to 5) around any `T`, which is `info` with
/// `content` behind it: `em_len` bytes. For signatures of hashes that [`Hash`](enum@Hash) lacks, or of bytes without a
/// hash.
///
/// ```
/// use carrysave_schemes::rsa::emsa_pkcs1_v1_5_block;
/// let em = emsa_pkcs1_v1_5_block(b"", b"bytes", 20)?;
/// assert_eq!(em, b"\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00bytes");
/// # Ok::<_, carrysave_schemes::rsa::Error>(())
/// ```
///
/// # Errors
/// [`Error::KeyTooSmall`] if it does not fit.
pub fn emsa_pkcs1_v1_5_block(info: &[u8], content: &[u8], em_len: usize) -> Result<Vec<u8>, Error> {
    let len = info.len() + content.len();
    check_room(len, em_len)?;
    // 4. 5. EM = 0x00 || 0x01 || PS || 0x00 || T
    let mut em = vec![0xff; em_len];
    let (block, t) = em.split_at_mut(em_len - len);
    block[0] = 0;
    block[1] = 1;
    block[em_len - len - 1] = 0;
    t[..info.len()].copy_from_slice(info);
    t[info.len()..].copy_from_slice(content);
    Ok(em)
}

/// Refuses a `T` of `len` bytes that leaves no room for the padding.
fn check_room(len: usize, em_len: usize) -> Result<(), Error> {
    // 3. If emLen < tLen + 11, output "intended encoded message length too short" and stop.
    if em_len < len + OVERHEAD {
        return Err(Error::KeyTooSmall);
    }
    Ok(())
}

impl PublicKey {
    /// `RSAES-PKCS1-V1_5-ENCRYPT` (RFC 8017 section 7.2.1), for protocols that still need it; new ones take OAEP.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::KeyTooSmall`], [`Error::Purpose`].
    pub fn rsaes_pkcs1_v1_5_encrypt<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        m: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let m = self.rsaes_pkcs1_v1_5_encrypt_start(rng, m)?;
        self.i2osp(&self.rsaep(&m)?)
    }

    /// The first step of [`PublicKey::rsaes_pkcs1_v1_5_encrypt`]: the message representative.
    pub(super) fn rsaes_pkcs1_v1_5_encrypt_start<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        m: &[u8],
    ) -> Result<Nat, Error> {
        self.permits_other_than_pss()?;
        // 2. a. PS consists of pseudo-randomly generated nonzero octets.
        let em = eme_pkcs1_v1_5_encode(m, self.size(), |ps| {
            for byte in ps {
                // That one is drawn again is public.
                while publish((*byte == 0).into()) == 1 {
                    rng.fill_bytes(core::slice::from_mut(byte));
                }
            }
        })?;
        Ok(Nat::from_be_bytes(&em))
    }

    /// `RSASSA-PKCS1-V1_5-VERIFY` (RFC 8017 section 8.2.2) of the digest of the message: encodes the expected contents
    /// and compares, so no attacker's data is parsed.
    ///
    /// # Errors
    /// [`Error::Verification`] if the signature is not valid for this key and digest; [`Error::DigestLength`],
    /// [`Error::KeyTooSmall`], [`Error::Purpose`].
    pub fn rsassa_pkcs1_v1_5_verify(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        let s = self.rsassa_pkcs1_v1_5_verify_start(hash, digest, signature)?;
        self.rsassa_pkcs1_v1_5_verify_finish(hash, digest, &self.rsavp1(&s)?)
    }

    /// The first step of [`PublicKey::rsassa_pkcs1_v1_5_verify`]: the signature representative.
    pub(super) fn rsassa_pkcs1_v1_5_verify_start(
        &self,
        hash: Hash,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<Nat, Error> {
        self.permits_other_than_pss()?;
        check_hash(hash)?;
        check_digest(hash, digest)?;
        let len = hash.digest_info_prefix().len() + digest.len();
        check_room(len, self.size())?;
        self.signature_representative(signature)
    }

    /// The last step of [`PublicKey::rsassa_pkcs1_v1_5_verify`], after the primitive's result `m`.
    pub(super) fn rsassa_pkcs1_v1_5_verify_finish(
        &self,
        hash: Hash,
        digest: &[u8],
        m: &Nat,
    ) -> Result<(), Error> {
        let expected = emsa_pkcs1_v1_5_encode(hash, digest, self.size())?;
        if *m == Nat::from_be_bytes(&expected) {
            Ok(())
        } else {
            Err(Error::Verification)
        }
    }
}

impl PrivateKey {
    /// `RSAES-PKCS1-V1_5-DECRYPT` (RFC 8017 section 7.2.2) with implicit rejection: a ciphertext with a wrong padding
    /// decrypts, without an error, to a synthetic message determined by this key and this ciphertext. That closes
    /// Bleichenbacher's oracle for every caller.
    ///
    /// # Errors
    /// [`Error::Decryption`] if `c` is not `size()` bytes long or not below the modulus, both visible from outside;
    /// [`Error::Purpose`].
    ///
    /// # Timing
    /// Depends on the sizes and on the length of the returned message.
    pub fn rsaes_pkcs1_v1_5_decrypt<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        c: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let m = self.rsadp(rng, &self.rsaes_decrypt_start(c)?)?;
        self.rsaes_pkcs1_v1_5_decrypt_finish(c, &m)
    }

    /// The last step of [`PrivateKey::rsaes_pkcs1_v1_5_decrypt`] of `c`, after the primitive's result `m`.
    pub(super) fn rsaes_pkcs1_v1_5_decrypt_finish(
        &self,
        c: &[u8],
        m: &Nat,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let em = self.decrypted_block(m)?;
        if em.len() < OVERHEAD {
            return Err(Error::Decryption);
        }
        // The crate hmac leaves its key behind, with which a wrong padding shows.
        Ok(off_stack::<STACK, _>(|| {
            // KDK = HMAC(SHA256(I2OSP(d, k)), C)
            let mut kdk = <Hmac<Sha256> as KeyInit>::new_from_slice(self.rejection_secret())
                .expect("any length");
            kdk.update(c);
            let mut kdk = kdk.finalize().into_bytes();
            let m = eme_pkcs1_v1_5_decode(&kdk, &em);
            kdk.zeroize();
            m
        }))
    }

    /// `RSASSA-PKCS1-V1_5-SIGN` (RFC 8017 section 8.2.1) of the digest of the message.
    ///
    /// # Errors
    /// [`Error::Sha1Signature`], [`Error::Purpose`], [`Error::DigestLength`], [`Error::KeyTooSmall`]; [`Error::Fault`]
    /// if the machine miscalculated.
    ///
    /// # Timing
    /// As [`PrivateKey::rsasp1`].
    pub fn rsassa_pkcs1_v1_5_sign<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        hash: Hash,
        digest: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let m = self.rsassa_pkcs1_v1_5_sign_start(hash, digest)?;
        self.rsassa_sign_finish(&self.rsasp1(rng, &m)?)
    }

    /// The first step of [`PrivateKey::rsassa_pkcs1_v1_5_sign`]: the message representative.
    pub(super) fn rsassa_pkcs1_v1_5_sign_start(
        &self,
        hash: Hash,
        digest: &[u8],
    ) -> Result<Nat, Error> {
        refuse_sha1(hash)?;
        self.public().permits_other_than_pss()?;
        let em = emsa_pkcs1_v1_5_encode(hash, digest, self.size())?;
        Ok(Nat::from_be_bytes(&em))
    }
}
