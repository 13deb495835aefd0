//! The settings of a plan, their meanings, and the check that a plan is valid.

use super::product::Product;
use super::steps::{NEVER, Steps};
use super::value::{Found, PlanError, Setting, Text, Value, read, require};
use crate::{Cpu, Isa, Model};
use Product::{Schoolbook, Toom44};
use carrysave_kernels::{
    mb8,
    op::{Op, Timing},
    radix52,
};

macro_rules! plan {
    ($($(#[doc = $doc:literal])* $name:ident: $T:ty,)*) => {
        /// The algorithm, kernel and window for each size: a table measured on one machine.
        ///
        /// A plan changes the time of a result, never the result. It names kernels that [`named`] finds, so all of them
        /// promise constant time. If the processor lacks one, its best kernel takes the place. [`Plan::values`] and
        /// [`Plan::from_values`] serve files of plans.
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
            /// The extensions that it needs.
            pub needs: Isa,
            /// The kinds of processors that it is for; all if it names none.
            pub models: &'static [Model],
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

            /// The contents of a plan's file, as neutral values: name, value and meaning of each setting.
            pub fn values(&self) -> Vec<(&'static str, Value, String)> {
                let machine = "The processor it was measured on.".to_owned();
                let date = "The day it was measured.".to_owned();
                let needs = "The extensions without which it makes no sense.".to_owned();
                vec![
                    ("machine", Text(self.machine).value(), machine),
                    ("date", Text(self.date).value(), date),
                    ("needs", self.needs.value(), needs),
                    $((
                        stringify!($name),
                        Setting::value(&self.$name),
                        [$($doc.trim()),*].join(" "),
                    )),*
                ]
            }

            /// Makes a plan from the settings that `find` finds by name, otherwise unchecked. Texts and steps are
            /// leaked.
            ///
            /// # Errors
            /// If a setting is missing or of the wrong kind.
            ///
            /// ```
            /// use carrysave_arith::{Found, Plan};
            /// let values = Plan::native().values();
            /// let find = |name: &str| {
            ///     let (_, value, _) = values.iter().find(|row| row.0 == name)?;
            ///     Some(Found { value: Some(value.clone()), text: format!("{value:?}") })
            /// };
            /// assert_eq!(Plan::from_values(find).unwrap().values(), values);
            /// assert!(Plan::from_values(|_| None).is_err());
            /// ```
            pub fn from_values(
                mut find: impl FnMut(&'static str) -> Option<Found>,
            ) -> Result<Plan, PlanError> {
                Ok(Plan {
                    machine: read::<Text>("machine", find("machine"))?.0,
                    date: read::<Text>("date", find("date"))?.0,
                    needs: read("needs", find("needs"))?,
                    models: &[],
                    $($name: read(stringify!($name), find(stringify!($name)))?,)*
                })
            }

            fn check_steps(&self) -> Result<(), PlanError> {
                $(Setting::check(&self.$name, stringify!($name))?;)*
                Ok(())
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
    /// Limbs of a modulus from which powers are by transforms of half the length (McLaughlin).
    mclaughlin: usize,
    /// Limbs from which conversion to other radices is recursive.
    radix: usize,
    /// Width of fixed windows by bits of the exponent: least 2^w + bits / w, with room for the scan of the table.
    fixed_window: Steps<usize>,
    /// Teeth of the comb of `FixedBase` by bits of the exponent: 2^teeth entries a block.
    comb_teeth: Steps<usize>,
    /// Blocks of the comb by bits of the exponent: they divide the number of squarings.
    comb_blocks: Steps<usize>,
    /// Bits of a modulus from which powers and products are computed in radix 2^52.
    radix52: usize,
    /// Bits of a modulus up to which they are in radix 2^52.
    radix52_up_to: usize,
    /// Bits of a modulus from which a power that is not interleaved with another is in radix 2^52.
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
    /// Pairs of powers, of which one alone interleaves both, from which a vector lane for each is faster: private
    /// operations of RSA, by bits of a prime.
    lanes_private: Steps<usize>,
    /// Kernel of `mb8_amm` by digits.
    lane_amm: Steps<&'static str>,
    /// Kernel of `mb8_amm_select` by digits.
    lane_amm_select: Steps<&'static str>,
    /// Kernel of `mb8_ams` by digits.
    lane_ams: Steps<&'static str>,
    /// Width of windows in lanes by digits, 4 or 5: the table should stay in the L1 cache.
    lane_window: Steps<usize>,
    /// Digits up to which the powers of RSA-CRT alternate in lanes.
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

impl Plan {
    /// Checks that a processor has the extensions that the plan needs.
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

    /// Checks that every size has a valid choice: kernels that exist, take constant time and need no extensions beyond
    /// the plan's, and methods at or above their least size.
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

    /// Whether an operation has this kernel, in constant time and for every processor of the plan. Rows for other
    /// architectures are missing.
    #[doc(hidden)]
    pub fn takes(&self, op: &Op, kernel: &str) -> bool {
        let row = op.kernels.iter().position(|row| row.0 == kernel);
        row.map_or(cfg!(not(target_arch = "x86_64")), |i| {
            op.timing(i) == Timing::Constant && self.needs.contains(op.kernels[i].1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::saturated;
    use super::*;
    use Product::Toom22;

    #[test]
    fn what_does_not_work_is_refused() {
        let good = || saturated::PLAN;
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
}
