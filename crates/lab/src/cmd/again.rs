//! This program in a process of its own: a plan and a kernel are for a program that has not computed anything yet.

use carrysave_cli::exit::{Code, Failure, Result};
use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitStatus};

/// What starts it.
pub fn program() -> Result<Command> {
    Ok(Command::new(std::env::current_exe().map_err(cannot)?))
}

/// The arguments of this program, for a process that has no standard input.
pub fn arguments() -> Result<Vec<OsString>> {
    without_input(std::env::args_os().skip(1).collect())
}

fn without_input(all: Vec<OsString>) -> Result<Vec<OsString>> {
    let reads = |i: usize| match all[i].to_str() {
        // Records go to standard output by this name.
        Some("-") => i == 0 || all[i - 1] != "--record",
        other => other == Some("--plan=-"),
    };
    if (0..all.len()).any(reads) {
        return Err(Failure::usage(
            "processes of their own do this, which have no standard input: name a file in place of -",
        ));
    }
    Ok(all)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_not_passed_on() {
        for (line, fine) in [
            ("vectors --every mpn_add_n file", true),
            ("profile --record -", true),
            ("--plan plan.toml profile", true),
            ("--plan - profile", false),
            ("--plan=- profile", false),
            ("vectors --every mpn_add_n -", false),
            ("- profile", false),
        ] {
            let all = line.split(' ').map(OsString::from).collect();
            assert_eq!(without_input(all).is_ok(), fine, "{line}");
        }
    }
}
