//! The RecipientInfos of a message: each is read separately, so a malformed one does not affect the others.

use super::ber::{self, Reader, context};
use super::identity::{Identity, Secret};
use super::ids::Names;
use super::{DecryptOptions, Error, agree, password, transport};
use crate::ec::{AnyPrivateKey, AnyPublicKey};
use crate::rsa::PrivateKey;
use carrysave_team::Team;
use rand_core::CryptoRng;
use std::fmt;
use std::io::Read;
use zeroize::Zeroizing;

/// Limits: the number of recipients, the length of each, and the total length of those that may be the reader.
pub const MAX_RECIPIENTS: usize = 1024;
pub const MAX_SMALL: usize = 64 * 1024;
const MAX_KEPT: usize = 4 << 20;

/// The number of recipients of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Addressees {
    /// RSA keys (key transport).
    pub rsa_keys: usize,
    /// Keys of curves, and groups of such keys (key agreement).
    pub agreement_keys: usize,
    /// Keys shared in advance.
    pub shared_keys: usize,
    /// Passwords.
    pub passwords: usize,
    /// Anything else.
    pub others: usize,
}

impl Addressees {
    fn count(&mut self, tag: u8) {
        let kind = match tag {
            ber::SEQUENCE => &mut self.rsa_keys,
            0xa1 => &mut self.agreement_keys,
            0xa2 => &mut self.shared_keys,
            0xa3 => &mut self.passwords,
            _ => &mut self.others,
        };
        *kind += 1;
    }
}

/// Shows kinds and numbers, as in `2 RSA keys, 1 password`.
impl fmt::Display for Addressees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.rsa_keys, "RSA key"),
            (self.agreement_keys, "key agreement"),
            (self.shared_keys, "shared key"),
            (self.passwords, "password"),
            (self.others, "other recipient"),
        ];
        let mut between = "";
        for (count, kind) in kinds.into_iter().filter(|(count, _)| *count > 0) {
            let plural = if count == 1 { "" } else { "s" };
            write!(f, "{between}{count} {kind}{plural}")?;
            between = ", ";
        }
        if between.is_empty() {
            f.write_str("nobody")?;
        }
        Ok(())
    }
}

/// The entries that may be for the reader.
enum Candidates<'a> {
    Rsa(&'a PrivateKey, Names, Vec<transport::Info>),
    Curve(
        &'a AnyPrivateKey,
        Box<AnyPublicKey>,
        Names,
        Vec<agree::Info>,
    ),
    Password(&'a [u8], Vec<password::Info>),
}

impl Candidates<'_> {
    /// The tag of their RecipientInfos.
    fn tag(&self) -> u8 {
        match self {
            Candidates::Rsa(..) => ber::SEQUENCE,
            Candidates::Curve(..) => context(1),
            Candidates::Password(..) => context(3),
        }
    }

    /// Adds an entry; returns whether it may be for the reader.
    fn add(&mut self, bytes: &[u8]) -> Result<bool, Error> {
        let before = self.len();
        match self {
            Candidates::Rsa(key, names, infos) => {
                infos.extend(transport::read(bytes, names, key.size())?);
            }
            Candidates::Curve(_, public, names, infos) => {
                infos.extend(agree::read(bytes, names, public)?);
            }
            Candidates::Password(_, infos) => infos.push(password::read(bytes)?),
        }
        Ok(self.len() > before)
    }

    fn len(&self) -> usize {
        match self {
            Candidates::Rsa(_, _, infos) => infos.len(),
            Candidates::Curve(_, _, _, infos) => infos.len(),
            Candidates::Password(_, infos) => infos.len(),
        }
    }
}

/// The recipients of a message, from the reader's view.
pub struct Recipients<'a> {
    candidates: Candidates<'a>,
    addressees: Addressees,
    /// The error in the first malformed entry of the reader's kind.
    odd: Option<Error>,
}

impl<'a> Recipients<'a> {
    /// Reads all of them.
    pub fn read<R: Read>(
        r: &mut Reader<R>,
        identity: &Identity<'a>,
    ) -> Result<Recipients<'a>, Error> {
        let names = |spki: &[u8]| Names::new(spki, identity.certificate);
        let mut candidates = match identity.secret {
            Secret::Rsa(key) => {
                Candidates::Rsa(key, names(&key.public().to_spki_der())?, Vec::new())
            }
            Secret::Curve(key) => {
                let public = Box::new(key.public());
                let names = names(&public.to_spki_der())?;
                Candidates::Curve(key, public, names, Vec::new())
            }
            Secret::Password(password) => Candidates::Password(password, Vec::new()),
        };
        let (mut addressees, mut odd) = (Addressees::default(), None);
        let (mut seen, mut kept) = (0, 0);
        r.enter(ber::SET)?;
        while let Some(tag) = r.peek()? {
            seen += 1;
            if seen > MAX_RECIPIENTS {
                return Err(Error::Malformed("more than 1024 recipients"));
            }
            addressees.count(tag);
            let bytes = r.raw(MAX_SMALL)?;
            if tag != candidates.tag() {
                continue;
            }
            let Some(bytes) = bytes else {
                odd.get_or_insert(Error::Malformed("a recipient is longer than 64 KiB"));
                continue;
            };
            match candidates.add(&bytes) {
                Ok(true) => kept += bytes.len(),
                Ok(false) => {}
                Err(e) => drop(odd.get_or_insert(e)),
            }
            if kept > MAX_KEPT {
                return Err(Error::Malformed(
                    "recipients are longer than 4 MiB together",
                ));
            }
        }
        r.leave()?;
        Ok(Recipients {
            candidates,
            addressees,
            odd,
        })
    }

    /// The content key.
    pub fn open<G: CryptoRng + ?Sized>(
        self,
        team: &dyn Team,
        rng: &mut G,
        options: &DecryptOptions,
        key_len: usize,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        if self.candidates.len() == 0 {
            return Err(self.odd.unwrap_or(Error::NoRecipient(self.addressees)));
        }
        match self.candidates {
            Candidates::Rsa(key, _, infos) => transport::open(team, rng, key, infos, key_len),
            Candidates::Curve(key, _, _, infos) => agree::open(key, &infos, key_len),
            Candidates::Password(password, infos) => {
                password::open(password, &infos, key_len, options.max_iterations)
            }
        }
    }
}
