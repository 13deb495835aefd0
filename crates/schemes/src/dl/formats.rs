//! Keys in SubjectPublicKeyInfo and PKCS #8 and parameters alone, as DER and as PEM: RFC 3279, 2.3.2 and 2.3.3, PKCS #3,
//! RFC 5958 and RFC 7468.

use super::{Group, KeyError, PrivateKey, PublicKey};
use crate::formats::{self, FormatError, algorithm_name, minimal, nat, pem, uint};
#[cfg(feature = "files")]
use crate::formats::{Item, pbes};
use carrysave_arith::Nat;
use der::asn1::{AnyRef, ObjectIdentifier, UintRef};
use der::{Decode, Encode};
use pkcs8::PrivateKeyInfoRef;
use rand_core::CryptoRng;
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

const SPKI: &str = "a SubjectPublicKeyInfo public key";
const PKCS8: &str = "a PKCS #8 private key";

/// The form of a group's parameters in files, and the intended use of its keys there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// id-dsa: p, q and g (RFC 3279, 2.3.2).
    Dsa,
    /// dhpublicnumber, of X9.42: p, g and q (RFC 3279, 2.3.3).
    X942,
    /// dhKeyAgreement, of PKCS #3: p and g, for safe primes only. OpenSSL's form for keys in standard groups.
    Pkcs3,
}

impl Form {
    const ALL: [Form; 3] = [Form::Dsa, Form::X942, Form::Pkcs3];

    const fn oid(self) -> ObjectIdentifier {
        ObjectIdentifier::new_unwrap(match self {
            Form::Dsa => "1.2.840.10040.4.1",
            Form::X942 => "1.2.840.10046.2.1",
            Form::Pkcs3 => "1.2.840.113549.1.3.1",
        })
    }

    /// OpenSSL's PEM label of parameters alone, and their description.
    const fn label(self) -> (&'static str, &'static str) {
        match self {
            Form::Dsa => ("DSA PARAMETERS", "DSA parameters"),
            Form::X942 => ("X9.42 DH PARAMETERS", "X9.42 parameters"),
            Form::Pkcs3 => ("DH PARAMETERS", "PKCS #3 parameters"),
        }
    }
}

/// The keys that are read.
const NEEDED: &str = "one for DSA (1.2.840.10040.4.1) or for Diffie-Hellman (1.2.840.10046.2.1, 1.2.840.113549.1.3.1)";

fn format_error(expected: &'static str, detail: impl ToString) -> KeyError {
    FormatError::new(expected, detail).into()
}

/// The form and the group of a key's algorithm.
fn algorithm(
    found: AlgorithmIdentifierRef<'_>,
    expected: &'static str,
) -> Result<(Form, Group), KeyError> {
    let form = Form::ALL.into_iter().find(|form| form.oid() == found.oid);
    let form = form.ok_or_else(|| KeyError::Algorithm {
        found: algorithm_name(found.oid),
        needed: NEEDED,
    })?;
    let missing = || format_error(expected, "its group is not in it");
    let parameters = found.parameters.ok_or_else(missing)?;
    Ok((form, group(form, parameters, expected)?))
}

fn group(form: Form, parameters: AnyRef<'_>, expected: &'static str) -> Result<Group, KeyError> {
    let read = parameters.sequence(|reader| {
        let [a, b] = [UintRef::decode(reader)?, UintRef::decode(reader)?].map(nat);
        let c = match form {
            Form::Pkcs3 => Option::<UintRef<'_>>::decode(reader)?.map(|_| Nat::zero()),
            _ => Some(nat(UintRef::decode(reader)?)),
        };
        let (j, _validation) = match form {
            Form::X942 => (
                Option::<UintRef<'_>>::decode(reader)?.map(nat),
                Option::<AnyRef<'_>>::decode(reader)?,
            ),
            _ => (None, None),
        };
        Ok::<_, der::Error>((a, b, c.unwrap_or_default(), j))
    });
    let (a, b, c, j) = read.map_err(|e| format_error(expected, e))?;
    match form {
        Form::Dsa => Group::new(a, b, c),
        Form::Pkcs3 => Group::with_safe_prime(a, b),
        Form::X942 => {
            let group = Group::new(a, c, b)?;
            let cofactor = |j: Nat| j.mul(group.q()).add_limb(1) == *group.p();
            match j.is_none_or(cofactor) {
                true => Ok(group),
                false => Err(KeyError::Group("its cofactor j is not (p - 1) / q")),
            }
        }
    }
}

/// A sequence of numbers.
fn sequence(numbers: &[&Nat]) -> Vec<u8> {
    let octets: Vec<_> = numbers.iter().map(|x| minimal(x)).collect();
    let numbers: Vec<UintRef<'_>> = octets.iter().map(|octets| uint(octets)).collect();
    numbers.to_der().expect("numbers of a known size")
}

impl Group {
    /// Reads parameters alone from DER.
    ///
    /// # Errors
    /// [`KeyError::Format`]; the errors of [`Group::new`].
    pub fn from_der(form: Form, der: &[u8]) -> Result<Group, KeyError> {
        let expected = form.label().1;
        let parameters = AnyRef::from_der(der).map_err(|e| format_error(expected, e))?;
        group(form, parameters, expected)
    }

    /// Reads parameters alone from PEM, labelled as OpenSSL does.
    ///
    /// # Errors
    /// As [`Group::from_der`].
    pub fn from_pem(form: Form, text: &str) -> Result<Group, KeyError> {
        let (label, expected) = form.label();
        Group::from_der(form, &formats::labelled(text, label, expected)?)
    }

    /// Writes the parameters as DER.
    ///
    /// # Errors
    /// [`KeyError::Group`] for [`Form::Pkcs3`], unless p is a safe prime: it has no place for q.
    pub fn to_der(&self, form: Form) -> Result<Vec<u8>, KeyError> {
        let (p, q, g) = (self.p(), self.q(), self.g());
        match form {
            Form::Dsa => Ok(sequence(&[p, q, g])),
            Form::X942 => Ok(sequence(&[p, g, q])),
            Form::Pkcs3 if self.has_safe_prime() => Ok(sequence(&[p, g])),
            Form::Pkcs3 => Err(KeyError::Group(
                "PKCS #3 has no place for its q, so write it as X9.42",
            )),
        }
    }

    /// Writes the parameters as PEM.
    ///
    /// # Errors
    /// As [`Group::to_der`].
    pub fn to_pem(&self, form: Form) -> Result<String, KeyError> {
        Ok(pem::encode(form.label().0, &self.to_der(form)?).to_string())
    }
}

impl PublicKey {
    /// Reads `SubjectPublicKeyInfo` from DER, and its form, which shows the key's intended use.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`Group::new`] and [`PublicKey::new`].
    ///
    /// ```
    /// use carrysave_schemes::dl::{Form, Named, PrivateKey, PublicKey};
    /// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let key = PrivateKey::generate_with(&Named::Ffdhe2048.group(), rng);
    /// let der = key.public().to_spki_der(Form::Pkcs3).unwrap();
    /// assert_eq!(PublicKey::from_spki_der(&der), Ok((Form::Pkcs3, key.public().clone())));
    /// ```
    pub fn from_spki_der(der: &[u8]) -> Result<(Form, PublicKey), KeyError> {
        let info = SubjectPublicKeyInfoRef::from_der(der).map_err(|e| format_error(SPKI, e))?;
        let (form, group) = algorithm(info.algorithm, SPKI)?;
        let y = info.subject_public_key.as_bytes();
        let y = y.ok_or_else(|| format_error(SPKI, "its key is not a whole number of bytes"))?;
        let y = UintRef::from_der(y).map_err(|e| format_error(SPKI, e))?;
        Ok((form, PublicKey::new(&group, nat(y))?))
    }

    /// Reads `SubjectPublicKeyInfo` from PEM, label `PUBLIC KEY`.
    ///
    /// # Errors
    /// As [`PublicKey::from_spki_der`].
    pub fn from_spki_pem(text: &str) -> Result<(Form, PublicKey), KeyError> {
        PublicKey::from_spki_der(&formats::labelled(text, "PUBLIC KEY", SPKI)?)
    }

    /// Writes `SubjectPublicKeyInfo` as DER.
    ///
    /// # Errors
    /// As [`Group::to_der`].
    pub fn to_spki_der(&self, form: Form) -> Result<Vec<u8>, KeyError> {
        let y = integer(self.y());
        let parameters = self.group().to_der(form)?;
        Ok(formats::public_key_info(identifier(form, &parameters), &y))
    }

    /// Writes `SubjectPublicKeyInfo` as PEM.
    ///
    /// # Errors
    /// As [`Group::to_der`].
    pub fn to_spki_pem(&self, form: Form) -> Result<String, KeyError> {
        Ok(pem::encode("PUBLIC KEY", &self.to_spki_der(form)?).to_string())
    }
}

impl PrivateKey {
    /// Reads `PrivateKeyInfo` from DER, and its form, which shows the key's intended use.
    ///
    /// # Errors
    /// [`KeyError::Format`], [`KeyError::Algorithm`]; the errors of [`Group::new`] and [`PrivateKey::new`], and those of
    /// [`PrivateKey::with_public`] where there is a public key beside it.
    ///
    /// # Timing
    /// As [`PrivateKey::new`], and depends on the length of x in the file.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<(Form, PrivateKey), KeyError> {
        let info = PrivateKeyInfoRef::from_der(der).map_err(|e| format_error(PKCS8, e))?;
        let (form, group) = algorithm(info.algorithm, PKCS8)?;
        let integer = |octets| UintRef::from_der(octets).map_err(|e| format_error(PKCS8, e));
        let x = nat(integer(info.private_key.as_bytes())?);
        let key = match info.public_key {
            None => PrivateKey::new(&group, &x)?,
            Some(y) => {
                let whole = y.as_bytes();
                let y = whole.ok_or(KeyError::Invalid("its public key is not whole octets"))?;
                PrivateKey::with_public(&group, &x, &nat(integer(y)?))?
            }
        };
        Ok((form, key))
    }

    /// Reads `PrivateKeyInfo` from PEM, label `PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs8_der`].
    pub fn from_pkcs8_pem(text: &str) -> Result<(Form, PrivateKey), KeyError> {
        PrivateKey::from_pkcs8_der(&formats::labelled(text, "PRIVATE KEY", PKCS8)?)
    }

    /// Writes `PrivateKeyInfo` as DER.
    ///
    /// # Errors
    /// As [`Group::to_der`].
    pub fn to_pkcs8_der(&self, form: Form) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let x = integer(self.x());
        let parameters = self.group().to_der(form)?;
        Ok(formats::private_key_info(
            identifier(form, &parameters),
            &x,
            None,
        ))
    }

    /// Writes `PrivateKeyInfo` as PEM.
    ///
    /// # Errors
    /// As [`Group::to_der`].
    pub fn to_pkcs8_pem(&self, form: Form) -> Result<Zeroizing<String>, KeyError> {
        Ok(pem::encode("PRIVATE KEY", &self.to_pkcs8_der(form)?))
    }
}

#[cfg(feature = "files")]
impl PublicKey {
    /// Reads a public key and its form: SubjectPublicKeyInfo, PEM or DER. From an unencrypted private key it takes the
    /// public half.
    ///
    /// # Errors
    /// [`KeyError::Format`] if it is none of these, [`KeyError::PasswordNeeded`]; those of [`PublicKey::from_spki_der`].
    pub fn from_any(bytes: &[u8]) -> Result<(Form, PublicKey), KeyError> {
        let read = |item| match item {
            Item::Public(der) => PublicKey::from_spki_der(&der),
            Item::Private(der) => {
                PrivateKey::from_pkcs8_der(&der).map(|(form, key)| (form, key.public().clone()))
            }
            Item::Certificate(der) => PublicKey::from_spki_der(&formats::x509::spki(&der)?),
        };
        formats::first(bytes, None, read)
    }
}

#[cfg(feature = "files")]
impl PrivateKey {
    /// Reads a private key and its form: PKCS #8, with the password if it is encrypted; PEM or DER.
    ///
    /// # Errors
    /// [`KeyError::PasswordNeeded`], [`KeyError::Password`]; [`KeyError::Format`] if it is none of these; those of
    /// [`PrivateKey::from_pkcs8_der`].
    ///
    /// # Timing
    /// As [`PrivateKey::from_pkcs8_der`].
    ///
    /// ```
    /// use carrysave_schemes::dl::{Form, KeyError, Named, PrivateKey, PublicKey};
    /// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let key = PrivateKey::generate_with(&Named::Ffdhe2048.group(), rng);
    /// let file = key.to_pkcs8_pem(Form::X942).unwrap();
    /// let public = (Form::X942, key.public().clone());
    /// assert_eq!(PublicKey::from_any(file.as_bytes()), Ok(public));
    /// let file = key.to_pkcs8_encrypted_pem(Form::X942, b"a password", rng).unwrap();
    /// let (_, again) = PrivateKey::from_any(file.as_bytes(), Some(b"a password")).unwrap();
    /// assert_eq!(again.public(), key.public());
    /// assert_eq!(PublicKey::from_any(file.as_bytes()), Err(KeyError::PasswordNeeded));
    /// ```
    pub fn from_any(bytes: &[u8], password: Option<&[u8]>) -> Result<(Form, PrivateKey), KeyError> {
        let read = |item| match item {
            Item::Private(der) => PrivateKey::from_pkcs8_der(&der),
            Item::Public(_) => Err(format_error(PKCS8, "it is a public key")),
            Item::Certificate(_) => Err(format_error(PKCS8, "it is a certificate")),
        };
        formats::first(bytes, password, read)
    }

    /// Reads `EncryptedPrivateKeyInfo` from DER: PBES2 with PBKDF2 or scrypt, and AES.
    ///
    /// # Errors
    /// [`KeyError::Password`] if it cannot be decrypted; otherwise as [`PrivateKey::from_pkcs8_der`].
    ///
    /// # Timing
    /// As [`PrivateKey::from_pkcs8_der`].
    ///
    /// ```
    /// use carrysave_schemes::dl::{Form, KeyError, Named, PrivateKey};
    /// # let rng = &mut rand_core::UnwrapErr(getrandom::SysRng);
    /// let key = PrivateKey::generate_with(&Named::Ffdhe2048.group(), rng);
    /// let der = key.to_pkcs8_encrypted_der(Form::Pkcs3, b"a password", rng).unwrap();
    /// let (form, again) = PrivateKey::from_pkcs8_encrypted_der(&der, b"a password").unwrap();
    /// assert!(form == Form::Pkcs3 && again.public() == key.public());
    /// let error = PrivateKey::from_pkcs8_encrypted_der(&der, b"another").unwrap_err();
    /// assert_eq!(error, KeyError::Password);
    /// ```
    pub fn from_pkcs8_encrypted_der(
        der: &[u8],
        password: &[u8],
    ) -> Result<(Form, PrivateKey), KeyError> {
        PrivateKey::from_pkcs8_der(&formats::locked(der, password)?)
    }

    /// Reads `EncryptedPrivateKeyInfo` from PEM, label `ENCRYPTED PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::from_pkcs8_encrypted_der`].
    pub fn from_pkcs8_encrypted_pem(
        text: &str,
        password: &[u8],
    ) -> Result<(Form, PrivateKey), KeyError> {
        PrivateKey::from_pkcs8_encrypted_der(
            &formats::labelled(text, pbes::LABEL, PKCS8)?,
            password,
        )
    }

    /// Writes `EncryptedPrivateKeyInfo` as DER: PBES2 with PBKDF2 (HMAC-SHA-256, 600,000 iterations) and AES-256-CBC.
    ///
    /// # Errors
    /// As [`Group::to_der`].
    pub fn to_pkcs8_encrypted_der<R: CryptoRng + ?Sized>(
        &self,
        form: Form,
        password: &[u8],
        rng: &mut R,
    ) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        Ok(pbes::encrypt(&self.to_pkcs8_der(form)?, password, rng))
    }

    /// Writes `EncryptedPrivateKeyInfo` as PEM.
    ///
    /// # Errors
    /// As [`Group::to_der`].
    pub fn to_pkcs8_encrypted_pem<R: CryptoRng + ?Sized>(
        &self,
        form: Form,
        password: &[u8],
        rng: &mut R,
    ) -> Result<Zeroizing<String>, KeyError> {
        let der = self.to_pkcs8_encrypted_der(form, password, rng)?;
        Ok(pem::encode(pbes::LABEL, &der))
    }
}

/// A number as DER.
fn integer(x: &Nat) -> Zeroizing<Vec<u8>> {
    let octets = minimal(x);
    Zeroizing::new(uint(&octets).to_der().expect("a number of a known size"))
}

fn identifier(form: Form, parameters: &[u8]) -> AlgorithmIdentifierRef<'_> {
    let parameters = AnyRef::from_der(parameters).expect("DER that was just written");
    AlgorithmIdentifierRef {
        oid: form.oid(),
        parameters: Some(parameters),
    }
}
