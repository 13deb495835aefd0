//! `carrysave-lab profile`

use super::again;
use super::forced::Forced;
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::interrupt::TempFolder;
use carrysave_cli::io::{Output, print};
use carrysave_cli::processor::Processor;
use carrysave_cli::{progress, record};
use carrysave_kernels::{Cpu, Isa};
use carrysave_lab::head;
use carrysave_lab::profile::{ALL, Profile};
use carrysave_lab::report::html::number;
use carrysave_lab::test_vectors::{FILES, TestVectors};
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Test vectors run once under valgrind, whose tool callgrind counts what each function does itself, without those that it \
    calls. Instructions, loads, stores and branches are those that are executed; misses and mispredictions are those of caches \
    and a predictor that valgrind simulates. It has no clock, and its processor has no AVX-512.")]
pub struct Args {
    /// Only these test vectors: an operation, such as modexp, or one file, such as modexp-1024 [default: all]
    #[arg(long, value_name = "NAME", value_parser = vectors)]
    only: Option<String>,
    /// Also count loads, stores and branches, and what misses the caches or is mispredicted; that takes several times as long
    #[arg(long)]
    counters: bool,
    /// Also write a record: the counts as CSV, with the machine, the compiler and the date
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Be the program that valgrind runs, which prints the extensions that it computes with
    #[arg(long, hide = true)]
    part: bool,
    #[command(flatten)]
    processor: Processor,
    #[command(flatten)]
    forced: Forced,
}

/// Whether test vectors are asked for by the name of their file, or by its operation.
fn asks(name: &str, file: &str) -> bool {
    file == name || file.split('-').next() == Some(name)
}

fn vectors(name: &str) -> std::result::Result<String, String> {
    if FILES.iter().any(|(file, _)| asks(name, file)) {
        return Ok(name.to_owned());
    }
    let files: Vec<&str> = FILES.iter().map(|(file, _)| *file).collect();
    Err(format!(
        "the files are {}; without its length a name is that of an operation",
        files.join(", ")
    ))
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    if args.part {
        return counted(&args);
    }
    let record = args.record.as_deref().map(Output::text).transpose()?;
    let folder = TempFolder::new()?;
    let file = folder.path().join("callgrind");
    let cpu = under_valgrind(&args, &file, quiet)?;
    let text = fs::read(&file).map_err(|e| Failure::io("cannot read what callgrind wrote", &e))?;
    let profile = Profile::read(&String::from_utf8_lossy(&text));
    let profile = profile.map_err(|e| Failure::new(Code::Failed, e.to_string()))?;
    print(table(&profile))?;
    let Some(record) = record else {
        return Ok(());
    };
    let mut head = head(cpu);
    let counts = format!(
        "{}, a number of events in the place of nanoseconds",
        profile.creator
    );
    head.0.push(("counts".to_owned(), counts));
    head.0.extend(args.forced.entry());
    let program = args.only.as_deref().unwrap_or(ALL);
    record::fill(record, &head, &profile.rows(program))
}

/// What valgrind runs: the test vectors, once each.
fn counted(args: &Args) -> Result<()> {
    // Valgrind executes none of these.
    Cpu::restrict(extensions(|name| name.starts_with("avx512")));
    let cpu = args.processor.cpu()?;
    args.forced.force(cpu)?;
    let asked = |file: &str| args.only.as_deref().is_none_or(|name| asks(name, file));
    for (file, text) in FILES.iter().filter(|(file, _)| asked(file)) {
        let vectors = TestVectors::read(cpu, text);
        let vectors = vectors.map_err(|e| Failure::bad_input(format!("{file}: {e}")))?;
        let (wrong, all) = (vectors.wrong(), vectors.len());
        if wrong > 0 {
            let message = format!("{file}: {wrong} of {all} answers are wrong");
            return Err(Failure::new(Code::Failed, message));
        }
    }
    print(format!("{cpu}\n"))
}

/// Runs this program under valgrind, which writes what it counts into a file. Gives the processor that the program saw.
fn under_valgrind(args: &Args, file: &Path, quiet: bool) -> Result<Cpu> {
    let mut out = OsString::from("--callgrind-out-file=");
    out.push(file);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(out);
    if args.counters {
        valgrind.args(["--cache-sim=yes", "--branch-sim=yes"]);
    }
    valgrind.arg(again::program()?.get_program());
    valgrind.args(again::arguments()?).arg("--part");
    valgrind.stdin(Stdio::null()).stdout(Stdio::piped());
    let started = valgrind.spawn();
    let mut child = started.map_err(|e| match e.kind() {
        ErrorKind::NotFound => Failure::usage(
            "valgrind is not installed: install it, such as by apt-get install valgrind",
        ),
        _ => cannot(e),
    })?;
    let bar = progress::waiting("counting under valgrind", quiet);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(cannot)? {
            break status;
        }
        bar.tick();
        thread::sleep(Duration::from_millis(100));
    };
    bar.finish_and_clear();
    again::succeeded(status, "the program under valgrind")?;
    let mut said = String::new();
    let mut out = child.stdout.take().expect("it is piped");
    out.read_to_string(&mut said).map_err(cannot)?;
    let hidden = extensions(|name| said.trim().split('+').all(|seen| seen != name));
    Ok(args.processor.cpu()?.without(hidden))
}

/// The extensions with such names.
fn extensions(named: impl Fn(&str) -> bool) -> Isa {
    let found = Isa::ALL.iter().filter(|&&(_, name)| named(name));
    found.fold(Isa::NONE, |all, (isa, _)| all.and(*isa))
}

fn cannot(e: io::Error) -> Failure {
    Failure::io("cannot run valgrind", &e)
}

/// A line for the program, and one for each function.
fn table(profile: &Profile) -> String {
    let names = profile.events.iter().map(|event| event.name.to_owned());
    let mut text = line(&names.collect::<Vec<_>>(), "share", "class", "function");
    for function in profile.all() {
        let [of, all] = [function, &profile.whole].map(|it| it.counts[0] as f64);
        let share = format!("{:.4} %", 100.0 * of / all);
        let counts = function.counts.iter().map(|&count| number(count as f64));
        let counts: Vec<String> = counts.collect();
        text += &line(&counts, &share, function.class, &function.name);
    }
    text
}

/// Instructions and what part of the program's they are, the other counts, and whose they are.
fn line(counts: &[String], share: &str, class: &str, name: &str) -> String {
    let (instructions, others) = counts.split_first().expect("they are counted always");
    let others: String = others.iter().map(|count| format!(" {count:>13}")).collect();
    format!("{instructions:>15} {share:>10}{others}  {class:<14} {name}\n")
}
