//! `mpn`: every kernel of every operation in the registry that the processor admits.
//!
//! The calls are built from the contracts, so a new kernel or operation is raced without a change here. The best
//! kernel comes first; the answers are compared with those of the one in plain Rust.

use super::{Experiment, Levels, Share};
use crate::{Bench, Error, bench::Race, record::Size, rivals::RIVALS};
use carrysave_kernels::{Limb, REGISTRY, op::Op};
use carrysave_measure::call::{Call, Case, Written, invoke};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "mpn",
    about: "every kernel of every operation on limbs that this processor admits, best first",
    run,
    levels: Levels {
        quick: Some(Share::new(&[2048], 0.01, 5.0)),
        standard: Share::new(&[512, 1024, 2048, 4096, 8192], 0.02, 30.0),
        full: Share::new(&[], 0.05, 60.0),
    },
};

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    let sizes = bench.limb_bits(&[4, 8, 16, 32, 64, 256, 1024, 4096].map(|limbs| 64 * limbs))?;
    for op in REGISTRY {
        for &bits in &sizes {
            race(bench, op.name, op, bits, |_, _| ());
        }
    }
    Ok(())
}

/// Races the kernels of an operation, if it has that size, behind what `first` enters knowing the contract's n.
pub(super) fn race(
    bench: &mut Bench<'_>,
    name: &str,
    op: &Op,
    bits: usize,
    first: impl FnOnce(&mut Race<'_, '_>, usize),
) {
    let Some(case) = &Case::new(op.contract, bits) else {
        return;
    };
    let cpu = bench.cpu();
    let expected = case.answer(&mut |call| invoke(op, op.portable(), call));
    let mut race = bench.race(name, Size::Bits(bits));
    first(&mut race, case.n());
    for kernel in op.admitted(cpu) {
        let label = format!("carrysave/{}", op.kernels[kernel].0);
        enter(&mut race, &label, case, &expected, move |call| {
            invoke(op, kernel, call)
        });
    }
    for function in RIVALS.iter().flat_map(|rival| rival.mpn) {
        if function.op == op.name {
            // SAFETY: as for `invoke`; rivals choose their own instructions.
            let run = |call: &mut Call| unsafe { (function.call)(&call.raw) };
            enter(&mut race, function.name, case, &expected, run);
        }
    }
    race.run();
}

/// Enters a way to make the call, if the request wants it and its answer is the expected one.
fn enter<'a>(
    race: &mut Race<'a, '_>,
    label: &str,
    case: &'a Case,
    expected: &Written,
    mut run: impl FnMut(&mut Call) -> Limb + 'a,
) {
    if race.wants(label) {
        let answer = case.answer(&mut run);
        let check = |_: &Limb| {
            if answer == *expected {
                Ok(())
            } else {
                Err("its answer is wrong".to_owned())
            }
        };
        race.enter(label, || case.call(), run, check);
    }
}
