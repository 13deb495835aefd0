//! `carrysave-lab soak`

use super::handshakes::module;
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::interrupt;
use carrysave_cli::io::{Output, print};
use carrysave_lab::head;
use carrysave_lab::soak::{SUBJECTS, Setting, Soaked, Subject, end_all, soak, work};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args, Debug)]
#[command(after_help = after_help())]
pub struct Args {
    /// What goes on [default: everything]
    #[arg(value_name = "SUBJECT", value_parser = subject)]
    subjects: Vec<&'static Subject>,
    /// For how many minutes
    #[arg(long, default_value_t = 10.0, value_parser = minutes)]
    minutes: f64,
    /// The provider's module [default: beside this program]
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// The program carrysave-mpi [default: beside this program]
    #[arg(long, value_name = "FILE")]
    farm: Option<PathBuf>,
    /// How many clients a server has at once, and how many callers a service
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    clients: u16,
    /// Also write what came of it, with the machine, the compiler and the date
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// What a subject's own process does
    #[arg(long, hide = true, value_name = "NAME")]
    inside: Option<String>,
}

fn after_help() -> String {
    let subjects: String = SUBJECTS
        .iter()
        .map(|subject| format!("  {:<14} {}\n", subject.name, subject.about))
        .collect();
    format!(
        "What can go on:\n{subjects}\n\
         All go on at once. Meanwhile workers are stopped for a while, all threads share one processor, a cgroup gives them a \
         fifth of one, and the wall clock jumps by days at each reading. It fails if a result is wrong or missing, if OpenSSL \
         signs instead of the provider, if something hangs, if memory, descriptors or threads grow between a tenth of the time \
         and its end, and if a disturbance never takes effect."
    )
}

fn subject(name: &str) -> std::result::Result<&'static Subject, String> {
    let found = SUBJECTS.iter().find(|subject| subject.name == name);
    found.ok_or_else(|| {
        let names: Vec<_> = SUBJECTS.iter().map(|subject| subject.name).collect();
        format!("what can go on is {}", names.join(", "))
    })
}

fn minutes(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.0..=1440.0).contains(&minutes) => Ok(minutes),
        _ => Err("a number of minutes from 0 to 1440".to_owned()),
    }
}

pub fn run(args: Args) -> Result<()> {
    if let Some(name) = args.inside {
        return work(&name, args.clients.into()).map_err(|e| Failure::io("it does not work", &e));
    }
    let program = std::env::current_exe().map_err(|e| Failure::io("no program", &e))?;
    let setting = Setting {
        module: args.module.unwrap_or_else(module),
        farm: args
            .farm
            .unwrap_or_else(|| program.with_file_name("carrysave-mpi")),
        program,
        time: Duration::from_secs_f64(60.0 * args.minutes),
        clients: args.clients.into(),
    };
    let mut subjects = args.subjects;
    if subjects.is_empty() {
        subjects = SUBJECTS.iter().collect();
    }
    let record = args.record.as_deref().map(Output::text).transpose()?;
    interrupt::before_clean_up(|_| end_all());
    let head = head(carrysave_kernels::Cpu::native());
    let all = soak(&setting, &subjects).map_err(|e| Failure::io("cannot begin", &e))?;
    let text: String = all.iter().map(said).collect();
    print(&text)?;
    if let Some(mut record) = record {
        let head = head
            .0
            .iter()
            .map(|(name, value)| format!("# {name}: {value}\n"));
        record.put(head.collect::<String>().as_bytes())?;
        record.put(text.as_bytes())?;
        record.commit()?;
    }
    let faults: Vec<String> = all
        .iter()
        .flat_map(|soaked| {
            let named = |fault| format!("{}: {fault}", soaked.name);
            soaked.faults.iter().map(named)
        })
        .collect();
    match &faults[..] {
        [] => Ok(()),
        faults => Err(Failure::new(Code::Failed, faults.join("; "))),
    }
}

/// A paragraph about a subject.
fn said(soaked: &Soaked) -> String {
    let used = match soaked.used {
        Some([first, last]) => format!(
            "memory {} KiB after a tenth, {} KiB at the end; descriptors {}, {}; threads {}, {}",
            first.memory,
            last.memory,
            first.descriptors,
            last.descriptors,
            first.threads,
            last.threads
        ),
        None => "it did not last".to_owned(),
    };
    format!(
        "{}, {:.0} s\n  {}\n  {}\n  {used}\n",
        soaked.name,
        soaked.time.as_secs_f64(),
        soaked.did,
        soaked.disturbed,
    )
}
