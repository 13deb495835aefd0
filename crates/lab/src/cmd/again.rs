//! This program in a process of its own: a plan and a kernel are for a program that has not computed anything yet.

use carrysave_cli::exit::{Code, Failure, Result};
use std::io;
use std::process::{Command, ExitStatus};

/// What starts it.
pub fn program() -> Result<Command> {
    Ok(Command::new(std::env::current_exe().map_err(cannot)?))
}

/// That it does not start, or does not answer.
pub fn cannot(e: io::Error) -> Failure {
    Failure::io("cannot start this program again", &e)
}

/// Fails as it failed; `what` is what it did.
pub fn succeeded(status: ExitStatus, what: &str) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    // What went wrong it has said itself.
    let code = status
        .code()
        .and_then(|code| Code::of(code.try_into().ok()?));
    Err(match code {
        Some(code) => Failure::new(code, ""),
        None => Failure::new(Code::Failed, format!("{what} ended early: {status}")),
    })
}
