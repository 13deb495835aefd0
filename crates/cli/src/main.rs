//! `carrysave`: RSA on real files, the kernels of this machine, and how fast they are.

#![forbid(unsafe_code)]

mod batch;
mod cmd;
mod exit;
mod io;
mod key;
mod processor;
mod progress;
mod segmented;
mod weak;

use clap::Parser;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::process::ExitCode;

/// RSA on files, with arithmetic that uses every level of parallelism the machine has
#[derive(Parser, Debug)]
#[command(name = "carrysave", version, after_long_help = exit::HELP, propagate_version = true)]
pub struct Cli {
    /// Say nothing but errors and warnings
    #[arg(short, long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: cmd::Command,
}

/// The system's random number generator.
fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    exit::finish(io::clean_up_on_interrupt().and_then(|()| cli.command.run(cli.quiet)))
}
