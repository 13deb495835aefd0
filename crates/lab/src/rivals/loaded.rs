//! Rivals whose libraries a user has, and names when they are to race: `--peer-lib FILE`.

use super::{Answer, Refusal, crypto_mb, mpfq};
use crate::Error;
use libloading::Library;
use std::{path::Path, sync::OnceLock};

/// A library of one of these rivals, once a user has named it.
pub(super) struct Loaded(OnceLock<Library>);

impl Loaded {
    pub(super) const fn none() -> Loaded {
        Loaded(OnceLock::new())
    }

    pub(super) fn is_there(&self) -> bool {
        self.0.get().is_some()
    }

    /// A function of the library: F must be as the library declares it.
    pub(super) fn symbol<F: Copy>(&self, name: &str) -> Answer<F> {
        let library = self.0.get().ok_or(Refusal::NotOffered)?;
        // SAFETY: each caller has copied the declaration of its function.
        let found = unsafe { library.get::<F>(name.as_bytes()) };
        found.map(|found| *found).map_err(Refusal::failed)
    }
}

/// Whether a library is the rival's; and if it is, why it cannot be used here.
pub(super) type Recognise = fn(&Library) -> Option<Result<(), &'static str>>;

/// What a user can name.
const PEERS: [(Recognise, &Loaded); 2] = [
    (crypto_mb::recognise, &crypto_mb::LIBRARY),
    (mpfq::recognise, &mpfq::LIBRARY),
];

/// Loads the library of a rival, once in a process.
///
/// # Errors
/// If there is no library at `path`, if it is of none of the rivals, or if this processor cannot run it.
pub fn load(path: &Path) -> Result<(), Error> {
    let wrong = |why: &str| {
        Error(format!(
            "{} is not loaded as a rival: {why}; give libcrypto_mb.so as cryptography-primitives of Intel builds it, or what \
             is compiled of crates/lab/src/rivals/mpfq.c",
            path.display()
        ))
    };
    // SAFETY: the user vouches for what the library does when it is loaded.
    let library = unsafe { Library::new(path) }.map_err(|error| wrong(&error.to_string()))?;
    for (recognise, loaded) in PEERS {
        if let Some(usable) = recognise(&library) {
            usable.map_err(wrong)?;
            let kept = loaded.0.set(library);
            return kept.map_err(|_| wrong("there is one of these already"));
        }
    }
    Err(wrong("it has functions neither of crypto_mb nor of MPFQ"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_of_a_rival_is_refused() {
        let nowhere = load(Path::new("nowhere/libcrypto_mb.so"));
        let said = nowhere.unwrap_err().to_string();
        assert!(
            said.starts_with("nowhere/libcrypto_mb.so is not loaded as a rival: "),
            "{said}"
        );
        // The program's own functions, of which none is called so.
        let other = load(&std::env::current_exe().expect("a test has a file"));
        assert!(other.is_err() && PEERS.iter().all(|(_, loaded)| !loaded.is_there()));
    }
}
