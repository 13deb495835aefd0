//! `carrysave`: RSA on real files, the kernels of this machine, and how fast they are.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    carrysave_cli::main()
}
