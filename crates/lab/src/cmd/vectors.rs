//! `carrysave-lab vectors`

mod every;

use super::forced::Forced;
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::io::{Output, Printer, print, read_small};
use carrysave_cli::processor::Processor;
use carrysave_cli::record;
use carrysave_kernels::Cpu;
use carrysave_lab::head;
use carrysave_lab::report::html::duration;
use carrysave_lab::stats;
use carrysave_lab::table::{heading, lines};
use carrysave_lab::test_vectors::{FILES, TestVectors};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    A file has lines name = value and blank lines between its parts; crates/lab/data/vectors has examples. Every answer \
    is compared with the one in the file, in the time that is taken, too.")]
pub struct Args {
    /// Files of test vectors [default: those of this program]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How often each file is run; the median counts
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    runs: u16,
    /// Run them with every kernel of these operations in turn, each in a process of its own, and compare the kernels, such
    /// as mpn_add_n,mpn_sub_n
    #[arg(long, value_name = "OPERATIONS", value_delimiter = ',')]
    every: Vec<String>,
    /// Also write a record of that: the figures as CSV, with the machine, the compiler and the date
    #[arg(long, value_name = "FILE", requires = "every")]
    record: Option<PathBuf>,
    /// Be one of the processes of --every, which prints a JSON object a line
    #[arg(long, hide = true)]
    part: bool,
    #[command(flatten)]
    processor: Processor,
    #[command(flatten)]
    forced: Forced,
}

/// A file of test vectors is text for people.
const MOST: u64 = 1 << 24;

pub fn run(args: Args) -> Result<()> {
    let cpu = args.processor.cpu()?;
    args.forced.force(cpu)?;
    if !args.every.is_empty() && !args.part {
        return by_every_kernel(&args, cpu);
    }
    let read =
        |text: &str| TestVectors::read(cpu, text).map_err(|e| Failure::bad_input(e.to_string()));
    let given = |path: &PathBuf| {
        let bytes = read_small(path, MOST)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| Failure::bad_input("this is no file of test vectors: it is no text"));
        let vectors = text.and_then(read);
        let vectors = vectors.map_err(|failure| failure.about(path))?;
        Ok((path.display().to_string(), vectors))
    };
    let own = |(name, text): &(&str, &str)| {
        Ok((
            format!("{name}.txt"),
            read(text).map_err(|e| e.about(Path::new(name)))?,
        ))
    };
    let files: Vec<(String, TestVectors)> = match &args.files[..] {
        [] => FILES.iter().map(own).collect::<Result<_>>()?,
        files => files.iter().map(given).collect::<Result<_>>()?,
    };
    let mut out = Printer::default();
    let mut wrong = vec![];
    for (name, vectors) in &files {
        let all = vectors.len();
        let failed = vectors.wrong();
        if failed > 0 {
            wrong.push(format!("{name}: {failed} of {all} answers are wrong"));
            continue;
        }
        if args.part {
            let row = vectors.row();
            writeln!(out, "{}", row.to_json()).map_err(|e| Failure::io("cannot write", &e))?;
            continue;
        }
        let each = |_| vectors.time(1).as_nanos() as f64 / all as f64;
        let times: Vec<f64> = (0..args.runs).map(each).collect();
        let (took, operation) = (duration(stats::median(&times)), &vectors.operation);
        let said = format!(
            "{name}: {operation} {}: {all} right, {took} each",
            vectors.size
        );
        writeln!(out, "{said}").map_err(|e| Failure::io("cannot write", &e))?;
    }
    out.finish()?;
    match &wrong[..] {
        [] => Ok(()),
        wrong => Err(Failure::new(Code::Failed, wrong.join("; "))),
    }
}

/// Compares the kernels of operations by the test vectors.
fn by_every_kernel(args: &Args, cpu: Cpu) -> Result<()> {
    let record = args.record.as_deref().map(Output::text).transpose()?;
    let mut head = head(cpu);
    head.0.extend(args.forced.entry());
    let races = every::races(&args.every, cpu, args.runs.into())?;
    let mut text = format!("{}\n", heading());
    for line in races.iter().flat_map(|rows| lines(rows)) {
        text = text + &line + "\n";
    }
    print(text)?;
    match record {
        Some(record) => record::fill(record, &head, &races.concat()),
        None => Ok(()),
    }
}
