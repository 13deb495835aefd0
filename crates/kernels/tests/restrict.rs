//! A program that does without extensions. It is a program of its own, as it goes on without them.

use carrysave_kernels::{Cpu, Isa, mpn::Mpn};

#[test]
fn what_asks_for_no_processor_does_without_too() {
    let found = Cpu::native();
    let cpu = Cpu::restrict(Isa::BMI2.and(Isa::AVX2));
    assert_eq!(cpu, found.without(Isa::BMI2.and(Isa::AVX2)));
    assert_eq!(Cpu::restrict(Isa::ADX), cpu.without(Isa::ADX));
    assert_eq!(Cpu::native(), cpu.without(Isa::ADX));
    let name = Mpn::native().mul_basecase.name();
    assert!(!name.contains("mulx") && !name.contains("ifma"), "{name}");
}
