//! PKCS #1 (RFC 8017 appendix A.1): `RSAPublicKey` and `RSAPrivateKey`, two primes or more.

use super::{
    KeyError, Notes, PrivateKey, PublicKey, format_error, formats, minimal, nat, pem, uint,
};
use crate::rsa::Purpose;
use carrysave_arith::Nat;
use der::{Decode, Encode};
use pkcs1::{OtherPrimeInfo, RsaPrivateKeyRef, RsaPublicKeyRef};
use zeroize::Zeroizing;

const PUBLIC: &str = "a PKCS #1 RSA public key";
const PRIVATE: &str = "a PKCS #1 RSA private key";

impl PublicKey {
    /// Reads `RSAPublicKey` (RFC 8017 appendix A.1.1) from DER.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PublicKey::new`].
    pub fn from_pkcs1_der(der: &[u8]) -> Result<PublicKey, KeyError> {
        let key = RsaPublicKeyRef::from_der(der).map_err(|e| format_error(PUBLIC, e))?;
        PublicKey::new(nat(key.modulus), nat(key.public_exponent))
    }

    /// Reads `RSAPublicKey` from PEM, label `RSA PUBLIC KEY`.
    ///
    /// # Errors
    /// As [`PublicKey::from_pkcs1_der`].
    pub fn from_pkcs1_pem(text: &str) -> Result<PublicKey, KeyError> {
        PublicKey::from_pkcs1_der(&formats::labelled(text, "RSA PUBLIC KEY", PUBLIC)?)
    }

    /// Writes `RSAPublicKey` as DER.
    pub fn to_pkcs1_der(&self) -> Vec<u8> {
        let (n, e) = (minimal(self.n()), minimal(self.e()));
        let key = RsaPublicKeyRef {
            modulus: uint(&n),
            public_exponent: uint(&e),
        };
        key.to_der().expect("two numbers of a known size")
    }

    /// Writes `RSAPublicKey` as PEM.
    pub fn to_pkcs1_pem(&self) -> String {
        pem::encode("RSA PUBLIC KEY", &self.to_pkcs1_der()).to_string()
    }
}

impl PrivateKey {
    /// Reads `RSAPrivateKey` (RFC 8017 appendix A.1.2) from DER. If both primes are 0, as some devices write, they are
    /// computed.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`PrivateKey::validate`].
    ///
    /// # Timing
    /// Depends on the lengths of the parts only, as long as the key is accepted.
    pub fn from_pkcs1_der(der: &[u8]) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs1_noted(der, Purpose::Any, &mut Notes::new())
    }

    pub(super) fn from_pkcs1_noted(
        der: &[u8],
        purpose: Purpose,
        notes: &mut Notes,
    ) -> Result<PrivateKey, KeyError> {
        let key = RsaPrivateKeyRef::from_der(der).map_err(|e| format_error(PRIVATE, e))?;
        let public = PublicKey::new(nat(key.modulus), nat(key.public_exponent))?;
        let public = public.with_purpose(purpose);
        let d = nat(key.private_exponent);
        if key.prime1.as_bytes() == [0] && key.prime2.as_bytes() == [0] {
            return PrivateKey::assemble(public, d, Vec::new(), None, notes);
        }
        let mut primes = vec![nat(key.prime1), nat(key.prime2)];
        // The coefficient belongs to p; q, the first in Garner's order, has none.
        let mut crt = vec![
            (nat(key.exponent1), nat(key.coefficient)),
            (nat(key.exponent2), Nat::one()),
        ];
        for other in key.other_prime_infos.into_iter().flatten() {
            primes.push(nat(other.prime));
            crt.push((nat(other.exponent), nat(other.coefficient)));
        }
        PrivateKey::assemble(public, d, primes, Some(crt), notes)
    }

    /// Reads `RSAPrivateKey` from PEM, label `RSA PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs1_der`].
    pub fn from_pkcs1_pem(text: &str) -> Result<PrivateKey, KeyError> {
        PrivateKey::from_pkcs1_der(&formats::labelled(text, "RSA PRIVATE KEY", PRIVATE)?)
    }

    /// Writes `RSAPrivateKey` as DER: version 0 for two primes, version 1 with `otherPrimeInfos` for more.
    pub fn to_pkcs1_der(&self) -> Zeroizing<Vec<u8>> {
        let [n, e, d] = [self.public().n(), self.public().e(), self.d()].map(minimal);
        let primes: Vec<_> = self.primes().map(minimal).collect();
        let (exponents, coefficients): (Vec<_>, Vec<_>) =
            self.crt().map(|(d, t)| (minimal(d), minimal(t))).unzip();
        let others: Vec<_> = (2..primes.len())
            .map(|i| OtherPrimeInfo {
                prime: uint(&primes[i]),
                exponent: uint(&exponents[i]),
                coefficient: uint(&coefficients[i]),
            })
            .collect();
        let key = RsaPrivateKeyRef {
            modulus: uint(&n),
            public_exponent: uint(&e),
            private_exponent: uint(&d),
            prime1: uint(&primes[0]),
            prime2: uint(&primes[1]),
            exponent1: uint(&exponents[0]),
            exponent2: uint(&exponents[1]),
            coefficient: uint(&coefficients[0]),
            other_prime_infos: Some(others).filter(|others| !others.is_empty()),
        };
        Zeroizing::new(key.to_der().expect("numbers of a known size"))
    }

    /// Writes `RSAPrivateKey` as PEM.
    pub fn to_pkcs1_pem(&self) -> Zeroizing<String> {
        pem::encode("RSA PRIVATE KEY", &self.to_pkcs1_der())
    }
}
