//! `carrysave-lab bench`

use super::forced::Forced;
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::io::{Output, Printer};
use carrysave_cli::processor::Processor;
use carrysave_cli::{batch, record};
use carrysave_lab::rivals::loaded;
use carrysave_lab::table::{JsonLines, Text};
use carrysave_lab::{Reporter, Request, head};
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Contenders take turns within one process, after their answers were checked; figures \
    are medians.")]
pub struct Args {
    /// What to measure, such as rsa or modexp [default: everything]
    experiments: Vec<String>,
    /// The sizes in bits, separated by commas [default: those of each experiment]
    #[arg(short, long, value_name = "BITS", value_delimiter = ',')]
    bits: Option<Vec<usize>>,
    /// How long each race takes
    #[arg(short, long, default_value_t = 1.0)]
    seconds: f64,
    /// Only this operation or implementation
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// How many threads, for what can use several [default: those that the experiment compares]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
    #[command(flatten)]
    processor: Processor,
    /// The file of a rival that you have, which can be repeated: Intel's libcrypto_mb.so races with batches and many operations
    /// on curves, and MPFQ in the loops of crates/lab/src/rivals/mpfq.c with fields
    #[arg(long, value_name = "FILE")]
    peer_lib: Vec<PathBuf>,
    #[command(flatten)]
    forced: Forced,
    /// Print one JSON object a line instead of a table
    #[arg(long)]
    json: bool,
    /// Also write a record: the figures as CSV, with the machine, the compiler and the date
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let cpu = args.processor.cpu()?;
    for path in &args.peer_lib {
        loaded::load(path).map_err(|e| Failure::usage(e.to_string()))?;
    }
    args.forced.force(cpu)?;
    let request = Request {
        experiments: args.experiments,
        bits: args.bits,
        seconds: args.seconds,
        only: args.only,
        threads: args.threads,
        after: 0,
        cpu,
    };
    let record = args.record.as_deref().map(Output::text).transpose()?;
    // The load is that of others, before there is ours.
    let mut head = head(cpu);
    head.0.extend(args.forced.entry());
    let mut out = Printer::default();
    let mut reporter: Box<dyn Reporter + '_> = match args.json {
        true => Box::new(JsonLines(&mut out)),
        false => Box::new(Text(&mut out)),
    };
    let outcome = carrysave_lab::run(&request, &mut *reporter);
    drop(reporter);
    let outcome = outcome.map_err(|e| Failure::usage(e.to_string()))?;
    if let Some(record) = record {
        record::fill(record, &head, &outcome.rows)?;
    }
    out.finish()?;
    match &outcome.refused[..] {
        [] => Ok(()),
        [first, ..] => Err(Failure::new(Code::Failed, first.to_string())),
    }
}
