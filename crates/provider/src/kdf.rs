//! Keys that an agreement derives from its secret: hashes of the secret, a counter and what both sides know, one after
//! the other (ANSI X9.63, X9.42).

use crate::digests::{self, Digest};
use crate::failure::Failure;
use crate::param::{Params, Wanted};
use carrysave::arith::off_stack;
use core::ffi::CStr;
use zeroize::Zeroizing;

/// The stack that a derivation takes at most.
const STACK: usize = 1 << 14;

/// The most bytes of a key, as in the default provider.
const MOST: usize = 1 << 30;

/// A derivation, if it is used.
#[derive(Clone)]
pub struct Kdf {
    name: &'static CStr,
    on: bool,
    digest: Option<Digest>,
    len: usize,
    /// The octets that both sides know ("user keying material").
    ukm: Vec<u8>,
}

impl Kdf {
    pub fn new(name: &'static CStr) -> Kdf {
        Kdf {
            name,
            on: false,
            digest: None,
            len: 0,
            ukm: Vec::new(),
        }
    }

    /// The length of the key; `None` if the secret is given as it is.
    pub fn len(&self) -> Option<usize> {
        self.on.then_some(self.len)
    }

    /// The key from a secret, or the secret. `shared` says what is hashed behind the secret, for a counter and the octets
    /// that both sides know.
    pub fn derive(
        &self,
        secret: Zeroizing<Vec<u8>>,
        shared: impl Fn(u32, &[u8]) -> Vec<u8>,
    ) -> Result<Zeroizing<Vec<u8>>, Failure> {
        if !self.on {
            return Ok(secret);
        }
        let name = self.name.to_string_lossy();
        let digest = self
            .digest
            .ok_or_else(|| Failure::new(format!("{name} has no hash: set kdf-digest")))?;
        if self.len == 0 {
            return Err(Failure::new(format!(
                "{name} has no length: set kdf-outlen"
            )));
        }
        Ok(off_stack::<STACK, _>(|| {
            let mut out = Zeroizing::new(Vec::with_capacity(self.len + digest.len()));
            for counter in 1_u32.. {
                if out.len() >= self.len {
                    break;
                }
                let mut running = digest.running();
                running.update(&secret);
                running.update(&shared(counter, &self.ukm));
                out.extend_from_slice(&Zeroizing::new(running.finish()));
            }
            out.truncate(self.len);
            out
        }))
    }

    pub fn set(&mut self, params: &Params<'_>) -> Result<(), Failure> {
        if let Some(kind) = params.find(c"kdf-type") {
            let own = self.name.to_string_lossy();
            self.on = match kind.text()? {
                "" => false,
                name if name.eq_ignore_ascii_case(&own) => true,
                name => {
                    return Err(Failure::new(format!(
                        "the key derivation \"{name}\" is not {own}: ask for provider=default"
                    )));
                }
            };
        }
        if let Some(digest) = params.find(c"kdf-digest") {
            self.digest = Some(digests::find(digest.text()?)?);
        }
        if let Some(len) = params.find(c"kdf-outlen") {
            let len = usize::try_from(len.integer()?).ok();
            self.len = len.filter(|len| *len <= MOST).ok_or_else(|| {
                Failure::new(format!(
                    "a derived key has up to {MOST} bytes: ask for fewer"
                ))
            })?;
        }
        if let Some(ukm) = params.find(c"kdf-ukm") {
            self.ukm = ukm.octets()?.to_vec();
        }
        Ok(())
    }

    pub fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        match wanted.name().to_bytes() {
            b"kdf-type" => wanted.set_text(if self.on { self.name } else { c"" }),
            b"kdf-digest" => wanted.set_text(self.digest.map_or(c"", |digest| digest.row().name)),
            b"kdf-outlen" => wanted.set_count(self.len as u64),
            b"kdf-ukm" => wanted.set_pointer(&self.ukm),
            _ => Ok(()),
        }
    }
}
