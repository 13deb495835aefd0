//! The program `carrysave`, and what `carrysave-mpi` has in common with it.

#![forbid(unsafe_code)]
// They panic where nobody reads: `io::print` and `exit::say` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod batch;
pub mod cmd;
pub mod exit;
pub mod io;
pub mod key;
pub mod progress;

mod header;
mod hex;
mod processor;
mod record;
mod segmented;
mod sums;
mod weak;

use carrysave::arith::Plan;
use clap::Parser;
use exit::Failure;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// RSA on files, with arithmetic that uses every level of parallelism the machine has
#[derive(Parser, Debug)]
#[command(name = "carrysave", version, after_long_help = exit::HELP, propagate_version = true)]
pub struct Cli {
    /// Say nothing but errors and warnings
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Follow the plan in this file, which `carrysave tune` writes
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
    io::clean_up_on_interrupt()?;
    if let Some(path) = &cli.plan {
        follow(path)?;
    }
    cli.command.run(cli.quiet)
}

/// Makes the plan in a file the one for this machine.
fn follow(path: &Path) -> exit::Result<()> {
    let text = fs::read_to_string(path)
        .map_err(|e| Failure::io(format_args!("cannot read {}", path.display()), &e))?;
    let plan = Plan::from_toml(&text).and_then(Plan::install);
    plan.map_err(|e| Failure::bad_input(e.to_string()).about(path))
}
