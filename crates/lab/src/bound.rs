//! What a core can do at most: multiplications of 52 bits that wait for nothing.

use carrysave_kernels::{Cpu, mb8::IFMA};

/// A loop of `vpmadd52` on ten sums of eight lanes, none of which another needs: more than any core has under way.
#[derive(Clone, Copy, Debug)]
pub struct Madd52(());

/// Instructions in a turn of the loop.
const TURN: usize = 10;

impl Madd52 {
    /// The loop, where the processor has such instructions.
    pub fn new(cpu: Cpu) -> Option<Madd52> {
        cpu.has(IFMA).then_some(Madd52(()))
    }

    /// Executes so many of them, rounded up to tens.
    pub fn run(self, instructions: usize) {
        let turns = instructions.div_ceil(TURN).max(1);
        // SAFETY: `new` asked the processor.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            spin(turns);
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("{turns} turns on a processor without these instructions")
    }
}

/// # Safety
/// `turns` is not 0.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn spin(turns: usize) {
    // SAFETY: it touches no memory, and the registers that it names.
    unsafe {
        core::arch::asm!(
            "2:",
            "vpmadd52luq zmm0, zmm10, zmm11",
            "vpmadd52huq zmm1, zmm10, zmm11",
            "vpmadd52luq zmm2, zmm10, zmm11",
            "vpmadd52huq zmm3, zmm10, zmm11",
            "vpmadd52luq zmm4, zmm10, zmm11",
            "vpmadd52huq zmm5, zmm10, zmm11",
            "vpmadd52luq zmm6, zmm10, zmm11",
            "vpmadd52huq zmm7, zmm10, zmm11",
            "vpmadd52luq zmm8, zmm10, zmm11",
            "vpmadd52huq zmm9, zmm10, zmm11",
            "dec {turns}",
            "jnz 2b",
            turns = inout(reg) turns => _,
            out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _,
            out("zmm5") _, out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _,
            options(nomem, nostack),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::core_ghz;
    use std::time::Instant;

    #[test]
    fn one_or_two_a_cycle() {
        let Some(madd52) = Madd52::new(Cpu::native()) else {
            eprintln!("SKIPPED: there is no vpmadd52 here");
            return;
        };
        // The best of several, as others use the core as well.
        let rate = |_| {
            let start = Instant::now();
            madd52.run(1_000_000);
            1e6 / start.elapsed().as_nanos() as f64 / core_ghz()
        };
        let best = (0..20).map(rate).fold(0.0, f64::max);
        assert!((0.4..2.5).contains(&best), "{best} a cycle");
    }

    #[test]
    fn none_without_the_instructions() {
        assert!(Madd52::new(Cpu::portable()).is_none());
    }
}
