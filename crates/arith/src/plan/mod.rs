//! What is chosen by size, as data: measured on one machine on one day, and no constant in the code.

mod file;

use crate::{Cpu, Isa};
use carrysave_kernels::{
    mb8,
    op::{Op, Timing},
    radix52,
};
use carrysave_team::Team;
use core::time::Duration;
pub use file::PlanError;
use file::Setting;
use std::fmt;
use std::sync::OnceLock;

/// A size that is never reached: what begins there is not used.
pub const NEVER: usize = usize::MAX;

/// Choices by size, each with the last size that it holds for, ascending; the last one holds for all that is larger.
pub type Steps<T> = &'static [(usize, T)];

/// The choice for a size.
///
/// # Panics
/// If the last step is not open.
///
/// ```
/// use carrysave_arith::{NEVER, choose};
/// assert_eq!(choose(&[(4, 'a'), (NEVER, 'b')], 5), 'b');
/// ```
pub fn choose<T: Copy>(steps: Steps<T>, size: usize) -> T {
    let step = steps.iter().find(|(up_to, _)| size <= *up_to);
    step.expect("the last step is open").1
}

/// A method of multiplication.
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
    /// Fourier transforms modulo small primes; up to some hundred million bits, and Toom-4 of such above.
    Fft,
}
use Product::{Fft, Schoolbook, Toom22, Toom33, Toom44};

impl Product {
    /// All of them, the simplest first.
    pub const ALL: [Product; 5] = [Schoolbook, Toom22, Toom33, Toom44, Fft];

    /// The least number of limbs that it takes: the parts must be longer than what is kept beside them.
    pub fn least(self) -> usize {
        match self {
            Schoolbook => 1,
            Toom22 => 4,
            Toom33 => 28,
            Toom44 => 52,
            Fft => 1,
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
            Fft => "fft",
        })
    }
}

macro_rules! plan {
    ($($(#[doc = $doc:literal])* $name:ident: $T:ty,)*) => {
        /// Which algorithm, kernel and window to use for which size: a table that was measured on one machine.
        ///
        /// A plan changes how long a result takes and never the result. It names kernels that [`named`] finds, so
        /// only such as promise constant time; where the processor lacks one, the best that it has takes its place.
        /// [`Plan::to_toml`] and [`Plan::from_toml`] write and read files of plans.
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

            /// Each choice as it is written in a file: its name, its value and what it means.
            fn written(&self) -> Vec<(&'static str, toml::Value, String)> {
                vec![$((
                    stringify!($name),
                    Setting::write(&self.$name),
                    [$($doc.trim()),*].join(" "),
                )),*]
            }

            fn check_steps(&self) -> Result<(), PlanError> {
                $(Setting::check(&self.$name, stringify!($name))?;)*
                Ok(())
            }

            /// Takes the choices from a file's table.
            fn read(head: Head, table: &mut toml::Table) -> Result<Plan, PlanError> {
                Ok(Plan {
                    machine: head.machine,
                    date: head.date,
                    needs: head.needs,
                    $($name: file::take(table, stringify!($name))?,)*
                })
            }
        }
    };
}

/// What a plan is for.
struct Head {
    machine: &'static str,
    date: &'static str,
    needs: Isa,
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
    /// Limbs of a modulus from which powers are by transforms of half the length (McLaughlin).
    mclaughlin: usize,
    /// Limbs from which conversion to other radices is recursive.
    radix: usize,
    /// Width of fixed windows by bits of the exponent: least 2^w + bits / w, with room for the scan of the table.
    fixed_window: Steps<usize>,
    /// Teeth of the comb of `FixedBase` by bits of the exponent: 2^teeth entries a block.
    comb_teeth: Steps<usize>,
    /// Blocks of the comb by bits of the exponent: so many fewer squarings.
    comb_blocks: Steps<usize>,
    /// Bits of a modulus from which powers and products are computed in radix 2^52.
    radix52: usize,
    /// Bits of a modulus up to which they are.
    radix52_up_to: usize,
    /// Bits of a modulus from which a power is in radix 2^52 that is not interleaved with another.
    radix52_alone: usize,
    /// Bits of a modulus from which such powers are by whole products.
    blocks52: usize,
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
    /// Limbs of a modulus from which two threads share the multiplications of a power, if their round trip takes 250
    /// ns or less.
    team_pow: usize,
    /// Limbs that a team's reductions take at once, by limbs of the modulus.
    team_block: Steps<usize>,
    /// Limbs of the shorter factor from which a team shares a product.
    team_mul: usize,
    /// Bits of a prime from which a team takes the powers of a private operation at once.
    team_private: usize,
}

/// The plans, the most demanding first; the last one is for every processor.
pub static PLANS: &[Plan] = &[
    Plan {
        machine: "AMD EPYC, Zen 5 (family 26, model 2)",
        date: "2026-11-22",
        needs: radix52::IFMA.and(Isa::FP512),
        mul: &[
            (128, Schoolbook),
            (224, Toom22),
            (620, Toom33),
            (NEVER, Fft),
        ],
        sqr: &[
            (128, Schoolbook),
            (263, Toom22),
            (880, Toom33),
            (NEVER, Fft),
        ],
        barrett: 140,
        redc_n: 28,
        fixed_window: &[(8, 1), (64, 3), (512, 4), (6144, 5), (12288, 6), (NEVER, 7)],
        radix52_alone: 513,
        blocks52: 4450,
        amm: &[(64, "ahead512"), (NEVER, "ifma512")],
        amm_x2: &[(NEVER, "ifma512")],
        ams: &[(72, "ahead512"), (NEVER, "ifma512")],
        ams_x2: &[(NEVER, "ifma512")],
        lane_amm: &[(33, "ifma512"), (NEVER, "karatsuba512")],
        lane_amm_select: &[(138, "ifma512"), (NEVER, "karatsuba512")],
        lanes: &[(900, 2), (1500, 3), (2200, 4), (3000, 5), (NEVER, 6)],
        lane_window: &[(12, 4), (NEVER, 5)],
        team_pow: 104,
        team_block: &[(119, 64), (255, 128), (NEVER, 256)],
        team_mul: 760,
        // Up to 40 digits two powers are interleaved on one thread. On two, those of 2048 bits take 1.5 times less time if
        // operation follows operation, also beside another busy thread, and as long after pauses of 5 to 20 ms, in which
        // processors halt; those of 1536 bits 1.4 times less, and 1.15 times more.
        team_private: 2000,
        ..HALVES
    },
    HALVES,
    FLOATS,
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
        // An estimate, as for squares: from where the transforms of `fma256` take over from Toom-4 in saturated limbs,
        // and Toom-4 being about 1.7 times as fast here; `fma512` was not timed.
        (3071, Toom44),
        (NEVER, Fft),
    ],
    sqr: &[
        (128, Schoolbook),
        (263, Toom22),
        (799, Toom33),
        (4095, Toom44),
        (NEVER, Fft),
    ],
    bnm1: 130,
    barrett: 32,
    redc_n: 56,
    // Not measured: where the time of the transforms of Zen 3 meets the square of the digits.
    mclaughlin: 1024,
    radix52: 129,
    radix52_up_to: NEVER,
    // An estimate.
    blocks52: 10_240,
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
    team_pow: NEVER,
    ..SATURATED
};

/// Saturated limbs, and floating-point numbers for transforms and lanes.
const FLOATS: Plan = Plan {
    machine: "AMD EPYC, Zen 3 (family 25, model 1)",
    date: "2026-11-25",
    needs: Isa::AVX2.and(Isa::FMA).and(Isa::BMI2),
    mul: &[
        (59, Schoolbook),
        (140, Toom22),
        (250, Toom33),
        (414, Toom44),
        (NEVER, Fft),
    ],
    sqr: &[
        (99, Schoolbook),
        (189, Toom22),
        (380, Toom33),
        (440, Toom44),
        (NEVER, Fft),
    ],
    bnm1: 60,
    barrett: 12,
    redc_n: 240,
    mclaughlin: 200,
    fixed_window: &[(512, 4), (1536, 5), (12288, 6), (NEVER, 7)],
    lanes: &[(627, NEVER), (NEVER, 6)],
    lane_amm: &[(NEVER, "fma256")],
    lane_amm_select: &[(NEVER, "fma256")],
    lane_ams: &[(NEVER, "fma256")],
    lane_window: &[(69, 4), (NEVER, 5)],
    team_pow: 56,
    team_mul: 400,
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
    mclaughlin: NEVER,
    radix: 24,
    fixed_window: &[
        (16, 1),
        (64, 3),
        (256, 4),
        (1536, 5),
        (12288, 6),
        (NEVER, 7),
    ],
    comb_teeth: &[(32, 4), (NEVER, 6)],
    comb_blocks: &[(64, 4), (NEVER, 8)],
    radix52: NEVER,
    radix52_up_to: NEVER,
    radix52_alone: 1,
    blocks52: NEVER,
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
    team_pow: 64,
    team_block: &[(383, 16), (767, 128), (NEVER, 256)],
    team_mul: 1024,
    team_private: 1,
};

static NATIVE: OnceLock<&'static Plan> = OnceLock::new();

impl Plan {
    /// The same, but that any number of operations goes into vector lanes, with portable kernels if need be: for tests.
    #[doc(hidden)]
    pub fn always_in_lanes(&self) -> &'static Plan {
        Box::leak(Box::new(Plan {
            lanes: &[(NEVER, 1)],
            ..self.clone()
        }))
    }

    /// The plan for a processor: of those that are built in the first whose needs it has. That one comes second to one
    /// that was [installed](Plan::install) and [fits](Plan::fits) it.
    pub fn best(cpu: Cpu) -> &'static Plan {
        match NATIVE.get() {
            // A plan that is built in and that this machine follows is the first for all that have its needs.
            Some(plan) if cpu.has(plan.needs) => plan,
            _ => Plan::built_in(cpu),
        }
    }

    /// The plan for this machine, found on first use.
    pub fn native() -> &'static Plan {
        NATIVE.get_or_init(|| Plan::built_in(Cpu::native()))
    }

    /// Whether a processor has what the plan needs.
    ///
    /// # Errors
    /// It lacks an extension.
    pub fn fits(&self, cpu: Cpu) -> Result<(), PlanError> {
        if cpu.has(self.needs) {
            return Ok(());
        }
        Err(PlanError::new(format!(
            "it was tuned for {}, and this processor has {cpu}: tune it here",
            self.needs
        )))
    }

    /// Makes this the plan for this machine: a program does so before its first computation, or not at all. It stays
    /// in memory as long as the program runs.
    ///
    /// # Errors
    /// The plan is not well formed, needs what the processor lacks, or comes too late.
    pub fn install(self) -> Result<(), PlanError> {
        self.check()?;
        self.fits(Cpu::native())?;
        let late = || PlanError::new("another plan is in use already: install it first".to_owned());
        NATIVE.set(Box::leak(Box::new(self))).map_err(|_| late())
    }

    fn built_in(cpu: Cpu) -> &'static Plan {
        let fits = |plan: &&Plan| cpu.has(plan.needs);
        PLANS.iter().find(fits).expect("the last one needs nothing")
    }

    /// Whether every size has a choice that works there: kernels that exist, take constant time, and need no more than
    /// the plan does; methods from the least size that they take.
    ///
    /// # Errors
    /// The first setting that is wrong, and why.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_steps()?;
        for (name, steps) in [("mul", self.mul), ("sqr", self.sqr)] {
            require(steps[0].1 == Schoolbook, name, "begins with schoolbook")?;
            let works = |pair: &[(usize, Product)]| pair[0].0 + 1 >= pair[1].1.least();
            let message = "has each method from the least size only that it takes";
            require(steps.windows(2).all(works), name, message)?;
        }
        // Less than twice the width must be enough for a limb more, rounded up to a multiple of eight.
        require(self.bnm1 >= 9, "bnm1", "is 9 at least")?;
        require(self.divide >= 2, "divide", "is 2 at least")?;
        require(
            self.team_mul >= Toom44.least(),
            "team_mul",
            "is 52 at least",
        )?;
        for (name, steps, range) in [
            ("fixed_window", self.fixed_window, 1..=10),
            ("comb_teeth", self.comb_teeth, 1..=10),
            ("comb_blocks", self.comb_blocks, 1..=64),
            ("lane_window", self.lane_window, 4..=5),
            ("team_block", self.team_block, 1..=NEVER),
        ] {
            let fits = steps.iter().all(|(_, choice)| range.contains(choice));
            let (from, to) = (range.start(), range.end());
            require(fits, name, &format!("has numbers from {from} to {to}"))?;
        }
        for (name, op, steps) in [
            ("amm", &radix52::amm::OP, self.amm),
            ("amm_x2", &radix52::amm_x2::OP, self.amm_x2),
            ("ams", &radix52::ams::OP, self.ams),
            ("ams_x2", &radix52::ams_x2::OP, self.ams_x2),
            ("lane_amm", &mb8::amm::OP, self.lane_amm),
            (
                "lane_amm_select",
                &mb8::amm_select::OP,
                self.lane_amm_select,
            ),
            ("lane_ams", &mb8::ams::OP, self.lane_ams),
        ] {
            for (_, kernel) in steps {
                let message = format!(
                    "has kernels of {} for secrets, which need no more than the plan: not {kernel}",
                    op.name
                );
                require(self.takes(op, kernel), name, &message)?;
            }
        }
        Ok(())
    }

    /// Whether an operation has this kernel, for secrets and for every processor of the plan. Processors of another
    /// kind lack their rows.
    #[doc(hidden)]
    pub fn takes(&self, op: &Op, kernel: &str) -> bool {
        let row = op.kernels.iter().position(|row| row.0 == kernel);
        row.map_or(cfg!(not(target_arch = "x86_64")), |i| {
            op.timing(i) == Timing::Constant && self.needs.contains(op.kernels[i].1)
        })
    }
}

fn require(holds: bool, name: &str, what: &str) -> Result<(), PlanError> {
    match holds {
        true => Ok(()),
        false => Err(PlanError::new(format!("a plan's {name} {what}"))),
    }
}

/// The round trip for which the thresholds of a plan hold.
pub const USUAL_ROUND_TRIP: Duration = Duration::from_nanos(250);

/// The round trip of a team as thresholds of a plan count it: no shorter than the usual one. A shorter one lets shorter
/// powers gain, but what they lose where another process keeps a processor busy is more.
///
/// ```
/// use carrysave_arith::{USUAL_ROUND_TRIP, counted_round_trip};
/// use carrysave_team::Serial;
/// assert_eq!(counted_round_trip(&Serial), USUAL_ROUND_TRIP);
/// ```
pub fn counted_round_trip(team: &dyn Team) -> Duration {
    team.round_trip().max(USUAL_ROUND_TRIP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plans_are_well_formed() {
        for plan in PLANS {
            plan.check().unwrap();
        }
        let steps: Steps<char> = &[(7, 'a'), (9, 'b'), (NEVER, 'c')];
        assert_eq!(
            [0, 7, 8, 9, 10, NEVER].map(|size| choose(steps, size)),
            ['a', 'a', 'b', 'b', 'c', 'c']
        );
    }

    #[test]
    fn what_does_not_work_is_refused() {
        let good = || PLANS[PLANS.len() - 1].clone();
        let bad: &[(Plan, &str)] = &[
            (Plan { radix: 0, ..good() }, "a plan's radix is 1 at least"),
            (
                Plan { mul: &[], ..good() },
                "a plan's mul has an open last step and ascending sizes",
            ),
            (
                Plan {
                    lanes: &[(7, 1)],
                    ..good()
                },
                "a plan's lanes has an open last step and ascending sizes",
            ),
            (
                Plan {
                    lanes: &[(7, 1), (7, 2), (NEVER, 3)],
                    ..good()
                },
                "a plan's lanes has an open last step and ascending sizes",
            ),
            (
                Plan {
                    mul: &[(NEVER, Toom22)],
                    ..good()
                },
                "a plan's mul begins with schoolbook",
            ),
            (
                Plan {
                    sqr: &[(20, Schoolbook), (NEVER, Toom44)],
                    ..good()
                },
                "a plan's sqr has each method from the least size only that it takes",
            ),
            (Plan { bnm1: 8, ..good() }, "a plan's bnm1 is 9 at least"),
            (
                Plan {
                    divide: 1,
                    ..good()
                },
                "a plan's divide is 2 at least",
            ),
            (
                Plan {
                    fixed_window: &[(NEVER, 11)],
                    ..good()
                },
                "a plan's fixed_window has numbers from 1 to 10",
            ),
            (
                Plan {
                    lane_window: &[(NEVER, 6)],
                    ..good()
                },
                "a plan's lane_window has numbers from 4 to 5",
            ),
            (
                Plan {
                    amm: &[(NEVER, "best")],
                    ..good()
                },
                "a plan's amm has kernels of radix52_amm for secrets, which need no more than the plan: not best",
            ),
        ];
        for (plan, message) in bad {
            assert_eq!(plan.check().unwrap_err().to_string(), *message);
        }
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
}
