//! `carrysave`: signatures, encryption, keys and hashes of files.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    carrysave_cli::main()
}
