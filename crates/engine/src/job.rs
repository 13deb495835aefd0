//! What is to be done, and how several of a kind are done side by side.

use crate::ahead::Ahead;
use carrysave_arith::{Limb, Modulus, Nat, lanes};
use carrysave_schemes::dl::{self, batch as dl_batch};
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::{self, PrivateKey, PublicKey, batch};
use carrysave_team::Team;
use core::fmt;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// One operation, with its key and what it is applied to. A clone of a key shares the key, so a job costs little.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Job {
    /// [`PrivateKey::rsassa_pss_sign`]: the signature.
    SignPss {
        /// The signer's.
        key: PrivateKey,
        /// The hash that made the digest.
        hash: Hash,
        /// The hash of MGF1.
        mgf: Hash,
        /// The length of the salt in bytes.
        salt_len: usize,
        /// Of the message.
        digest: Vec<u8>,
    },
    /// [`PrivateKey::rsassa_pkcs1_v1_5_sign`]: the signature.
    SignPkcs1v15 {
        /// The signer's.
        key: PrivateKey,
        /// The hash that made the digest.
        hash: Hash,
        /// Of the message.
        digest: Vec<u8>,
    },
    /// [`PrivateKey::rsaes_oaep_decrypt`]: the plaintext.
    DecryptOaep {
        /// The receiver's.
        key: PrivateKey,
        /// The hash of the label.
        hash: Hash,
        /// The hash of MGF1.
        mgf: Hash,
        /// What the ciphertext is bound to.
        label: Vec<u8>,
        /// As long as the modulus.
        ciphertext: Vec<u8>,
    },
    /// [`PrivateKey::rsaes_pkcs1_v1_5_decrypt`], with implicit rejection: the plaintext.
    DecryptPkcs1v15 {
        /// The receiver's.
        key: PrivateKey,
        /// As long as the modulus.
        ciphertext: Vec<u8>,
    },
    /// [`PrivateKey::rsadp`], which is also [`PrivateKey::rsasp1`]: a number, without any padding.
    RawPrivate {
        /// Whose private exponent is used.
        key: PrivateKey,
        /// Below the modulus.
        x: Nat,
    },
    /// [`PublicKey::rsassa_pss_verify`].
    VerifyPss {
        /// The signer's.
        key: PublicKey,
        /// The hash that made the digest.
        hash: Hash,
        /// The hash of MGF1.
        mgf: Hash,
        /// The length that the salt must have; `None` accepts any.
        salt_len: Option<usize>,
        /// Of the message.
        digest: Vec<u8>,
        /// As long as the modulus.
        signature: Vec<u8>,
    },
    /// [`PublicKey::rsassa_pkcs1_v1_5_verify`].
    VerifyPkcs1v15 {
        /// The signer's.
        key: PublicKey,
        /// The hash that made the digest.
        hash: Hash,
        /// Of the message.
        digest: Vec<u8>,
        /// As long as the modulus.
        signature: Vec<u8>,
    },
    /// [`PublicKey::rsaep`], which is also [`PublicKey::rsavp1`]: a number, without any padding.
    RawPublic {
        /// Whose public exponent is used.
        key: PublicKey,
        /// Below the modulus.
        x: Nat,
    },
    /// [`Modulus::pow`] with a secret exponent, as in Diffie-Hellman: a number.
    Power {
        /// Of the group.
        modulus: Modulus,
        /// Below the modulus.
        base: Nat,
        /// Its width is public.
        exponent: Nat,
    },
    /// [`dl::PrivateKey::dh_agree`]: the shared secret.
    DhAgree {
        /// One's own.
        key: dl::PrivateKey,
        /// The other's.
        public: dl::PublicKey,
    },
    /// [`dl::PrivateKey::dsa_sign`]: the signature, as DER.
    SignDsa {
        /// The signer's.
        key: dl::PrivateKey,
        /// The hash that made the digest.
        hash: Hash,
        /// Of the message.
        digest: Vec<u8>,
    },
    /// [`dl::PublicKey::dsa_verify`].
    VerifyDsa {
        /// The signer's.
        key: dl::PublicKey,
        /// The hash that made the digest.
        hash: Hash,
        /// Of the message.
        digest: Vec<u8>,
        /// As DER.
        signature: Vec<u8>,
    },
}

/// A job failed, as the same operation alone would have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// One with a key of RSA, or a power.
    Rsa(rsa::Error),
    /// One with a key of [`dl`].
    Dl(dl::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rsa(e) => e.fmt(f),
            Error::Dl(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<rsa::Error> for Error {
    fn from(error: rsa::Error) -> Error {
        Error::Rsa(error)
    }
}

impl From<dl::Error> for Error {
    fn from(error: dl::Error) -> Error {
        Error::Dl(error)
    }
}

/// What a job gives.
#[derive(Clone)]
#[non_exhaustive]
pub enum Output {
    /// A signature, a plaintext or a shared secret.
    Bytes(Zeroizing<Vec<u8>>),
    /// Of a job without padding.
    Number(Nat),
    /// The signature is one of this key for this digest.
    Verified,
}

/// Says nothing of a plaintext but its length.
impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Output::Number(x) => f.debug_tuple("Number").field(x).finish(),
            Output::Verified => f.write_str("Verified"),
        }
    }
}

/// What jobs must share to run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Private(batch::Class),
    /// With the lowest limb of the exponent.
    Public(batch::Class, Limb),
    /// With the exponent's width in limbs.
    Power(lanes::Class, usize),
    SignDsa(dl_batch::Class),
    /// With the lowest limb of y where no lanes bring several keys together.
    VerifyDsa(dl_batch::Class, Option<Limb>),
}

/// The long operation inside a job, without what it is applied to.
enum Primitive<'a> {
    Private(&'a PrivateKey),
    Public(&'a PublicKey),
    Power(&'a Modulus, &'a Nat),
    SignDsa(&'a dl::PrivateKey),
    VerifyDsa(&'a dl::PublicKey),
}

impl Job {
    /// The result of this job alone, its long operation by a team: what a long key is for.
    ///
    /// Powers modulo the primes of a key are dealt out among the members, and a [`Job::Power`] is
    /// [`Modulus::pow_on`]. Public operations, which are short, are done by the caller, and so is DSA.
    ///
    /// # Errors
    /// Those of the operation; [`rsa::Error::OutOfRange`] also for a power whose base is not below its modulus.
    ///
    /// # Panics
    /// If a member of the team or the generator does.
    ///
    /// # Timing
    /// That of the operation, and on when the system lets the threads run.
    ///
    /// ```
    /// use carrysave_engine::{Job, Output, Threads};
    /// use carrysave_schemes::{hash::Hash, rsa::{KeygenOptions, PrivateKey}};
    /// use getrandom::SysRng;
    /// use rand_core::UnwrapErr;
    ///
    /// # let options = KeygenOptions { allow_small: true, ..Default::default() };
    /// # let key = PrivateKey::generate(|| UnwrapErr(SysRng), 1024, &options, &|_| ()).unwrap();
    /// let team = Threads::new(2.try_into().unwrap()).unwrap();
    /// let (hash, digest) = (Hash::Sha256, Hash::Sha256.digest(b"a message"));
    /// let job = Job::SignPss { key: key.clone(), hash, mgf: hash, salt_len: 32, digest: digest.clone() };
    /// let Ok(Output::Bytes(signature)) = job.run_on(&team, &mut UnwrapErr(SysRng)) else { panic!() };
    /// key.public().rsassa_pss_verify(hash, hash, Some(32), &digest, &signature).unwrap();
    /// ```
    pub fn run_on<R: CryptoRng + ?Sized>(
        &self,
        team: &dyn Team,
        rng: &mut R,
    ) -> Result<Output, Error> {
        let x = self.start(rng)?;
        self.finish(match self.primitive() {
            Primitive::Private(key) => key.rsadp_on(team, rng, &x)?,
            Primitive::Public(key) => key.rsaep(&x)?,
            Primitive::Power(n, exponent) => n.pow_on(team, &x, exponent),
            Primitive::SignDsa(_) | Primitive::VerifyDsa(_) => {
                return run_group(rng, &[self]).remove(0);
            }
        })
    }

    fn primitive(&self) -> Primitive<'_> {
        match self {
            Job::SignPss { key, .. }
            | Job::SignPkcs1v15 { key, .. }
            | Job::DecryptOaep { key, .. }
            | Job::DecryptPkcs1v15 { key, .. }
            | Job::RawPrivate { key, .. } => Primitive::Private(key),
            Job::VerifyPss { key, .. }
            | Job::VerifyPkcs1v15 { key, .. }
            | Job::RawPublic { key, .. } => Primitive::Public(key),
            Job::Power {
                modulus, exponent, ..
            } => Primitive::Power(modulus, exponent),
            Job::DhAgree { key, .. } => Primitive::Power(key.group().modulus(), key.x()),
            Job::SignDsa { key, .. } => Primitive::SignDsa(key),
            Job::VerifyDsa { key, .. } => Primitive::VerifyDsa(key),
        }
    }

    pub(crate) fn class(&self) -> Class {
        match self.primitive() {
            Primitive::Private(key) => Class::Private(key.class()),
            Primitive::Public(key) => Class::Public(key.class(), key.e().limbs()[0]),
            Primitive::Power(n, exponent) => Class::Power(lanes::Class::of(n), exponent.width()),
            Primitive::SignDsa(key) => Class::SignDsa(key.public().class()),
            Primitive::VerifyDsa(key) => Class::VerifyDsa(key.class(), lone(key)),
        }
    }

    /// From how many jobs of the class side by side is faster than one after the other; `None` if not even all are.
    pub(crate) fn together_from(&self) -> Option<usize> {
        match self.primitive() {
            Primitive::Private(key) => key.lanes_from(),
            Primitive::Public(key) => key.lanes_from(),
            Primitive::Power(n, _) => n.lanes_from(),
            Primitive::SignDsa(key) => key.public().lanes_from(),
            Primitive::VerifyDsa(key) => key.verifications_from(),
        }
    }

    /// How long so many jobs of the class take side by side, roughly, if that is faster.
    pub(crate) fn cost_together(&self, jobs: usize) -> Option<u64> {
        let from = self.together_from().filter(|&from| jobs >= from)?;
        Some(match self.class() {
            // One after the other.
            Class::VerifyDsa(_, Some(_)) => self.cost() * jobs as u64,
            // About as long as so many alone.
            _ => self.cost().saturating_mul(from as u64),
        })
    }

    /// How long the job takes beside others, roughly: the square of the modulus's length, for each bit of the exponent.
    pub(crate) fn cost(&self) -> u64 {
        let (bits, exponent) = match self.primitive() {
            Primitive::Private(key) => (key.bits(), key.bits() / 4), // CRT: twice half of each length
            Primitive::Public(key) => (key.bits(), key.e().bits()),
            Primitive::Power(n, exponent) => (n.bits(), 64 * exponent.width()),
            // A power and its check.
            Primitive::SignDsa(key) => (key.group().bits(), 2 * key.group().order().bits()),
            Primitive::VerifyDsa(key) => (key.group().bits(), 3 * key.group().order().bits() / 2),
        };
        (bits as u64).pow(2).saturating_mul(exponent as u64)
    }

    /// What the primitive is applied to, or the error of the same operation alone.
    fn start<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Result<Nat, Error> {
        Ok(match self {
            Job::SignPss {
                key,
                hash,
                mgf,
                salt_len,
                digest,
            } => key.rsassa_pss_sign_start(rng, *hash, *mgf, *salt_len, digest)?,
            Job::SignPkcs1v15 { key, hash, digest } => {
                key.rsassa_pkcs1_v1_5_sign_start(*hash, digest)?
            }
            Job::DecryptOaep {
                key, ciphertext, ..
            }
            | Job::DecryptPkcs1v15 { key, ciphertext } => key.rsaes_decrypt_start(ciphertext)?,
            Job::VerifyPss {
                key,
                hash,
                digest,
                signature,
                ..
            } => key.rsassa_pss_verify_start(*hash, digest, signature)?,
            Job::VerifyPkcs1v15 {
                key,
                hash,
                digest,
                signature,
            } => key.rsassa_pkcs1_v1_5_verify_start(*hash, digest, signature)?,
            Job::RawPrivate { x, .. } | Job::RawPublic { x, .. } => x.clone(),
            Job::Power { modulus, base, .. } => Some(base)
                .filter(|base| base.lt(modulus.nat()))
                .and_then(|base| base.resize(modulus.width()))
                .ok_or(rsa::Error::OutOfRange)?,
            Job::DhAgree { key, public } => key.dh_agree_start(public)?.clone(),
            // What there is of them is in their own batches.
            Job::SignDsa { .. } | Job::VerifyDsa { .. } => Nat::zero(),
        })
    }

    /// The output, once the primitive gave `y`.
    fn finish(&self, y: Nat) -> Result<Output, Error> {
        Ok(match self {
            Job::SignPss { key, .. } | Job::SignPkcs1v15 { key, .. } => {
                Output::Bytes(key.rsassa_sign_finish(&y)?.into())
            }
            Job::DecryptOaep {
                key,
                hash,
                mgf,
                label,
                ..
            } => Output::Bytes(key.rsaes_oaep_decrypt_finish(*hash, *mgf, label, &y)?),
            Job::DecryptPkcs1v15 { key, ciphertext } => {
                Output::Bytes(key.rsaes_pkcs1_v1_5_decrypt_finish(ciphertext, &y)?)
            }
            Job::VerifyPss {
                key,
                hash,
                mgf,
                salt_len,
                digest,
                ..
            } => {
                key.rsassa_pss_verify_finish(*hash, *mgf, *salt_len, digest, &y)?;
                Output::Verified
            }
            Job::VerifyPkcs1v15 {
                key, hash, digest, ..
            } => {
                key.rsassa_pkcs1_v1_5_verify_finish(*hash, digest, &y)?;
                Output::Verified
            }
            Job::RawPrivate { .. } | Job::RawPublic { .. } | Job::Power { .. } => Output::Number(y),
            Job::DhAgree { key, .. } => Output::Bytes(key.dh_agree_finish(&y)?),
            Job::SignDsa { .. } | Job::VerifyDsa { .. } => unreachable!("they have no primitive"),
        })
    }
}

/// The lowest limb of y, where no lanes bring several keys together.
fn lone(key: &dl::PublicKey) -> Option<Limb> {
    key.lanes_from().is_none().then(|| key.y().limbs()[0])
}

/// The results of at most [`LANES`](lanes::LANES) jobs of one class, in order.
pub(crate) fn run_group<R: CryptoRng + ?Sized>(
    rng: &mut R,
    jobs: &[&Job],
) -> Vec<Result<Output, Error>> {
    let rng = &mut Ahead::of(rng);
    // One class: if one of them is for DSA, all are.
    if let Some(results) = sign_dsa(jobs).or_else(|| verify_dsa(jobs)) {
        return results;
    }
    let started: Vec<_> = jobs.iter().map(|job| job.start(rng)).collect();
    let (mut private, mut public, mut powers) = (vec![], vec![], vec![]);
    for (job, x) in jobs.iter().zip(&started) {
        let Ok(x) = x else { continue };
        match job.primitive() {
            Primitive::Private(key) => private.push((key, x)),
            Primitive::Public(key) => public.push((key, x)),
            Primitive::Power(n, exponent) => powers.push((n, x, exponent)),
            Primitive::SignDsa(_) | Primitive::VerifyDsa(_) => unreachable!("another class"),
        }
    }
    // Two of the three are empty.
    let mut powered = (batch::rsasp1(rng, &private).into_iter())
        .chain(batch::rsavp1(&public))
        .chain(lanes::pow(&powers).into_iter().map(Ok));
    jobs.iter()
        .zip(&started)
        .map(|(job, x)| match x {
            Ok(_) => job.finish(powered.next().expect("one result for each that started")?),
            Err(e) => Err(e.clone()),
        })
        .collect()
}

/// The signatures of jobs that are all for that.
fn sign_dsa(jobs: &[&Job]) -> Option<Vec<Result<Output, Error>>> {
    let mut signs = Vec::new();
    for job in jobs {
        let Job::SignDsa { key, hash, digest } = job else {
            return None;
        };
        signs.push((key, *hash, &digest[..]));
    }
    let bytes = |signature: dl::Signature| Output::Bytes(signature.to_der().into());
    let signatures = dl_batch::dsa_sign(&signs).into_iter();
    Some(signatures.map(|result| Ok(bytes(result?))).collect())
}

/// The verdicts of jobs that are all for that.
fn verify_dsa(jobs: &[&Job]) -> Option<Vec<Result<Output, Error>>> {
    let mut read = Vec::new();
    for job in jobs {
        let Job::VerifyDsa {
            key,
            hash,
            digest,
            signature,
        } = job
        else {
            return None;
        };
        let signature = dl::Signature::from_der(signature);
        read.push((key, *hash, &digest[..], signature));
    }
    let those = read.iter().filter_map(|(key, hash, digest, signature)| {
        let signature = signature.as_ref().ok()?;
        Some((*key, *hash, *digest, signature))
    });
    let mut verdicts = dl_batch::dsa_verify(&those.collect::<Vec<_>>()).into_iter();
    let results = read.iter().map(|(.., signature)| {
        signature.clone()?;
        verdicts.next().expect("a verdict each")?;
        Ok(Output::Verified)
    });
    Some(results.collect())
}
