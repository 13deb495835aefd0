//! Calls one kernel so many times, for tools that count the instructions of a program, such as qemu and callgrind: the
//! difference of two counts is what a call takes.
//!
//! ```sh
//! cargo run --release -p carrysave-measure --example call_kernel -- mpn_mont_mul portable 2048 3
//! ```

use carrysave_kernels::{Cpu, REGISTRY};
use carrysave_measure::call::{Case, invoke};
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match call(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("call_kernel: {message}");
            ExitCode::from(2)
        }
    }
}

fn call(arguments: &[String]) -> Result<(), String> {
    let [operation, kernel, bits, times] = arguments else {
        return Err(
            "give an operation, a kernel, a number of bits and a number of calls".to_owned(),
        );
    };
    let number = |text: &str| text.parse().map_err(|_| format!("{text} is no number"));
    let (bits, times): (usize, usize) = (number(bits)?, number(times)?);
    let op = REGISTRY.iter().find(|op| op.name == operation);
    let op = op.ok_or_else(|| format!("there is no operation {operation}"))?;
    let mut admitted = op.admitted(Cpu::native());
    let place = admitted.find(|&place| op.kernels[place].0 == kernel);
    let place =
        place.ok_or_else(|| format!("{operation} has no kernel {kernel} for this processor"))?;
    let case = Case::new(op.contract, bits);
    let case = case.ok_or_else(|| format!("{operation} takes no operands of {bits} bits"))?;
    let mut call = case.call();
    for _ in 0..times {
        invoke(op, place, &mut call);
    }
    Ok(())
}
