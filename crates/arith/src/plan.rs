//! What is chosen by size, as data: measured on one machine on one day, and no constant in the code.

use crate::{Cpu, Isa};
use carrysave_kernels::radix52;
use std::fmt;
use std::sync::OnceLock;

/// A size that is never reached: what begins there is not used.
pub const NEVER: usize = usize::MAX;

/// Choices by size, each with the last size that it holds for, ascending; the last one holds for all that is larger.
pub type Steps<T> = &'static [(usize, T)];

/// The choice for a size.
pub(crate) fn choose<T: Copy>(steps: Steps<T>, size: usize) -> T {
    let step = steps.iter().find(|(up_to, _)| size <= *up_to);
    step.expect("the last step is open").1
}

/// A method of multiplication. What is faster for still longer numbers has its place behind the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Every limb by every limb.
    Schoolbook,
    /// Karatsuba's: three products of halves.
    Toom22,
    /// Toom's and Cook's: five products of thirds.
    Toom33,
    /// Seven products of fourths.
    Toom44,
}
use Product::{Schoolbook, Toom22, Toom33, Toom44};

impl Product {
    /// The least number of limbs that it takes: the parts must be longer than what is kept beside them.
    #[cfg(test)]
    pub(crate) fn least(self) -> usize {
        match self {
            Schoolbook => 1,
            Toom22 => 4,
            Toom33 => 28,
            Toom44 => 52,
        }
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Schoolbook => "schoolbook",
            Toom22 => "toom22",
            Toom33 => "toom33",
            Toom44 => "toom44",
        })
    }
}

macro_rules! plan {
    ($($(#[doc = $doc:literal])* $name:ident: $T:ty,)*) => {
        /// Which algorithm, kernel and window to use for which size: a table that was measured on one machine.
        ///
        /// A plan changes how long a result takes and never the result. It names kernels that [`named`] finds, so
        /// only such as promise constant time; where the processor lacks one, the best that it has takes its place.
        ///
        /// ```
        /// use carrysave_arith::{Cpu, Modulus, Nat, PLANS, Plan};
        /// let seven = Nat::from_limb(7);
        /// for plan in PLANS {
        ///     let n = Modulus::with_plan(&Nat::from_limb(101), Cpu::native(), plan).unwrap();
        ///     assert!(n.pow(&seven, &Nat::from_limb(100)).is_one());
        /// }
        /// println!("measured on {}", Plan::best(Cpu::native()).machine);
        /// ```
        ///
        /// # Panics
        /// The context of a modulus panics where a plan's steps end before [`NEVER`].
        ///
        /// [`named`]: carrysave_kernels::radix52::Amm::named
        #[derive(Clone, Debug)]
        pub struct Plan {
            /// The processor it was measured on.
            pub machine: &'static str,
            /// The day it was measured, or `-`.
            pub date: &'static str,
            /// The extensions without which it makes no sense.
            pub needs: Isa,
            $($(#[doc = $doc])* pub $name: $T,)*
        }

        impl Plan {
            /// Each choice: its name, its value and what it means, for listings.
            pub fn settings(&self) -> Vec<(&'static str, String, String)> {
                vec![$((
                    stringify!($name),
                    Setting::show(&self.$name),
                    [$($doc.trim()),*].join(" "),
                )),*]
            }

            #[cfg(test)]
            fn is_well_formed(&self) -> bool {
                true $(&& Setting::is_well_formed(&self.$name))*
            }
        }
    };
}

plan! {
    /// Method of products by limbs of the factors.
    mul: Steps<Product>,
    /// Method of squares by limbs of the factor.
    sqr: Steps<Product>,
    /// Limbs from which products modulo 2^(64n) - 1 are made of halves.
    bnm1: usize,
    /// Limbs of a quotient from which division is recursive.
    divide: usize,
    /// Limbs of a modulus from which single products are reduced by Barrett's method.
    barrett: usize,
    /// Limbs of a modulus from which Montgomery reduction is by products (`redc_n`).
    redc_n: usize,
    /// Limbs from which conversion from and to other radices is recursive.
    radix: usize,
    /// Width of fixed windows by bits of the exponent: least 2^w + bits / w, with room for the scan of the table.
    fixed_window: Steps<usize>,
    /// Width of sliding windows from the left by bits of the exponent: least 2^(w-1) + bits / (w + 1).
    sliding_window: Steps<usize>,
    /// Teeth of the comb of `FixedBase` by bits of the exponent: 2^teeth entries a block.
    comb_teeth: Steps<usize>,
    /// Blocks of the comb by bits of the exponent: so many fewer squarings.
    comb_blocks: Steps<usize>,
    /// Bits of a modulus from which powers and products are computed in radix 2^52.
    radix52: usize,
    /// Bits of a modulus up to which they are.
    radix52_up_to: usize,
    /// Kernel of `radix52_amm` by digits.
    amm: Steps<&'static str>,
    /// Kernel of `radix52_amm_x2` by digits.
    amm_x2: Steps<&'static str>,
    /// Kernel of `radix52_ams` by digits.
    ams: Steps<&'static str>,
    /// Kernel of `radix52_ams_x2` by digits.
    ams_x2: Steps<&'static str>,
    /// Operations from which a vector lane for each is faster than one after the other, by bits of a modulus.
    lanes: Steps<usize>,
    /// Kernel of `mb8_amm` by digits.
    lane_amm: Steps<&'static str>,
    /// Kernel of `mb8_amm_select` by digits.
    lane_amm_select: Steps<&'static str>,
    /// Kernel of `mb8_ams` by digits.
    lane_ams: Steps<&'static str>,
    /// Width of windows in lanes by digits, 4 or 5: the table should stay in the first cache where it can.
    lane_window: Steps<usize>,
    /// Digits up to which the powers of RSA-CRT go in turn in lanes.
    lane_pairs: usize,
}

/// The plans, the most demanding first; the last one is for every processor.
pub static PLANS: &[Plan] = &[
    Plan {
        machine: "any that executes 512-bit instructions whole, by the latencies of Zen 5: not measured",
        date: "-",
        needs: radix52::IFMA.and(Isa::FP512),
        amm: &[(80, "ifma512v"), (NEVER, "ifma512")],
        amm_x2: &[(NEVER, "ifma512v")],
        ams: &[(80, "ifma512v"), (NEVER, "ifma512")],
        ams_x2: &[(NEVER, "ifma512v")],
        lanes: &[(NEVER, 3)],
        lane_window: &[(20, 5), (30, 4), (NEVER, 5)],
        ..HALVES
    },
    HALVES,
    SATURATED,
];

/// Radix 2^52 on 512-bit instructions that are executed as two halves.
const HALVES: Plan = Plan {
    machine: "AMD EPYC, Zen 4 (family 25, model 17)",
    date: "2026-11-21",
    needs: radix52::IFMA,
    fixed_window: &[
        (16, 1),
        (64, 3),
        (512, 4),
        (6144, 5),
        (12288, 6),
        (NEVER, 7),
    ],
    comb_teeth: &[(32, 4), (NEVER, 5)],
    comb_blocks: &[(128, 4), (NEVER, 8)],
    mul: &[
        (128, Schoolbook),
        (224, Toom22),
        (479, Toom33),
        (NEVER, Toom44),
    ],
    sqr: &[
        (128, Schoolbook),
        (263, Toom22),
        (799, Toom33),
        (NEVER, Toom44),
    ],
    bnm1: 130,
    barrett: 32,
    redc_n: 56,
    radix52: 129,
    radix52_up_to: NEVER,
    // Where three registers of eight digits are not full, narrower ones do less for nothing.
    amm: &[(20, "ifma256"), (NEVER, "ifma512")],
    amm_x2: &[(NEVER, "ifma512")],
    ams: &[(32, "ifma256"), (NEVER, "ifma512")],
    ams_x2: &[(20, "ifma256"), (NEVER, "ifma512")],
    lanes: &[(600, 4), (1100, 5), (1600, 6), (NEVER, 7)],
    lane_amm: &[(39, "ifma512"), (NEVER, "karatsuba512")],
    lane_amm_select: &[(59, "ifma512"), (NEVER, "karatsuba512")],
    lane_ams: &[(39, "ifma512"), (NEVER, "karatsuba512")],
    lane_window: &[(30, 4), (NEVER, 5)],
    lane_pairs: 10,
    ..SATURATED
};

/// Saturated limbs only.
const SATURATED: Plan = Plan {
    machine: "AMD EPYC, Zen 4 (family 25, model 17), its AVX-512 unused",
    date: "2026-11-21",
    needs: Isa::NONE,
    mul: &[
        (47, Schoolbook),
        (145, Toom22),
        (219, Toom33),
        (NEVER, Toom44),
    ],
    sqr: &[
        (63, Schoolbook),
        (189, Toom22),
        (259, Toom33),
        (NEVER, Toom44),
    ],
    bnm1: 120,
    divide: 30,
    barrett: 48,
    redc_n: 180,
    radix: 24,
    fixed_window: &[
        (16, 1),
        (64, 3),
        (256, 4),
        (1536, 5),
        (12288, 6),
        (NEVER, 7),
    ],
    sliding_window: &[(32, 1), (144, 3), (512, 4), (896, 5), (2048, 6), (NEVER, 7)],
    comb_teeth: &[(32, 4), (NEVER, 6)],
    comb_blocks: &[(64, 4), (NEVER, 8)],
    radix52: NEVER,
    radix52_up_to: NEVER,
    amm: &[(NEVER, "portable")],
    amm_x2: &[(NEVER, "portable")],
    ams: &[(NEVER, "portable")],
    ams_x2: &[(NEVER, "portable")],
    lanes: &[(NEVER, NEVER)],
    lane_amm: &[(NEVER, "portable")],
    lane_amm_select: &[(NEVER, "portable")],
    lane_ams: &[(NEVER, "portable")],
    lane_window: &[(NEVER, 4)],
    lane_pairs: 1,
};

impl Plan {
    /// The first plan whose needs `cpu` has.
    pub fn best(cpu: Cpu) -> &'static Plan {
        let fits = |plan: &&Plan| cpu.has(plan.needs);
        PLANS.iter().find(fits).expect("the last one needs nothing")
    }

    /// The plan for this machine, found on first use.
    pub fn native() -> &'static Plan {
        static NATIVE: OnceLock<&'static Plan> = OnceLock::new();
        NATIVE.get_or_init(|| Plan::best(Cpu::native()))
    }
}

/// A kind of choice.
trait Setting {
    /// It in words.
    fn show(&self) -> String;

    /// Whether every size has a choice.
    #[cfg(test)]
    fn is_well_formed(&self) -> bool;
}

/// A threshold.
impl Setting for usize {
    fn show(&self) -> String {
        match *self {
            NEVER => "never".to_owned(),
            size => size.to_string(),
        }
    }

    #[cfg(test)]
    fn is_well_formed(&self) -> bool {
        *self > 0
    }
}

impl<T: fmt::Display> Setting for Steps<T> {
    fn show(&self) -> String {
        let step = |(up_to, choice): &(usize, T)| match *up_to {
            NEVER => choice.to_string(),
            size => format!("{choice} to {size}"),
        };
        self.iter().map(step).collect::<Vec<_>>().join(", then ")
    }

    #[cfg(test)]
    fn is_well_formed(&self) -> bool {
        self.is_sorted_by(|a, b| a.0 < b.0) && self.last().is_some_and(|step| step.0 == NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carrysave_kernels::op::{Op, Timing};
    use carrysave_kernels::{mb8, radix52};

    #[test]
    fn every_size_has_a_choice() {
        for plan in PLANS {
            assert!(plan.is_well_formed(), "{plan:?}");
            for steps in [plan.mul, plan.sqr] {
                assert_eq!(steps[0].1, Schoolbook, "{plan:?}");
                for pair in steps.windows(2) {
                    assert!(pair[0].0 + 1 >= pair[1].1.least(), "{plan:?}");
                }
            }
            // Less than twice the width must be enough for a limb more, rounded up to a multiple of eight.
            assert!(plan.bnm1 >= 9, "{plan:?}");
            assert!(plan.divide >= 2 && plan.radix >= 1, "{plan:?}");
            let fits = |w: &(usize, usize)| [4, 5].contains(&w.1);
            assert!(plan.lane_window.iter().all(fits), "{plan:?}");
        }
        let bad: [Steps<usize>; 3] = [&[], &[(7, 1)], &[(7, 1), (7, 2), (NEVER, 3)]];
        assert!(bad.iter().all(|steps| !steps.is_well_formed()));
        let steps: Steps<char> = &[(7, 'a'), (9, 'b'), (NEVER, 'c')];
        assert_eq!(
            [0, 7, 8, 9, 10, NEVER].map(|size| choose(steps, size)),
            ['a', 'a', 'b', 'b', 'c', 'c']
        );
    }

    #[test]
    fn every_processor_has_a_plan() {
        for cpu in Cpu::native().masks() {
            let plan = Plan::best(cpu);
            assert!(cpu.has(plan.needs));
            let before = PLANS.iter().take_while(|other| !std::ptr::eq(*other, plan));
            assert!(before.into_iter().all(|other| !cpu.has(other.needs)));
        }
        assert_eq!(PLANS.last().map(|plan| plan.needs), Some(Isa::NONE));
    }

    /// Whether an operation has these kernels, each for secrets and for every processor of the plan. Processors of another kind lack their rows.
    fn for_secrets(op: &Op, names: Steps<&str>, needs: Isa) -> bool {
        names.iter().all(|(_, name)| {
            let row = op.kernels.iter().position(|kernel| kernel.0 == *name);
            row.map_or(cfg!(not(target_arch = "x86_64")), |i| {
                op.timing(i) == Timing::Constant && needs.contains(op.kernels[i].1)
            })
        })
    }

    #[test]
    fn kernels_of_a_plan_are_for_secrets() {
        for plan in PLANS {
            for (op, names) in [
                (&radix52::amm::OP, plan.amm),
                (&radix52::amm_x2::OP, plan.amm_x2),
                (&radix52::ams::OP, plan.ams),
                (&radix52::ams_x2::OP, plan.ams_x2),
                (&mb8::amm::OP, plan.lane_amm),
                (&mb8::amm_select::OP, plan.lane_amm_select),
                (&mb8::ams::OP, plan.lane_ams),
            ] {
                assert!(for_secrets(op, names, plan.needs), "{}", op.name);
            }
        }
    }
}
