//! `carrysave-mpi`: what `carrysave` does with many files, and one multiplication, over the ranks of an MPI job.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod files;
mod operation;

use carrysave_cli::exit::{self, Code, Failure};
use carrysave_cluster::World;
use carrysave_cluster::farm::{Ending, Mail};
use clap::Parser;
use std::process::ExitCode;

const HELP: &str = "\
Start it with mpirun:

  mpirun -n 8 carrysave-mpi sign --key key.pem reports

All ranks need the program, the key and the files at the same paths.";

/// RSA on many files over the ranks of an MPI job
#[derive(Parser, Debug)]
#[command(name = "carrysave-mpi", version, after_help = HELP, after_long_help = format!("{HELP}\n\n{}", exit::HELP))]
struct Cli {
    /// Say nothing but errors and warnings
    #[arg(short, long, global = true)]
    quiet: bool,
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
    /// Time one Montgomery multiplication over all ranks, against one rank
    Montmul(operation::Args),
    /// Time one modular exponentiation likewise: binary, from the left
    Modexp(operation::Args),
}

/// How a rank ends: what to say, and whether the others can be waited for.
type End = (exit::Result<()>, Ending);

fn main() -> ExitCode {
    let Some(world) = World::start() else {
        let failure = Failure::new(Code::Io, "MPI does not start");
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
    let (result, ending) = match cli.command {
        Command::Sign(args) => files::sign(&world, args, cli.quiet),
        Command::Verify(args) => files::verify(&world, args, cli.quiet),
        Command::Missing(args) => (
            if leads { files::missing(&args) } else { Ok(()) },
            Ending::Whole,
        ),
        Command::Montmul(args) => (operation::montmul(&world, &args), Ending::Whole),
        Command::Modexp(args) => (operation::modexp(&world, &args), Ending::Whole),
    };
    let code = exit::finish(result);
    if ending == Ending::Lost {
        world.leave();
    }
    code
}
