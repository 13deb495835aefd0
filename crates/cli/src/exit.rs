//! Documented exit codes, and the one sentence of a failure.

use carrysave::{KeyError, cms, ec, engine, rsa};
use std::ffi::OsStr;
use std::fmt;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The text for `--help` and the manual.
pub const HELP: &str = "\
Exit status:
  0    it worked
  1    a signature does not verify, a ciphertext does not decrypt, or a hash is another one
  2    the command line is wrong
  3    an input file or a key is not what it should be
  4    reading or writing failed
  5    some of many files failed, which does not stop the others
  129  the terminal hung up
  130  interrupted
  143  terminated

A command that fails leaves no output file behind, and does not touch one that was there;
of many files, that holds for each, and the manifest of a --batch appears however it ends.";

/// Why the program ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A signature does not verify, a ciphertext does not decrypt, or a hash is another one.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// An input file or a key is not what it should be.
    BadInput = 3,
    /// Reading or writing failed.
    Io = 4,
    /// Some of many files failed.
    Batch = 5,
    /// The terminal hung up.
    HungUp = 129,
    /// Interrupted.
    Interrupted = 130,
    /// Terminated.
    Terminated = 143,
}

impl Code {
    /// The code with this exit status.
    pub fn of(status: u8) -> Option<Code> {
        use Code::*;
        [
            Failed,
            Usage,
            BadInput,
            Io,
            Batch,
            HungUp,
            Interrupted,
            Terminated,
        ]
        .into_iter()
        .find(|code| *code as u8 == status)
    }
}

/// One sentence for the user, and the exit status.
#[derive(Debug)]
pub struct Failure {
    /// The exit status.
    pub code: Code,
    /// The sentence.
    pub message: String,
}

/// The result of a command: success, or the failure that ends the program.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A failure with any status.
    pub fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
        }
    }

    /// The command line is wrong.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Code::Usage, message)
    }

    /// An input file or a key is not what it should be.
    pub fn bad_input(message: impl Into<String>) -> Failure {
        Failure::new(Code::BadInput, message)
    }

    /// Reading or writing failed.
    pub fn io(what: impl fmt::Display, e: &std::io::Error) -> Failure {
        let remedy = match e.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                ": make room there, or give the output another place"
            }
            _ => "",
        };
        Failure::new(Code::Io, format!("{what}: {e}{remedy}"))
    }

    /// Prints the sentence, unless it is empty.
    pub fn say(&self) {
        if !self.message.is_empty() {
            say(format_args!("{}: {}", program(), self.message));
        }
    }

    /// Adds the path of the file that the failure is about.
    pub fn about(self, path: &Path) -> Failure {
        Failure {
            message: format!("{}: {}", path.display(), self.message),
            ..self
        }
    }
}

impl From<KeyError> for Failure {
    fn from(e: KeyError) -> Failure {
        Failure::bad_input(e.to_string())
    }
}

impl From<ec::Error> for Failure {
    fn from(e: ec::Error) -> Failure {
        let code = match e {
            ec::Error::Verification | ec::Error::Fault => Code::Failed,
            ec::Error::Sha1Signature => Code::Usage,
            _ => Code::BadInput,
        };
        Failure::new(code, e.to_string())
    }
}

impl From<engine::Error> for Failure {
    fn from(e: engine::Error) -> Failure {
        match e {
            engine::Error::Rsa(e) => e.into(),
            engine::Error::Ec(e) => e.into(),
            _ => Failure::bad_input(e.to_string()),
        }
    }
}

impl From<rsa::Error> for Failure {
    fn from(e: rsa::Error) -> Failure {
        let code = match e {
            rsa::Error::Decryption | rsa::Error::Verification | rsa::Error::Fault => Code::Failed,
            rsa::Error::Sha1Signature => Code::Usage,
            _ => Code::BadInput,
        };
        Failure::new(code, e.to_string())
    }
}

impl From<cms::Error> for Failure {
    fn from(e: cms::Error) -> Failure {
        match e {
            cms::Error::Rsa(e) => e.into(),
            cms::Error::Key(e) => e.into(),
            cms::Error::Curve(e) => e.into(),
            cms::Error::Decryption | cms::Error::NoRecipient(_) => {
                Failure::new(Code::Failed, e.to_string())
            }
            cms::Error::Read(e) => Failure::io("reading failed", &e),
            cms::Error::Write(e) => Failure::io("writing failed", &e),
            _ => Failure::bad_input(e.to_string()),
        }
    }
}

impl Failure {
    /// A failure between two files, and the file that it concerns.
    pub fn between(from: &Path, to: &Path, e: cms::Error) -> Failure {
        let path = if matches!(e, cms::Error::Write(_)) {
            to
        } else {
            from
        };
        Failure::from(e).about(path)
    }
}

/// The name by which this program was started.
pub fn program() -> String {
    let name = std::env::args_os().next().map(PathBuf::from);
    let name = name.as_deref().and_then(Path::file_name);
    name.map_or("carrysave".into(), OsStr::to_string_lossy)
        .into_owned()
}

/// Writes a line to standard error. A failure to do so is ignored, as there is no other place to report it. What controls a
/// terminal is replaced, as names of files and texts in them are others'.
pub fn say(line: impl fmt::Display) {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c => printed(c),
    };
    let line: String = line.to_string().chars().map(shown).collect();
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// A character of others' text, in place of which there is another if it could control the terminal.
pub fn printed(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}

/// Reports the result.
pub fn finish(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.say();
            ExitCode::from(failure.code as u8)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_that_of_its_code_alone() {
        let codes = (0..=u8::MAX).filter_map(|status| Code::of(status).map(|code| (status, code)));
        let codes: Vec<_> = codes.collect();
        let statuses: Vec<u8> = codes.iter().map(|&(status, _)| status).collect();
        assert_eq!(statuses, [1, 2, 3, 4, 5, 129, 130, 143]);
        assert!(codes.iter().all(|&(status, code)| code as u8 == status));
    }

    #[test]
    fn what_cannot_be_read_or_written_is_no_bad_message() {
        let broken = || std::io::Error::other("broken");
        for e in [cms::Error::Read(broken()), cms::Error::Write(broken())] {
            let failure = Failure::from(e);
            assert_eq!(failure.code, Code::Io);
            assert!(failure.message.ends_with("broken"), "{}", failure.message);
        }
    }
}
