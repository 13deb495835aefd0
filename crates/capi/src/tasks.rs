//! The task of the engine that a job asks for.

use crate::error::{Outcome, cs_error, cs_error::*};
use crate::hashes::hash;
use crate::jobs::cs_operation::{self, *};
use crate::jobs::{CS_SALT_AS_HASH, CS_SALT_NONE, cs_job};
use carrysave::arith::Nat;
use carrysave::ec::ed25519::task::{
    SignEd25519, VerifyEd25519, VerifyEd25519Zip215, WithoutCofactor,
};
use carrysave::ec::task::{EcdhAgree, SignEcdsa, VerifyEcdsa, X25519Agree};
use carrysave::ec::{AnyPrivateKey, AnyPublicKey, Ed25519Signature};
use carrysave::engine::Job;
use carrysave::hash::Hash;
use carrysave::{dl, rsa};
use core::mem;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A job with its input.
pub struct With<'a> {
    pub job: &'a cs_job,
    pub message: Zeroizing<Vec<u8>>,
    pub extra: Vec<u8>,
}

impl With<'_> {
    /// The input, for a task that keeps it.
    fn taken(&mut self) -> Vec<u8> {
        mem::take(&mut *self.message)
    }

    fn mgf(&self) -> Outcome<Hash> {
        match self.job.mgf_hash {
            0 => hash(self.job.hash),
            other => hash(other),
        }
    }

    /// The length of the salt that is asked for, if one is.
    fn salt_len(&self) -> Outcome<Option<usize>> {
        match self.job.salt_len {
            CS_SALT_AS_HASH => Ok(None),
            CS_SALT_NONE => Ok(Some(0)),
            len => Ok(Some(usize::try_from(len).map_err(|_| CS_ERROR_ARGUMENT)?)),
        }
    }

    pub fn rsa(
        mut self,
        operation: cs_operation,
        private: Option<&rsa::PrivateKey>,
        public: rsa::PublicKey,
    ) -> Outcome<Job> {
        let own = || private.cloned().ok_or(CS_ERROR_KEY_KIND);
        let hash = || hash(self.job.hash);
        Ok(match operation {
            CS_SIGN_PSS => rsa::task::SignPss {
                key: own()?,
                hash: hash()?,
                mgf: self.mgf()?,
                salt_len: self.salt_len()?.unwrap_or(hash()?.len()),
                digest: self.taken(),
            }
            .into(),
            CS_SIGN_PKCS1 => rsa::task::SignPkcs1v15 {
                key: own()?,
                hash: hash()?,
                digest: self.taken(),
            }
            .into(),
            CS_VERIFY_PSS => rsa::task::VerifyPss {
                key: public,
                hash: hash()?,
                mgf: self.mgf()?,
                salt_len: self.salt_len()?,
                digest: self.taken(),
                signature: self.extra,
            }
            .into(),
            CS_VERIFY_PKCS1 => rsa::task::VerifyPkcs1v15 {
                key: public,
                hash: hash()?,
                digest: self.taken(),
                signature: self.extra,
            }
            .into(),
            CS_ENCRYPT_OAEP => rsa::task::EncryptOaep {
                key: public,
                hash: hash()?,
                mgf: self.mgf()?,
                message: mem::take(&mut self.message),
                label: self.extra,
            }
            .into(),
            CS_DECRYPT_OAEP => rsa::task::DecryptOaep {
                key: own()?,
                hash: hash()?,
                mgf: self.mgf()?,
                ciphertext: self.taken(),
                label: self.extra,
            }
            .into(),
            CS_DECRYPT_PKCS1 => rsa::task::DecryptPkcs1v15 {
                key: own()?,
                ciphertext: self.taken(),
            }
            .into(),
            CS_RSA_PRIVATE => rsa::task::RawPrivate {
                key: own()?,
                x: Nat::from_be_bytes(&self.message),
            }
            .into(),
            CS_RSA_PUBLIC => rsa::task::RawPublic {
                key: public,
                x: Nat::from_be_bytes(&self.message),
            }
            .into(),
            _ => return Err(CS_ERROR_KEY_KIND),
        })
    }

    pub fn curve(
        mut self,
        operation: cs_operation,
        private: Option<&Arc<AnyPrivateKey>>,
        public: AnyPublicKey,
    ) -> Outcome<Job> {
        let hash = || hash(self.job.hash);
        let signature =
            |extra: &[u8]| Ed25519Signature::try_from(extra).map_err(|_| CS_ERROR_VERIFICATION);
        Ok(match (operation, private.map(|key| &**key), public) {
            (CS_SIGN_ED25519, Some(AnyPrivateKey::Ed25519(key)), _) => SignEd25519 {
                key: key.clone(),
                message: self.taken(),
            }
            .into(),
            (CS_VERIFY_ED25519, _, AnyPublicKey::Ed25519(key)) => VerifyEd25519 {
                key: WithoutCofactor(key),
                signature: signature(&self.extra)?,
                message: self.taken(),
            }
            .into(),
            (CS_VERIFY_ED25519_ZIP215, _, AnyPublicKey::Ed25519(key)) => VerifyEd25519Zip215 {
                key,
                signature: signature(&self.extra)?,
                message: self.taken(),
            }
            .into(),
            (CS_SIGN_ECDSA, Some(_), _) => SignEcdsa {
                key: private.cloned().ok_or(CS_ERROR_KEY_KIND)?,
                hash: hash()?,
                digest: self.taken(),
            }
            .into(),
            (CS_VERIFY_ECDSA, _, key) => VerifyEcdsa {
                key,
                hash: hash()?,
                digest: self.taken(),
                signature: self.extra,
            }
            .into(),
            _ => return Err(CS_ERROR_KEY_KIND),
        })
    }

    pub fn group(
        mut self,
        operation: cs_operation,
        private: Option<&Arc<dl::PrivateKey>>,
        public: dl::PublicKey,
    ) -> Outcome<Job> {
        let hash = hash(self.job.hash)?;
        Ok(match operation {
            CS_SIGN_DSA => dl::task::SignDsa {
                key: private
                    .map(|key| (**key).clone())
                    .ok_or(CS_ERROR_KEY_KIND)?,
                hash,
                digest: self.taken(),
            }
            .into(),
            CS_VERIFY_DSA => dl::task::VerifyDsa {
                key: public,
                hash,
                digest: self.taken(),
                signature: self.extra,
            }
            .into(),
            _ => return Err(CS_ERROR_KEY_KIND),
        })
    }
}

/// The agreement of two keys of one curve.
pub fn agree(key: &AnyPrivateKey, other: &AnyPublicKey) -> Outcome<Job> {
    macro_rules! of {
        ($($Curve:ident)*) => {
            match (key, other) {
                $((AnyPrivateKey::$Curve(key), AnyPublicKey::$Curve(public)) => Ok(EcdhAgree {
                    key: key.clone(),
                    public: public.clone(),
                }
                .into()),)*
                (AnyPrivateKey::X25519(key), AnyPublicKey::X25519(public)) => Ok(X25519Agree {
                    key: key.clone(),
                    public: *public,
                }
                .into()),
                // It says why.
                _ => Err(key.agree(other).err().map_or(CS_ERROR_KEY_KIND, cs_error::from)),
            }
        };
    }
    of!(P224 P256 P384 P521 Secp256k1 BrainpoolP256r1 BrainpoolP384r1 BrainpoolP512r1)
}
