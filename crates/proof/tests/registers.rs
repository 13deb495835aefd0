//! Every kernel hands back the registers and modes that the ABI reserves to its caller.
#![cfg(target_arch = "x86_64")]

use carrysave_contract::{Case, Rng, dimensions};
use carrysave_kernels::{
    Cpu, Isa, Limb, REGISTRY,
    op::{Choice, Op, Raw, Timing},
};
use carrysave_proof::abi::{self, Clobbered};
use std::arch::naked_asm;

struct Call {
    op: &'static Op,
    kernel: usize,
    raw: Raw,
}

/// Passes on to the kernel, with nothing after it that would restore a register.
unsafe extern "C" fn pass_on(call: *const Call) -> Limb {
    // SAFETY: a live call that meets the contract.
    unsafe {
        let Call { op, kernel, raw } = &*call;
        op.invoke(*kernel, raw)
    }
}

fn check(
    op: &'static Op,
    kernel: usize,
    (n, m): (usize, usize),
    rng: &mut Rng,
) -> Result<Limb, Clobbered> {
    let mut case = Case::generate(op, (n, m), rng);
    let mut p = [std::ptr::null_mut(); Raw::OPERANDS];
    for (p, value) in p.iter_mut().zip(&mut case.values) {
        *p = value.as_mut_ptr();
    }
    let call = Call {
        op,
        kernel,
        raw: Raw { p, n, m, s: case.s },
    };
    // SAFETY: operands of the contract's lengths, each in memory of its own; callers choose an admitted kernel.
    unsafe { abi::call(pass_on, &call) }
}

#[test]
fn kernels_restore_what_the_caller_owns() {
    let mut rng = Rng::new(1, "registers");
    for op in REGISTRY {
        for kernel in op.admitted(Cpu::native()) {
            for (n, m) in dimensions(op.contract) {
                if let Err(clobbered) = check(op, kernel, (n, m), &mut rng) {
                    panic!(
                        "{}/{} {clobbered} for n = {n}, m = {m}",
                        op.name, op.kernels[kernel].0
                    );
                }
            }
        }
    }
}

/// The way through the registry hides nothing: a kernel that spoils r13 is seen.
#[test]
fn a_kernel_that_spoils_a_register_is_caught() {
    #[unsafe(naked)]
    extern "C" fn spoil() -> Limb {
        naked_asm!("xor r13d, r13d", "xor eax, eax", "ret")
    }
    static SPOILER: Op = Op::new(
        "spoiler",
        REGISTRY[0].contract,
        &[("r13", Isa::NONE)],
        &[Choice {
            timing: Timing::Constant,
            models: &[],
        }],
        |_, _| spoil(),
    );
    let spoiled = check(&SPOILER, 0, (1, 0), &mut Rng::new(1, "spoiler")).unwrap_err();
    assert_eq!(spoiled.to_string(), "did not restore r13");
}
