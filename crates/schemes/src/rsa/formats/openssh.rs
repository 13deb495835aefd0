//! OpenSSH's public key line (RFC 4253 section 6.6), `ssh-rsa BASE64 comment`, and its private key file.

use super::{KeyError, PrivateKey, PublicKey, format_error, minimal, other};
use crate::formats::openssh::{self, writing};
use crate::formats::ssh_string;
use base64ct::{Base64, Encoding};
use carrysave_arith::Nat;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

const NAME: &str = "ssh-rsa";

impl PublicKey {
    /// Reads a line `ssh-rsa BASE64 comment`, also with options before it as in `authorized_keys`.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`PublicKey::new`].
    pub fn from_openssh(line: &str) -> Result<PublicKey, KeyError> {
        let line = openssh::line(line).ok_or_else(|| {
            format_error(
                "an OpenSSH ssh-rsa public key line",
                "it has no word like ssh-rsa",
            )
        })?;
        if line.kind != NAME {
            return Err(other(line.kind));
        }
        PublicKey::from_spki_der(&openssh::public(&line)?)
    }

    /// Writes a line `ssh-rsa BASE64 comment`, without a line end.
    pub fn to_openssh(&self, comment: &str) -> String {
        let line = format!(
            "{NAME} {} {comment}",
            Base64::encode_string(&self.to_openssh_blob())
        );
        line.trim_end().to_owned()
    }

    /// The data of such a line, in base64 there, which is also the input of the fingerprint (RFC 4253 section 6.6).
    pub fn to_openssh_blob(&self) -> Vec<u8> {
        let numbers = [self.e(), self.n()].map(|x| writing::mpint(&minimal(x)));
        [&ssh_string(NAME.as_bytes())[..], &numbers[0], &numbers[1]].concat()
    }
}

impl PrivateKey {
    /// Writes a private key file of OpenSSH, encrypted with the password if there is one (by bcrypt and AES-256-CTR, as
    /// `ssh-keygen` does); `None` for a key without primes or with more than two, which have no form in OpenSSH.
    ///
    /// # Panics
    /// If the password is empty.
    ///
    /// # Timing
    /// Depends on the lengths of the parts, and on how many leading zero octets the private numbers have, as the file's
    /// length does.
    pub fn to_openssh<R: CryptoRng + ?Sized>(
        &self,
        comment: &str,
        password: Option<&[u8]>,
        rng: &mut R,
    ) -> Option<Zeroizing<String>> {
        let primes: Vec<&Nat> = self.primes().collect();
        let (&[p, q], Some((_, coefficient))) = (&primes[..], self.crt().next()) else {
            return None;
        };
        let public = self.public();
        let numbers = [public.n(), public.e(), self.d(), coefficient, p, q];
        let numbers = numbers.map(|x| writing::mpint(&minimal(x)));
        let kind = ssh_string(NAME.as_bytes());
        let mut parts = vec![&kind[..]];
        parts.extend(numbers.iter().map(|number| &number[..]));
        let blob = public.to_openssh_blob();
        Some(writing::private(&blob, &parts, comment, password, rng))
    }
}
