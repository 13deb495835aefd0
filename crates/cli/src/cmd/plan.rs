//! `carrysave plan`

use crate::exit::{Failure, Result};
use crate::processor::{Processor, followed};
use crate::{batch, io};
use carrysave::arith::{Cpu, Modulus, Nat, Plan, Prediction};
use carrysave::engine::Threads;
use carrysave::team::Team;
use std::fmt::Write;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    A plan says which algorithm, kernel and window is used for which size. Followed is that \
    of --plan, or carrysave/plan.toml in the user's folder for configuration, where carrysave \
    tune writes it; else the first built-in one that is for this kind of processor and whose \
    instructions it has.\n\n\
    With --threads, also which operations take several of so many threads, from which size on: \
    where they are long enough to make up for the time that threads take to exchange data.")]
pub struct Args {
    #[command(flatten)]
    processor: Processor,
    /// Also print what so many threads share, 1024 at most
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
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
    if let Some(threads) = args.threads {
        text.push_str(&shared(cpu, plan, threads)?);
    }
    io::print(&text)
}

/// What so many threads share.
fn shared(cpu: Cpu, plan: &'static Plan, threads: usize) -> Result<String> {
    let team = Threads::new(threads)
        .map_err(|e| Failure::usage(format!("{threads} threads are not to be had: {e}")))?;
    let mut text = match team.size() {
        1 => "\nthreads: 1, which shares nothing\n".to_owned(),
        size => format!(
            "\nthreads: {size}, {} ns for a word from one to another and back\n",
            team.round_trip().as_nanos()
        ),
    };
    // A representation of its own for each length takes time: not every limb is looked at.
    let modulus = |bits| {
        let n = Nat::power_of_two(bits).sub_limb(1).expect("above 0");
        Modulus::with_plan(&n, cpu, plan).expect("odd and above 1")
    };
    let power = |units: usize| modulus(1024 * units).pow_members(&team, 1024 * units);
    let private = |bits| match plan.private_pays(bits) {
        true => team.size().min(2),
        false => 1,
    };
    let rows = [
        (
            "products",
            steps(1 << 20, |limbs| plan.mul_members(&team, limbs), 64),
            "the shorter factor",
        ),
        (
            "powers",
            steps(64, power, 1024),
            "the modulus, up to 65,536",
        ),
        (
            "private operations of RSA",
            steps(1 << 15, private, 2),
            "the modulus, with two primes",
        ),
    ];
    for (name, steps, of) in rows {
        let _ = write!(text, "\n{name}: {steps}\n    Threads by bits of {of}.\n");
    }
    text.push_str("\npredicted powers, times as fast as one thread:\n");
    for bits in [4096, 8192, 16_384, 26_880] {
        text.push_str(&predicted(
            bits,
            &modulus(bits).pow_predictions(&team, bits),
        ));
    }
    text.push_str(
        "    By the least size that two share and the time of an exchange; fewer are taken where that is faster.\n",
    );
    Ok(text)
}

/// A line of what numbers of threads are expected to gain.
fn predicted(bits: usize, all: &[Prediction]) -> String {
    let shown = all.iter().filter(|one| one.members.is_power_of_two());
    let gains: Vec<String> = shown
        .map(|one| format!("{:.2} by {}", one.speedup(), one.members))
        .collect();
    format!("    {bits} bits: {}\n", gains.join(", "))
}

/// How many members an operation takes by its size, up to a largest one, and how many bits each unit of size has.
fn steps(largest: usize, members: impl Fn(usize) -> usize, bits: usize) -> String {
    let (mut text, mut last) = (String::new(), None);
    let mut size = 1;
    while size <= largest {
        let now = members(size);
        if let Some(last) = last.filter(|last| *last != now) {
            let _ = write!(text, "{last} to {}, then ", bits * (size - 1));
        }
        last = Some(now);
        size += 1;
    }
    let _ = write!(text, "{}", last.unwrap_or(1));
    text
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
