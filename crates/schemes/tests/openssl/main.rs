//! The `openssl` program reads what we write, and we read what it writes.

mod dl;
mod ed25519;
mod keys;
mod rsa;

use rand_core::UnwrapErr;
use std::path::{Path, PathBuf};
use std::process::Command;

type Rng = UnwrapErr<getrandom::SysRng>;

fn rng() -> Rng {
    UnwrapErr(getrandom::SysRng)
}

/// A temporary folder, or `None` with a printed notice if there is no such program.
fn workshop() -> Option<Workshop> {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("SKIPPED: no program `openssl`: install it to check interoperation");
        return None;
    }
    Some(Workshop(tempfile::tempdir().unwrap()))
}

struct Workshop(tempfile::TempDir);

impl Workshop {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Runs `openssl` with these words in the folder; returns whether it succeeded.
    fn accepts(&self, words: &str) -> bool {
        let output = command(self.0.path(), words).output().unwrap();
        if !output.status.success() {
            eprintln!(
                "openssl {words}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        output.status.success()
    }

    fn run(&self, words: &str) {
        assert!(self.accepts(words), "openssl {words}");
    }
}

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new("openssl");
    command.args(words.split_whitespace()).current_dir(folder);
    command
}
