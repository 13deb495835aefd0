//! `carrysave plan`

use crate::exit::Result;
use crate::io;
use crate::processor::Processor;
use carrysave::arith::Plan;
use std::fmt::Write;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    A plan says which algorithm, kernel and window is used for which size. The first one \
    whose instructions the processor has is followed, or that of --plan.")]
pub struct Args {
    #[command(flatten)]
    processor: Processor,
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let cpu = args.processor.cpu()?;
    let plan = Plan::best(cpu);
    let mut text = format!("this processor: {cpu}\n");
    for (name, value) in [
        ("measured on", plan.machine.to_owned()),
        ("date", plan.date.to_owned()),
        ("needs", plan.needs.to_string()),
    ] {
        let _ = writeln!(text, "{name}: {value}");
    }
    for (name, value, meaning) in plan.settings() {
        let _ = write!(text, "\n{name}: {value}\n    {meaning}\n");
    }
    io::print(&text)
}
