//! `carrysave-lab vectors --every OPERATION`: test vectors by each kernel of an operation, which is what a kernel gains or
//! loses a whole program.

use crate::cmd::again;
use carrysave_cli::exit::{Failure, Result};
use carrysave_kernels::{Cpu, REGISTRY, forced};
use carrysave_lab::Row;
use carrysave_lab::race::Measurement;
use carrysave_lab::stats;
use std::process::Stdio;

/// For each of these operations and each file of test vectors: a row a kernel, the best first.
pub fn races(operations: &[String], cpu: Cpu, runs: usize) -> Result<Vec<Vec<Row>>> {
    let named = |name: &String| {
        let op = REGISTRY.iter().find(|op| op.name == *name);
        op.ok_or_else(|| Failure::usage(forced::Error::Operation(name.clone()).to_string()))
    };
    // Before anything is measured.
    let operations: Vec<_> = operations.iter().map(named).collect::<Result<_>>()?;
    let mut races = vec![];
    for op in operations {
        let kernels: Vec<&str> = op.admitted(cpu).map(|i| op.kernels[i].0).collect();
        let mut measured: Vec<Vec<Vec<Row>>> = vec![vec![]; kernels.len()];
        for round in 0..runs {
            for turn in 0..kernels.len() {
                let i = (round + turn) % kernels.len();
                measured[i].push(once(op.name, kernels[i])?);
            }
        }
        for file in 0..measured[0][0].len() {
            let by = |(kernel, rounds): (&&str, &Vec<Vec<Row>>)| {
                let rows: Vec<&Row> = rounds.iter().map(|rows| &rows[file]).collect();
                summary(op.name, kernel, &rows)
            };
            races.push(kernels.iter().zip(&measured).map(by).collect());
        }
    }
    Ok(races)
}

/// Runs the files once in a process of its own, as a kernel is forced upon a program before it computes anything.
fn once(operation: &str, kernel: &str) -> Result<Vec<Row>> {
    let mut program = again::program()?;
    program.args(again::arguments()?);
    program.args(["--part", "--kernel", &format!("{operation}={kernel}")]);
    program.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = program.output().map_err(again::cannot)?;
    again::succeeded(output.status, "test vectors")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text.lines().map(serde_json::from_str::<Row>);
    let rows: std::result::Result<_, _> = rows.collect();
    rows.map_err(|e| again::cannot(e.into()))
}

/// What all rounds of a kernel say about a file.
fn summary(operation: &str, kernel: &str, rounds: &[&Row]) -> Row {
    let all = |value: fn(&Row) -> f64| rounds.iter().map(|row| value(row)).collect::<Vec<f64>>();
    let (first, ns) = (rounds[0], all(|row| row.ns_median));
    let measured = Measurement {
        name: format!("{}/{kernel}", first.implementation),
        ns_median: stats::median(&ns),
        ns_spread: stats::spread(&ns),
        samples: ns.len(),
        core_ghz: stats::median(&all(|row| row.core_ghz)),
    };
    let size = first.size().expect("of a file of test vectors");
    let name = format!("{}/{operation}", first.operation);
    Row::new(&first.experiment, &name, size, 1, &measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_lab::record::Size;

    #[test]
    fn the_median_of_the_rounds_counts() {
        let round = |ns_median: f64, core_ghz: f64| {
            let measured = Measurement {
                name: "carrysave".to_owned(),
                ns_median,
                ns_spread: 0.0,
                samples: 1,
                core_ghz,
            };
            Row::new("vectors", "rsadp", Size::Bits(1024), 1, &measured)
        };
        let rounds = [round(30.0, 3.0), round(10.0, 4.0), round(20.0, 3.5)];
        let row = summary("mpn_add_n", "adc", &rounds.each_ref());
        assert_eq!((row.ns_median, row.core_ghz, row.samples), (20.0, 3.5, 3));
        assert_eq!(
            (&row.operation[..], &row.implementation[..], row.bits),
            ("rsadp/mpn_add_n", "carrysave/adc", Some(1024))
        );
    }
}
