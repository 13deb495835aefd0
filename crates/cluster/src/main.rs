//! `carrysave-mpi`: what `carrysave` does with many files, and one operation, over the ranks of an MPI job.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod files;

use carrysave_cli::exit::{self, Code, Failure};
use carrysave_cli::processor;
use carrysave_cluster::World;
use carrysave_cluster::farm::{Ending, Mail};
use clap::Parser;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Start it with mpirun:

  mpirun -n 8 carrysave-mpi sign --key key.pem reports

All ranks need the program, the key and the files at the same paths.";

const STATUS: &str = "\
Exit status:
  0    it worked
  1    an algorithm gives something else than another way
  2    the command line is wrong
  3    a key or a plan is not what it should be
  4    reading or writing failed, or rank 0 is lost
  5    some of the files failed or have no signature, which does not stop the others
  130  the run was ended before all files had their turn

The launcher passes on one of the ranks' or has its own. A signature appears whole or not at all.";

/// RSA on many files over the ranks of an MPI job
#[derive(Parser, Debug)]
#[command(name = "carrysave-mpi", version, after_help = HELP, after_long_help = format!("{HELP}\n\n{STATUS}"))]
struct Cli {
    /// Say nothing but errors and warnings
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Follow the plan in this file, which `carrysave tune` writes and every rank reads
    #[arg(long, global = true, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Sign many files, each into FILE.sig
    Sign(files::SignArgs),
    /// Verify the signatures of many files
    Verify(files::VerifyArgs),
    /// Print which files have no signature
    Missing(files::MissingArgs),
    /// Time one Montgomery multiplication, one power by signed digits, and many operations with an RSA key, on 1 to all ranks
    /// against one
    Bench(bench::Args),
}

/// How a rank ends: its message, and whether it may wait for the others.
type End = (exit::Result<()>, Ending);

fn main() -> ExitCode {
    let Some(world) = World::start() else {
        let failure = Failure::new(
            Code::Io,
            "MPI does not start for a program with threads: use another MPI library, or start it with its own mpirun",
        );
        return exit::finish(Err(failure));
    };
    let leads = Mail::rank(&world) == 0;
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(_) if !leads => return ExitCode::SUCCESS,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(e.exit_code() as u8);
        }
    };
    let command = || {
        // Before any key is read, as keys use the plan.
        let ready = processor::prepare(cli.plan.as_deref(), false, cli.quiet || !leads);
        let whole = |result| (result, Ending::Whole);
        match cli.command {
            Command::Sign(args) => files::sign(&world, ready, args, cli.quiet),
            Command::Verify(args) => files::verify(&world, ready, args, cli.quiet),
            Command::Missing(_) if !leads => whole(Ok(())),
            Command::Missing(args) => whole(ready.and_then(|()| files::missing(&args))),
            Command::Bench(args) => whole(bench::run(&world, ready, &args)),
        }
    };
    let (result, ending) = match catch_unwind(AssertUnwindSafe(command)) {
        Ok(end) => end,
        Err(panic) => {
            // The others may wait for this rank, which then must not wait for them.
            world.leave();
            resume_unwind(panic)
        }
    };
    let code = exit::finish(result);
    if ending == Ending::Lost {
        world.leave();
    }
    code
}
