//! `carrysave kernels`

use crate::exit::{Failure, Result};
use crate::io;
use crate::processor::Processor;
use carrysave::kernels::op::{Op, Returns, Scalar, Timing, Value};
use carrysave::kernels::{Cpu, Isa, REGISTRY};
use std::fmt::Write;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Each operation has several kernels that compute the same; a context takes the first \
    one whose instructions the processor has.")]
pub struct Args {
    /// Print the contract of this operation
    #[arg(long, value_name = "NAME")]
    op: Option<String>,
    #[command(flatten)]
    processor: Processor,
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    let cpu = args.processor.cpu()?;
    match args.op {
        None => io::print(table(cpu)),
        Some(name) => {
            let op = REGISTRY.iter().find(|op| op.name == name);
            let op = op.ok_or_else(|| {
                Failure::usage(format!(
                    "there is no operation {name:?}: `carrysave kernels` lists them"
                ))
            })?;
            io::print(contract(op, cpu))
        }
    }
}

/// One line a kernel; the chosen one is marked.
fn table(cpu: Cpu) -> String {
    let width = REGISTRY
        .iter()
        .map(|op| op.name.len())
        .max()
        .unwrap_or(0)
        .max(9);
    let mut text = format!(
        "this processor: {cpu}\n\n{:<width$}  {:<16} {:<16} choice\n",
        "operation", "kernel", "needs"
    );
    for op in REGISTRY {
        for (line, verdict) in verdicts(op, cpu).into_iter().enumerate() {
            let (kernel, needs) = op.kernels[line];
            let name = if line == 0 { op.name } else { "" };
            let _ = writeln!(
                text,
                "{name:<width$}  {kernel:<16} {:<16} {verdict}",
                needs.to_string()
            );
        }
    }
    text
}

/// Why each kernel of an operation is chosen or not.
fn verdicts(op: &Op, cpu: Cpu) -> Vec<String> {
    let chosen = op.best(cpu);
    let reason = |(i, (_, needs)): (usize, &(&str, Isa))| {
        if i == chosen {
            "chosen: the first that this processor runs".to_owned()
        } else if !cpu.has(*needs) {
            let missing = Isa::ALL
                .iter()
                .filter(|(isa, _)| needs.contains(*isa) && !cpu.has(*isa));
            format!(
                "not here: {} missing",
                missing
                    .map(|(_, name)| *name)
                    .collect::<Vec<_>>()
                    .join(" and ")
            )
        } else if op.timing(i) != op.contract.timing {
            "runs, never chosen: its time depends on values".to_owned()
        } else if i < chosen {
            let models = op.models(i).iter().map(ToString::to_string);
            format!(
                "runs, chosen on others: {}",
                models.collect::<Vec<_>>().join("; ")
            )
        } else {
            "runs, but one above comes first".to_owned()
        }
    };
    op.kernels.iter().enumerate().map(reason).collect()
}

fn contract(op: &Op, cpu: Cpu) -> String {
    let c = op.contract;
    let mut text = format!("{}: {}\n\n", op.name, c.effect);
    for operand in c.operands {
        let value = match operand.value {
            Value::Any if operand.unaligned => ", at any address".to_owned(),
            Value::Any => String::new(),
            value => format!(", {value}"),
        };
        let public = if operand.public { ", public" } else { "" };
        let _ = writeln!(
            text,
            "operand    {}[{}]  {:?}{value}{public}",
            operand.name, operand.len, operand.role
        );
    }
    if c.scalar != Scalar::None {
        let _ = writeln!(text, "scalar     {}", c.scalar);
    }
    if c.returns != Returns::Nothing {
        let _ = writeln!(text, "returns    {:?}", c.returns);
    }
    for (written, read) in c.same {
        let _ = writeln!(text, "overlap    {written} may be {read}, exactly");
    }
    let timing = match c.timing {
        Timing::Constant => "depends on lengths and public operands only",
        Timing::Variable => "depends on values: never for secrets",
    };
    let _ = writeln!(text, "timing     {timing}\nsource     {}\n", c.source);
    for ((kernel, needs), verdict) in op.kernels.iter().zip(verdicts(op, cpu)) {
        let _ = writeln!(
            text,
            "kernel     {kernel:<16} {:<16} {verdict}",
            needs.to_string()
        );
    }
    text
}
