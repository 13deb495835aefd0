//! `carrysave man`

use crate::exit::{self, Failure, Result};
use crate::io::{self, Access};
use clap::CommandFactory;
use clap_mangen::Man;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "To read it at once: carrysave man | man -l -")]
pub struct Args {
    /// Write one page for the program and one for each command into this folder
    #[arg(long, value_name = "FOLDER")]
    out_dir: Option<PathBuf>,
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let mut program = crate::Cli::command();
    program.build();
    let Some(folder) = args.out_dir else {
        return io::print(page(program)?);
    };
    let subcommands = program
        .get_subcommands()
        .filter(|c| c.get_name() != "help")
        .cloned();
    let mut pages: Vec<_> = subcommands.collect();
    pages.push(program);
    for command in pages {
        let name = command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_owned();
        let path = folder.join(format!("{name}.1"));
        io::write(
            &path,
            Access::Umask,
            page(with_exit_status(command))?.as_bytes(),
        )?;
    }
    Ok(())
}

/// Every page explains the exit status, below what is said about the command.
fn with_exit_status(command: clap::Command) -> clap::Command {
    let about = command.get_after_help().map(|text| format!("{text}\n\n"));
    command.after_long_help(about.unwrap_or_default() + exit::HELP)
}

fn page(command: clap::Command) -> Result<String> {
    let mut roff = Vec::new();
    Man::new(command)
        .render(&mut roff)
        .map_err(|e| Failure::io("cannot make the manual", &e))?;
    Ok(String::from_utf8_lossy(&roff).into_owned())
}
