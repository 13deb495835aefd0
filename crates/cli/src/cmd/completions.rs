//! `carrysave completions`

use crate::exit::Result;
use crate::io;
use clap::CommandFactory;
use clap_complete::Shell;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    For bash, for example: carrysave completions bash > \
    ~/.local/share/bash-completion/completions/carrysave")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut crate::Cli::command(),
        "carrysave",
        &mut script,
    );
    io::print(script)
}
