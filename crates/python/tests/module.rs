//! What cargo builds is a module of Python.

use std::{env, fs, process::Command};

/// What cargo calls it on Linux and on macOS.
const NAMES: [&str; 2] = ["lib_carrysave.so", "lib_carrysave.dylib"];

#[test]
fn python_imports_what_cargo_builds() {
    let test = env::current_exe().expect("a program knows where it is");
    let built = test.parent().expect("a program is in a folder");
    let library = NAMES.map(|name| built.join(name));
    let library = library.iter().find(|path| path.exists());
    let library = library.unwrap_or_else(|| panic!("no {NAMES:?} in {}", built.display()));
    let old = "import sys; sys.exit(sys.version_info < (3, 11))";
    let python = Command::new("python3").args(["-c", old]).status();
    if !python.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: the module for Python: no python3 of version 3.11 or later");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(library, folder.path().join("_carrysave.abi3.so")).expect("a copy of the module");
    let program = "import _carrysave as c; print(c.powmod(3, 2**200, 2**127 - 1) - pow(3, 2**200, 2**127 - 1))";
    let output = Command::new("python3")
        .args(["-c", program])
        .env("PYTHONPATH", folder.path())
        .output()
        .expect("python3 starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"0\n", "{errors}");
}
