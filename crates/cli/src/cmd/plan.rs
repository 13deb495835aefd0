//! `carrysave plan`

use crate::exit::Result;
use crate::io;
use crate::processor::{Processor, followed};
use carrysave::arith::{Cpu, Plan};
use std::fmt::Write;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    A plan says which algorithm, kernel and window is used for which size. Followed is that \
    of --plan, or carrysave/plan.toml in the user's folder for configuration, where carrysave \
    tune writes it; else the first built-in one that is for this kind of processor and whose \
    instructions it has.")]
pub struct Args {
    #[command(flatten)]
    processor: Processor,
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let cpu = args.processor.cpu()?;
    let plan = Plan::best(cpu);
    let mut text = format!("this processor: {}: {cpu}\n", cpu.model());
    let _ = writeln!(text, "followed: {}", why(cpu, plan));
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

/// Why a plan is the one for a processor.
fn why(cpu: Cpu, plan: &Plan) -> String {
    match followed(cpu) {
        Some(path) => format!("the plan in {}", path.display()),
        None if plan.models.contains(&cpu.model()) => {
            "a built-in plan, for this kind of processor".to_owned()
        }
        None => "a built-in plan, for any processor with what it needs: carrysave tune measures one here".to_owned(),
    }
}
