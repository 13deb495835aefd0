//! Every kernel that this processor has against the oracle, with the dimensions, operands, overlaps and places that the
//! input decides. `CARRYSAVE_KERNELS=fp8_` names what the operations begin with that are tried; all are without it.
//!
//! An input calls every kernel of an operation. At the end it says how many calls there were.

#![no_main]

use carrysave_contract::{Case, Rng, dimensions, overlaps};
use carrysave_kernels::{
    Cpu, REGISTRY,
    op::{Op, Raw},
};
use carrysave_proof::contract::{Arena, Subject, attempt, watch};
use carrysave_proof::guard::{Fence, Place};
use libfuzzer_sys::fuzz_target;
use std::cell::{Cell, RefCell};
use std::sync::LazyLock;

/// The longest operand: with long ones the oracle takes all of the time.
const LIMBS: usize = 24;

/// An operation, and the dimensions to try.
struct Row {
    op: &'static Op,
    dimensions: Vec<(usize, usize)>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    watch::install();
    let prefix = std::env::var("CARRYSAVE_KERNELS").unwrap_or_default();
    let wanted = REGISTRY.iter().filter(|op| op.name.starts_with(&prefix));
    let rows = wanted.map(|&op| {
        let longest = |(n, m)| {
            let lengths = op.contract.operands.iter().map(|o| o.len.limbs(n, m));
            lengths.max().unwrap_or(0)
        };
        let all = dimensions(op.contract);
        // Where all are longer, the shortest ones.
        let shortest = all.iter().map(|&size| longest(size)).min().unwrap_or(0);
        let most = shortest.max(LIMBS);
        Row {
            op,
            dimensions: all
                .into_iter()
                .filter(|&size| longest(size) <= most)
                .collect(),
        }
    });
    let rows: Vec<Row> = rows.collect();
    assert!(!rows.is_empty(), "no operation begins with {prefix}");
    rows
});

/// The calls of kernels.
struct Calls(Cell<u64>);

impl Drop for Calls {
    fn drop(&mut self) {
        eprintln!("{} calls of kernels", self.0.get());
    }
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::new(Arena::new(Fence::Page));
    static CALLS: Calls = const { Calls(Cell::new(0)) };
}

fuzz_target!(|data: &[u8]| {
    let mut rng = Rng::from_octets(data);
    let row = &ROWS[rng.below(ROWS.len())];
    let size = row.dimensions[rng.below(row.dimensions.len())];
    let overlaps = overlaps(row.op.contract, size);
    let overlap = &overlaps[rng.below(overlaps.len())];
    let place = [Place::First, Place::Last, Place::Middle(rng.below(64))][rng.below(3)];
    let case = Case::generate(row.op, size, &mut rng).overlapping(overlap);
    // SAFETY: this processor admits the kernels; the case meets the contract.
    let call = |i: usize| move |x: &Raw| unsafe { row.op.invoke(i, x) };
    let calls: Vec<_> = row
        .op
        .admitted(Cpu::native())
        .map(|i| (i, call(i)))
        .collect();
    let mut subjects: Vec<Subject<'_>> = calls
        .iter()
        .map(|(i, call)| Subject::new(row.op.kernels[*i].0, call))
        .collect();
    ARENA.with_borrow_mut(|arena| {
        if let Err(what) = attempt(&case, &[place], &mut subjects, arena, None) {
            panic!("{}/{what}", row.op.name);
        }
    });
    CALLS.with(|calls| calls.0.set(calls.0.get() + subjects.len() as u64));
});
