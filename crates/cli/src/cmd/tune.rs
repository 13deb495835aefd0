//! `carrysave tune`

use crate::exit::{Failure, Result, say};
use crate::io::{self, Output};
use crate::processor::{Processor, own_plan};
use crate::{progress, record};
use carrysave::engine::plan::to_toml;
use carrysave_measure::record::Head;
use carrysave_measure::tune::{self, Compared};
use std::fs;
use std::path::PathBuf;

/// What the command line says.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Every command follows the plan in the user's configuration, and another one with --plan \
    FILE. A plan changes how long something takes, and never what comes of it.")]
pub struct Args {
    /// Where the plan goes [default: carrysave/plan.toml in the user's folder for configuration]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How long each race takes; there are some five hundred
    #[arg(short, long, default_value_t = 0.1, value_parser = seconds)]
    seconds: f64,
    /// Measure these settings only, separated by commas, and leave the others as they are built in
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = setting)]
    only: Vec<String>,
    /// Also write a record of all that was measured
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    processor: Processor,
}

/// Measures a plan and writes it.
pub fn run(args: Args, quiet: bool) -> Result<()> {
    let place = place(&args)?;
    if let Some(record) = &args.record
        && io::same_place(record, &place)
    {
        return Err(Failure::usage(
            "the plan and the record would go to one file: give them two names",
        ));
    }
    // Both files are opened before the races, which take a minute.
    let record = args.record.as_deref().map(Output::text).transpose()?;
    let cpu = args.processor.cpu()?;
    let mut plan = Output::text(&place)?;
    // Before the races, whose load is not another's.
    let head = Head::here(cpu);
    let bar = progress::races("tuning", quiet);
    let mut tenths = 0;
    let tuned = tune::tune(cpu, &args.only, args.seconds, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        let so_far = 10 * done / all.max(1);
        if so_far != tenths && bar.is_hidden() && !quiet {
            say(format_args!("carrysave: tuning, {done} of {all} races"));
        }
        tenths = so_far;
    });
    drop(bar);
    if let (Some((left, crowding)), false) = (&tuned.left, quiet) {
        let left = left.join(", ");
        say(format_args!(
            "carrysave: warning: other programs keep the cores busy (two threads take {crowding:.1} times as long as \
             one), so what is for teams stays as it is built in: {left}"
        ));
    }
    if !quiet {
        say(format_args!("carrysave: {}", outcome(&tuned.compared)));
    }
    if let Some(record) = record {
        record::fill(record, &head, &tuned.evidence)?;
    }
    plan.put(to_toml(&tuned.plan).as_bytes())?;
    plan.commit()
}

/// The file of the plan. Its folder is made if it is the user's.
fn place(args: &Args) -> Result<PathBuf> {
    if let Some(path) = &args.out {
        return Ok(path.clone());
    }
    if args.processor.is_lesser() {
        let message = "a plan for a lesser processor is not for this one: give --out";
        return Err(Failure::usage(message));
    }
    let path = own_plan().ok_or_else(|| {
        Failure::usage("there is no folder for configuration, as HOME is not set: give --out")
    })?;
    if let Some(folder) = path.parent() {
        let made = fs::create_dir_all(folder);
        made.map_err(|e| Failure::io(format_args!("cannot make {}", folder.display()), &e))?;
    }
    Ok(path)
}

/// The result of the races against the built-in plan, in a sentence.
fn outcome(compared: &[Compared]) -> String {
    let names = |kept: bool| {
        let names = compared.iter().filter(|c| c.kept == kept).map(|c| c.name);
        match names.collect::<Vec<_>>() {
            names if names.is_empty() => "none".to_owned(),
            names => names.join(", "),
        }
    };
    let gains = compared.iter().filter(|c| c.kept).map(|c| c.gain);
    let most = 100.0 * (gains.fold(1.0, f64::max) - 1.0);
    format!(
        "settings that gain over the built-in plan, up to {most:.0} %: {}; left as built in, as they gain nothing or \
         lose at some size: {}",
        names(true),
        names(false)
    )
}

/// Reads the name of a setting.
fn setting(name: &str) -> std::result::Result<String, String> {
    match tune::names().any(|known| known == name) {
        true => Ok(name.to_owned()),
        false => {
            let names = tune::names().collect::<Vec<_>>().join(", ");
            Err(format!(
                "not a setting that is measured; these are: {names}"
            ))
        }
    }
}

fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=60.0).contains(&seconds) => Ok(seconds),
        _ => Err("a number of seconds from 0 to 60".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_gained_is_said() {
        let setting = |name, gain, kept| Compared { name, gain, kept };
        let left = "left as built in, as they gain nothing or lose at some size";
        assert_eq!(
            outcome(&[
                setting("mul", 1.05, true),
                setting("divide", 1.2, false),
                setting("redc_n", 1.114, true)
            ]),
            format!(
                "settings that gain over the built-in plan, up to 11 %: mul, redc_n; {left}: divide"
            )
        );
        assert_eq!(
            outcome(&[]),
            format!("settings that gain over the built-in plan, up to 0 %: none; {left}: none")
        );
    }
}
