//! Lane code on plain words gives what plain Rust gives, in operands that end where their memory does.
//!
//! A sample that Miri can run. It sees each access outside of an operand, each misaligned one, and each use of a word that
//! was never written: `cargo +nightly miri test -p carrysave-contract --test words`.

use carrysave_contract::{Case, Rng, dimensions};
use carrysave_kernels::{
    Cpu, Limb, REGISTRY,
    op::{Op, Raw, Returns, Role},
};

/// The operands after a call of a kernel, each in memory of its own, and what the call returned.
fn called(case: &Case, kernel: usize) -> (Vec<Vec<Limb>>, Limb) {
    let mut values = case.values.clone();
    let mut raw = Raw {
        p: [std::ptr::null_mut(); Raw::OPERANDS],
        n: case.n,
        m: case.m,
        s: case.s,
    };
    for (p, value) in raw.p.iter_mut().zip(&mut values) {
        *p = value.as_mut_ptr();
    }
    // SAFETY: the case is of the operation's contract, and the processor admits the kernel.
    let returned = unsafe { case.op.invoke(kernel, &raw) };
    (values, returned)
}

/// Compares a kernel with plain Rust at the smallest sizes.
fn compare(op: &'static Op, kernel: usize) {
    let (sizes, patterns) = if cfg!(miri) { (2, 1) } else { (8, 5) };
    let name = op.kernels[kernel].0;
    let mut rng = Rng::new(1, op.name);
    let mut all = dimensions(op.contract);
    all.sort_by_key(|&(n, m)| n.max(m));
    for size in all.into_iter().take(sizes) {
        for _ in 0..patterns {
            let case = Case::generate(op, size, &mut rng);
            let (got, returned) = called(&case, kernel);
            let (expected, answer) = called(&case, op.portable());
            if op.contract.returns != Returns::Nothing {
                assert_eq!(returned, answer, "{}/{name} {size:?}", op.name);
            }
            for (i, operand) in op.contract.operands.iter().enumerate() {
                if !matches!(operand.role, Role::Destroyed | Role::Scratch) {
                    let what = operand.name;
                    assert_eq!(got[i], expected[i], "{}/{name} {size:?}: {what}", op.name);
                }
            }
        }
    }
}

#[test]
fn plain_words_give_what_plain_rust_gives() {
    let mut compared = 0;
    for op in REGISTRY {
        for kernel in op.admitted(Cpu::native()) {
            if op.kernels[kernel].0.starts_with("words") {
                compare(op, kernel);
                compared += 1;
            }
        }
    }
    // Eight numbers side by side, many blocks of two ciphers, and one number over a vector where the processor admits it.
    assert!(compared >= 15, "{compared} kernels on plain words");
}
