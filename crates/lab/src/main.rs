//! `carrysave-lab`: experiments, records and reports.

#![forbid(unsafe_code)]
// They panic where nobody reads: `io::print` and `exit::say` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod cmd;

use carrysave_cli::cmd::tune;
use carrysave_cli::{exit, interrupt, processor};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Measures carrysave on this machine, beside other implementations
#[derive(Parser, Debug)]
#[command(name = "carrysave-lab", version, after_long_help = exit::HELP, propagate_version = true)]
struct Cli {
    /// Say nothing but errors and warnings
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Follow the plan in this file, which `tune` writes; - for standard input
    #[arg(long, global = true, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Measure how fast this machine is
    Bench(cmd::bench::Args),
    /// Measure what TLS servers take for a handshake, with the OpenSSL provider and without it
    Handshakes(cmd::handshakes::Args),
    /// Count the instructions of each function while test vectors run, under valgrind
    Profile(cmd::profile::Args),
    /// Measure this machine and make a page of it, or compare two measurements
    Report(cmd::report::Args),
    /// Let signers, services, a farm and TLS servers go on for minutes, and see that nothing fails, hangs or grows
    Soak(cmd::soak::Args),
    /// Measure what is fastest on this machine, and write a plan
    Tune(tune::Args),
    /// Run test vectors from files, compare their answers and take the time
    Vectors(cmd::vectors::Args),
}

fn main() -> ExitCode {
    exit::finish(run(Cli::parse()))
}

fn run(cli: Cli) -> exit::Result<()> {
    interrupt::clean_up()?;
    let tunes = matches!(cli.command, Command::Tune(_));
    processor::prepare(cli.plan.as_deref(), tunes, cli.quiet)?;
    match cli.command {
        Command::Bench(args) => cmd::bench::run(args),
        Command::Handshakes(args) => cmd::handshakes::run(args, cli.quiet),
        Command::Profile(args) => cmd::profile::run(args, cli.quiet),
        Command::Report(args) => cmd::report::run(args, cli.quiet),
        Command::Soak(args) => cmd::soak::run(args),
        Command::Tune(args) => tune::run(args, cli.quiet),
        Command::Vectors(args) => cmd::vectors::run(args),
    }
}
