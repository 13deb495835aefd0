//! The program `carrysave`, and the parts that `carrysave-mpi` and `carrysave-lab` share with it.

#![forbid(unsafe_code)]
// They panic on a closed pipe; `io::print` and `exit::say` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod batch;
pub mod cmd;
pub mod exit;
pub mod interrupt;
pub mod io;
pub mod key;
pub mod processor;
pub mod progress;
pub mod record;
pub mod segmented;
pub mod weak_moduli;

mod draft;
mod header;
mod hex;
mod signature;
mod sums;
mod terminal;

use clap::Parser;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::path::PathBuf;
use std::process::ExitCode;

/// Signatures, encryption, keys and hashes of files, on arithmetic that uses all that a machine has in parallel
#[derive(Parser, Debug)]
#[command(name = "carrysave", version, after_long_help = exit::HELP, propagate_version = true)]
pub struct Cli {
    /// Say nothing but errors and warnings
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Follow the plan in this file, which `carrysave tune` writes; - for standard input [default: carrysave/plan.toml in
    /// the user's folder for configuration, if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[command(subcommand)]
    command: cmd::Command,
}

/// The system's random number generator.
pub fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// Does what the command line says.
pub fn main() -> ExitCode {
    exit::finish(run(Cli::parse()))
}

fn run(cli: Cli) -> exit::Result<()> {
    interrupt::clean_up()?;
    let tunes = matches!(cli.command, cmd::Command::Tune(_));
    processor::prepare(cli.plan.as_deref(), tunes, cli.quiet)?;
    cli.command.run(cli.quiet)
}
