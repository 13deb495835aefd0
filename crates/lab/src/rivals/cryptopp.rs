//! Crypto++, a library in C++. A program of ours, `cryptopp.cpp`, is compiled against the system's when it is to race for
//! the first time. It does on command what it was told to prepare, and takes the time itself.

use super::{Elsewhere, Refusal, Rival};
use crate::processes::temp_folder;
use std::{
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

pub(super) const RIVAL: Rival = Rival {
    scheme: Some(|operation, octets| {
        let program = PROGRAM.as_ref().ok_or(Refusal::NotOffered)?;
        let mut request = format!("prepare {operation}");
        for word in octets {
            request.push(' ');
            request.extend(word.iter().map(|octet| format!("{octet:02x}")));
        }
        let mut program = program.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = program.ask(&request).map_err(Refusal::failed)?;
        let (octets, first) = answer.split_once(' ').unwrap_or_default();
        let (Some(answer), Some(first)) = (bytes(octets), nanoseconds(first)) else {
            return Err(Refusal::Failed(answer));
        };
        let index = program.prepared;
        program.prepared += 1;
        let again = move |times| {
            let program = PROGRAM.as_ref().map(Mutex::lock);
            let mut program = program
                .expect("it is there")
                .unwrap_or_else(PoisonError::into_inner);
            let answer = program.ask(&format!("run {index} {times}"));
            let time = answer.as_deref().map(nanoseconds);
            time.ok()
                .flatten()
                .unwrap_or_else(|| panic!("crypto++ ended its race: {answer:?}"))
        };
        Ok(Elsewhere {
            answer,
            first,
            again: Box::new(again),
        })
    }),
    ..Rival::new("crypto++", || VERSION.clone().unwrap_or_default())
};

/// Its version, as its headers have it; `None` where there is none, or no compiler.
static VERSION: LazyLock<Option<String>> = LazyLock::new(|| {
    let text = "#include <cryptopp/config_ver.h>\nCRYPTOPP_VERSION\n";
    let mut compiler = compile(&["-E", "-P", "-"]).spawn().ok()?;
    compiler.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = compiler.wait_with_output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version: u32 = text.lines().last()?.trim().parse().ok()?;
    let [major, minor, patch] = [version / 100, version / 10 % 10, version % 10];
    Some(format!("Crypto++ {major}.{minor}.{patch}, the system's"))
});

/// The program, which ends with this one; `None`, with a sentence, where it cannot be had.
static PROGRAM: LazyLock<Option<Mutex<Program>>> = LazyLock::new(|| {
    let started = match *VERSION {
        Some(_) => Program::start(),
        None => Err(io::Error::other(
            "there is no C++ compiler or no Crypto++ (Debian: g++ and libcrypto++-dev)",
        )),
    };
    let complain = |error: io::Error| eprintln!("carrysave: crypto++ does not race: {error}");
    started.map_err(complain).ok().map(Mutex::new)
});

/// The system's compiler, to be given a text.
fn compile(arguments: &[&str]) -> Command {
    let mut compiler = Command::new("c++");
    compiler
        .args(["-O3", "-march=native", "-w", "-x", "c++"])
        .args(arguments);
    compiler
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    compiler
}

/// The program on the other end of pipes.
struct Program {
    /// Kept, as its pipes are.
    _child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// How many operations it has prepared.
    prepared: usize,
}

impl Program {
    /// Compiles it in a folder that is gone once it runs, and starts it.
    fn start() -> io::Result<Program> {
        let folder = temp_folder()?;
        Program::compile(&folder.path().join("cryptopp"))
    }

    fn compile(program: &std::path::Path) -> io::Result<Program> {
        let mut compiler = compile(&["-", "-lcryptopp", "-o"]).arg(program).spawn()?;
        let source = include_bytes!("cryptopp.cpp");
        let written = compiler
            .stdin
            .take()
            .map_or(Ok(()), |mut stdin| stdin.write_all(source));
        let output = compiler.wait_with_output()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(text));
        }
        written?;
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (requests, answers) = pipes.ok_or_else(|| io::Error::other("it has no pipes"))?;
        Ok(Program {
            _child: child,
            requests,
            answers: BufReader::new(answers),
            prepared: 0,
        })
    }

    /// A line for a line.
    fn ask(&mut self, request: &str) -> io::Result<String> {
        writeln!(self.requests, "{request}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer.trim_end().to_owned())
    }
}

fn nanoseconds(text: &str) -> Option<Duration> {
    text.parse().ok().map(Duration::from_nanos)
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2).map(str::from_utf8);
    digits
        .map(|pair| u8::from_str_radix(pair.ok()?, 16).ok())
        .collect()
}
