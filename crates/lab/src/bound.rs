//! What a core can do at most: instructions that wait for nothing.

use crate::clock::core_ghz;
use crate::rivals::{Cipher, Mode};
use carrysave_kernels::{Cpu, Isa, mb8::IFMA};
use std::{
    ops::RangeInclusive,
    time::{Duration, Instant},
};

/// A loop of one instruction on many registers, none of which another needs: more than any core has under way.
#[derive(Clone, Copy, Debug)]
pub struct Spin {
    name: &'static str,
    /// The bytes that an instruction works on.
    width: usize,
    run: unsafe fn(usize),
}

/// Instructions in a turn of a loop, each with a register of its own: with ten, Zen 5 executes 1.94 `vpmadd52` a cycle,
/// with twelve 2.
const TURN: usize = 12;

impl Spin {
    /// `vpmadd52`, half of the products of eight pairs of digits, where the processor has it.
    pub fn madd52(cpu: Cpu) -> Option<Spin> {
        Spin::new(cpu, IFMA, "vpmadd52", 64, spin::madd52)
    }

    /// `mulx`, the product of two limbs, where the processor has it.
    pub fn mulx(cpu: Cpu) -> Option<Spin> {
        Spin::new(cpu, Isa::BMI2, "mulx", 8, spin::mulx)
    }

    /// A round of AES on as many blocks at once as the processor can.
    pub fn aesenc(cpu: Cpu) -> Option<Spin> {
        let wide = Isa::VAES.and(Isa::AVX512F);
        Spin::new(cpu, wide, "vaesenc", 64, spin::aesenc512)
            .or_else(|| {
                Spin::new(
                    cpu,
                    Isa::VAES.and(Isa::AVX2),
                    "vaesenc",
                    32,
                    spin::aesenc256,
                )
            })
            .or_else(|| Spin::new(cpu, Isa::AES, "aesenc", 16, spin::aesenc128))
    }

    fn new(
        cpu: Cpu,
        isa: Isa,
        name: &'static str,
        width: usize,
        run: unsafe fn(usize),
    ) -> Option<Spin> {
        cpu.has(isa).then_some(Spin { name, width, run })
    }

    /// The instruction.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Executes `instructions` of them, rounded up to whole turns.
    pub fn run(self, instructions: usize) {
        let turns = instructions.div_ceil(TURN).max(1);
        // SAFETY: `new` asked the processor.
        unsafe { (self.run)(turns) }
    }

    /// How many a core cycle: the best of a few short runs by the fastest clock between them, so that an interrupt does
    /// not count.
    pub fn per_cycle(self) -> f64 {
        const INSTRUCTIONS: usize = 20_000;
        let (mut per_ns, mut ghz) = (0.0, 0.0);
        for _ in 0..5 {
            let start = Instant::now();
            self.run(INSTRUCTIONS);
            let took = start.elapsed().max(Duration::from_nanos(1));
            per_ns = f64::max(per_ns, INSTRUCTIONS as f64 / took.as_nanos() as f64);
            ghz = f64::max(ghz, core_ghz());
        }
        per_ns / ghz
    }
}

/// The least that an operation can take.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// `bound/` and the instruction that it is of.
    pub name: String,
    /// Core cycles.
    pub cycles: f64,
}

impl Bound {
    fn new(spin: Spin, instructions: f64) -> Bound {
        Bound {
            name: format!("bound/{}", spin.name),
            cycles: instructions / spin.per_cycle(),
        }
    }

    /// The bound of a power, exponent and modulus of `bits` bits: by the schoolbook method with a square for each bit,
    /// and fixed windows of the best width. `None` without wide multiplications.
    pub fn power(cpu: Cpu, bits: usize) -> Option<Bound> {
        /// Wider ones need a table that no cache holds.
        const WIDTHS: RangeInclusive<usize> = 1..=10;
        let (spin, square, product) = multiplication(cpu, bits)?;
        let products = WIDTHS.map(|w| bits as f64 / w as f64 + f64::exp2(w as f64));
        let products = products.fold(f64::INFINITY, f64::min);
        Some(Bound::new(spin, bits as f64 * square + products * product))
    }

    /// The bound of a public operation of RSA with e = 65537.
    pub fn public(cpu: Cpu, bits: usize) -> Option<Bound> {
        let (spin, square, product) = multiplication(cpu, bits)?;
        Some(Bound::new(spin, 16.0 * square + product))
    }

    /// The bound of a private operation of RSA: the powers modulo two primes.
    pub fn private(cpu: Cpu, bits: usize) -> Option<Bound> {
        let half = Bound::power(cpu, bits / 2)?;
        Some(half.times(2.0))
    }

    /// The bound of AES on `bytes` bytes; `None` for a chain, which waits for each block, and for other ciphers.
    pub fn cipher(cpu: Cpu, cipher: Cipher, mode: Mode, bytes: usize) -> Option<Bound> {
        let Cipher::Aes(bits) = cipher else {
            return None;
        };
        let spin = Spin::aesenc(cpu).filter(|_| mode != Mode::Cbc)?;
        let rounds = (bits / 32 + 6) as f64;
        Some(Bound::new(spin, rounds * bytes as f64 / spin.width as f64))
    }

    /// The bound of `factor` times as much work.
    #[must_use]
    pub fn times(self, factor: f64) -> Bound {
        Bound {
            cycles: self.cycles * factor,
            ..self
        }
    }
}

/// How many times a square and a product modulo a number of `bits` bits execute an instruction.
fn multiplication(cpu: Cpu, bits: usize) -> Option<(Spin, f64, f64)> {
    if let Some(spin) = Spin::madd52(cpu) {
        // Almost Montgomery multiplication has two bits more; a vector has eight products.
        let n = (bits + 2).div_ceil(52) as f64;
        return Some((spin, (3.0 * n * n + n) / 8.0, 4.0 * n * n / 8.0));
    }
    let n = bits.div_ceil(64) as f64;
    let reduction = n * n + n;
    Some((
        Spin::mulx(cpu)?,
        n * (n + 1.0) / 2.0 + reduction,
        n * n + reduction,
    ))
}

/// The loops.
#[cfg(target_arch = "x86_64")]
mod spin {
    use core::arch::asm;

    macro_rules! spin {
        ($name:ident, $features:literal, $instruction:literal, $($out:tt)*) => {
            /// # Safety
            /// `turns` is not 0, and the processor has the features.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name(turns: usize) {
                // SAFETY: it touches no memory, and the registers that it names.
                unsafe {
                    asm!(
                        "2:",
                        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11",
                        $instruction,
                        ".endr",
                        "dec {turns}",
                        "jnz 2b",
                        turns = inout(reg) turns => _,
                        $($out)*
                        options(nomem, nostack),
                    );
                }
            }
        };
        ($name:ident, $features:literal, $instruction:literal) => {
            spin!($name, $features, $instruction,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            );
        };
    }

    spin!(
        madd52,
        "avx512f,avx512ifma",
        "vpmadd52luq zmm\\i, zmm14, zmm15"
    );
    spin!(mulx, "bmi2", "mulx r8, r9, r12", out("r8") _, out("r9") _, in("r12") 3, in("rdx") 5,);
    spin!(aesenc128, "aes", "aesenc xmm\\i, xmm15");
    spin!(aesenc256, "vaes,avx2", "vaesenc ymm\\i, ymm\\i, ymm15");
    spin!(aesenc512, "vaes,avx512f", "vaesenc zmm\\i, zmm\\i, zmm15");
}

/// No other processor has these instructions.
#[cfg(not(target_arch = "x86_64"))]
mod spin {
    macro_rules! none {
        ($($name:ident)*) => {
            $(pub(super) unsafe fn $name(_: usize) {
                unreachable!("a processor without these instructions")
            })*
        };
    }

    none!(madd52 mulx aesenc128 aesenc256 aesenc512);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_a_cycle() {
        let cpu = Cpu::native();
        for spin in [Spin::madd52(cpu), Spin::mulx(cpu), Spin::aesenc(cpu)] {
            let Some(spin) = spin else {
                eprintln!("SKIPPED: an instruction that is not here");
                continue;
            };
            let rate = spin.per_cycle();
            assert!((0.4..2.5).contains(&rate), "{}: {rate} a cycle", spin.name);
        }
    }

    #[test]
    fn none_without_the_instructions() {
        let cpu = Cpu::portable();
        let spins = [Spin::madd52(cpu), Spin::mulx(cpu), Spin::aesenc(cpu)];
        assert!(spins.iter().all(Option::is_none));
        assert_eq!(Bound::power(cpu, 1024), None);
    }

    #[test]
    fn a_bound_grows_with_the_work() {
        let Some(power) = Bound::power(Cpu::native(), 1024) else {
            return;
        };
        // Eight times the products, and windows that are a little wider.
        let ratio = Bound::power(Cpu::native(), 2048).unwrap().cycles / power.cycles;
        assert!((4.0..16.0).contains(&ratio), "{ratio}");
        assert_eq!(power.clone().times(2.0).cycles, 2.0 * power.cycles);
        let cbc = Bound::cipher(Cpu::native(), Cipher::Aes(128), Mode::Cbc, 16);
        assert_eq!(cbc, None);
    }
}
