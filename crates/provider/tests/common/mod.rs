//! The module, a configuration that loads it, its counters, and ports.

#![allow(dead_code)] // Not every test needs all of it.

#[cfg(feature = "openssl")]
pub mod libcrypto;
pub mod openssl;

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The names of the counters, in the order of their file.
pub const COUNTERS: [&str; 11] = [
    "imports",
    "keys",
    "signatures",
    "verifications",
    "encryptions",
    "decryptions",
    "agreements",
    "pauses",
    "groups",
    "shared",
    "ciphers",
];

/// The module, which cargo puts beside the tests.
pub fn module() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let module = test.with_file_name("libcarrysave_provider.so");
    assert!(module.exists(), "{module:?} is missing");
    module
}

/// A folder with a configuration that puts this provider before the default one.
pub struct Setup {
    pub folder: TempDir,
}

impl Setup {
    pub fn new() -> Setup {
        let setup = Setup {
            folder: tempfile::tempdir().unwrap(),
        };
        let configuration = format!(
            "openssl_conf = init\n[init]\nproviders = providers\n[providers]\ncarrysave = carrysave_section\n\
             default = default_section\n[carrysave_section]\nmodule = {}\ncounters = {}\nactivate = 1\n\
             [default_section]\nactivate = 1\n",
            module().display(),
            setup.path("counters").display(),
        );
        fs::write(setup.path("openssl.cnf"), configuration).unwrap();
        setup
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A count of what this provider has done in all processes with this configuration.
    pub fn count(&self, name: &str) -> u64 {
        let at = COUNTERS.iter().position(|own| *own == name).unwrap();
        count(&self.path("counters"), at)
    }
}

fn count(file: &Path, at: usize) -> u64 {
    // There is no file as long as nothing has loaded the module.
    let bytes = fs::read(file).unwrap_or_default();
    bytes
        .get(8 * at..8 * at + 8)
        .map_or(0, |bytes| u64::from_ne_bytes(bytes.try_into().unwrap()))
}

/// A port that nothing listens on.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Waits until something listens there, without connecting to it.
pub fn wait_for(port: u16) {
    let listening = || {
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        table.contains(&format!("0100007F:{port:04X} 00000000:0000 0A"))
    };
    for _ in 0..1000 {
        if listening() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("nothing listens on port {port}");
}
