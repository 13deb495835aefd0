//! What is measured: a row a setting.

use crate::{call, clock::Stopwatch, race::Contender, random_limbs, stats};
use carrysave_arith::{
    Cpu, Limb, Modulus, NEVER, Nat, Plan, Product, USUAL_ROUND_TRIP, choose, counted_round_trip,
    lanes::{self, LANES, ModulusLanes},
};
use carrysave_engine::Threads;
use carrysave_kernels::{
    mb8,
    radix52::{self, IFMA},
};
use carrysave_team::Team;
use std::{fmt, hint::black_box, sync::LazyLock, thread::available_parallelism, time::Instant};

/// What a setting can be set to at a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// The method that begins at a threshold, or the one before.
    From(bool),
    /// A method of multiplication.
    Method(Product),
    /// The width of a window in bits, or how many operations.
    Number(usize),
    /// A kernel.
    Kernel(&'static str),
}
use Choice::{From, Kernel, Method, Number};

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            From(true) => f.write_str("above"),
            From(false) => f.write_str("below"),
            Method(product) => product.fmt(f),
            Number(number) => number.fmt(f),
            Kernel(name) => f.write_str(name),
        }
    }
}

/// Choices by size, each with the last size that it holds for; the last one is open.
pub type Steps = [(usize, Choice)];

/// A setting of a plan that can be measured.
pub struct Setting {
    /// Its name in the plan.
    pub name: &'static str,
    /// The sizes, ascending, in the setting's own unit.
    pub sizes: &'static [usize],
    /// How many bits that unit is.
    pub bits: usize,
    /// Whether it makes a difference on this processor.
    pub applies: fn(Cpu) -> bool,
    /// What its alternatives are compared by.
    pub by: Stopwatch,
    /// What a plan has chosen for a size.
    pub get: fn(&Plan, usize) -> Choice,
    /// Puts choices into a plan, which keeps its own above the sizes that are raced.
    pub set: fn(&mut Plan, &Steps),
    /// Puts what another plan has into a plan.
    pub copy: fn(&mut Plan, &Plan),
    /// What there is to choose from at a size.
    choices: fn(Cpu, &Plan, usize) -> Vec<Choice>,
    /// A plan with a choice at a size, where smaller sizes are done as the steps say.
    with: fn(&Plan, &Steps, usize, Choice) -> Plan,
    /// The work at a size under a plan.
    work: fn(Cpu, &'static Plan, usize, &str) -> Contender<'static>,
}

impl Setting {
    /// Each alternative at a size with its way to do the work, where smaller sizes are done as the steps say.
    pub fn contenders(
        &self,
        cpu: Cpu,
        plan: &Plan,
        so_far: &Steps,
        size: usize,
    ) -> Vec<(Choice, Contender<'static>)> {
        let enter = |choice: Choice| {
            let plan = (self.with)(plan, so_far, size, choice);
            (choice, self.under(cpu, plan, size, &choice.to_string()))
        };
        let choices = (self.choices)(cpu, plan, size);
        choices.into_iter().map(enter).collect()
    }

    /// Whether there is something to choose from at a size: not where an operation has none so long.
    pub fn takes(&self, cpu: Cpu, plan: &Plan, size: usize) -> bool {
        !(self.choices)(cpu, plan, size).is_empty()
    }

    /// The work at a size as a plan does it.
    pub fn under(&self, cpu: Cpu, plan: Plan, size: usize, name: &str) -> Contender<'static> {
        (self.work)(cpu, leak(plan), size, name)
    }

    /// Whether what is chosen for small sizes is part of the work at larger ones.
    pub fn recurs(&self) -> bool {
        ["mul", "sqr", "divide", "bnm1"].contains(&self.name)
    }

    /// The least step from one size to another.
    pub fn grain(&self) -> usize {
        match self.bits {
            1 => Limb::BITS as usize,
            _ => 1,
        }
    }
}

const PRODUCTS: &[usize] = &[
    8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 192, 224, 256, 288, 320,
    384, 448, 512, 640, 768, 896, 1024, 1280,
];
const THRESHOLDS: &[usize] = &[
    12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
];
const QUOTIENTS: &[usize] = &[
    6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160,
];
const EXPONENTS: &[usize] = &[
    8, 16, 32, 64, 128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
];
const DIGITS: &[usize] = &[10, 16, 20, 24, 30, 40, 50, 60, 80, 100, 120, 160];

fn everywhere(_: Cpu) -> bool {
    true
}

fn on_two_cores(_: Cpu) -> bool {
    available_parallelism().is_ok_and(|cores| cores.get() > 1)
}

fn with_ifma(cpu: Cpu) -> bool {
    cpu.has(IFMA)
}

/// Whether there are kernels for numbers over vectors that are not portable: what has IFMA has AVX-512, too.
fn with_rows(cpu: Cpu) -> bool {
    cpu.has(mb8::FMA512)
}

/// Whether there are kernels for transforms that are not portable.
fn with_floats(cpu: Cpu) -> bool {
    cpu.has(mb8::FMA)
}

/// Whether there are kernels for eight numbers at once that are not portable.
fn with_lanes(cpu: Cpu) -> bool {
    cpu.has(mb8::FMA512) || cpu.has(mb8::FMA)
}

macro_rules! threshold {
    ($name:ident, $sizes:expr, $bits:expr, $applies:expr, $work:expr) => {
        threshold!($name, $sizes, $bits, $applies, Stopwatch::Processor, $work)
    };
    ($name:ident, $sizes:expr, $bits:expr, $applies:expr, $by:expr, $work:expr) => {
        Setting {
            name: stringify!($name),
            sizes: $sizes,
            bits: $bits,
            applies: $applies,
            by: $by,
            get: |plan, size| From(size >= plan.$name),
            set: |plan, steps| plan.$name = begins($sizes, steps, plan.$name),
            copy: |plan, from| plan.$name = from.$name,
            choices: |_, _, _| vec![From(false), From(true)],
            with: |plan, _, size, choice| Plan {
                // At this size only, and not for parts of it.
                $name: if choice == From(true) { size } else { NEVER },
                ..plan.clone()
            },
            work: |cpu, plan, size, name| contender(name, $work(cpu, plan, size)),
        }
    };
}

macro_rules! methods {
    ($name:ident, $work:expr) => {
        Setting {
            name: stringify!($name),
            sizes: PRODUCTS,
            bits: Limb::BITS as usize,
            applies: everywhere,
            by: Stopwatch::Processor,
            get: |plan, size| Method(choose(plan.$name, size)),
            set: |plan, steps| plan.$name = open(products(steps), PRODUCTS, plan.$name),
            copy: |plan, from| plan.$name = from.$name,
            choices: |_, _, size| {
                let works = |product: &Product| size >= product.least();
                Product::ALL.into_iter().filter(works).map(Method).collect()
            },
            with: |plan, steps, size, choice| {
                let mut steps = steps.to_vec();
                if let Some(last) = steps.last_mut() {
                    last.0 = size - 1;
                }
                steps.push((NEVER, choice));
                Plan {
                    $name: products(&steps).leak(),
                    ..plan.clone()
                }
            },
            work: |_, plan, size, name| contender(name, $work(plan, size)),
        }
    };
}

macro_rules! numbers {
    ($name:ident, $sizes:expr, $bits:expr, $applies:expr, $numbers:expr, $work:expr) => {
        numbers!(
            $name,
            $sizes,
            $bits,
            $applies,
            Stopwatch::Processor,
            $numbers,
            $work
        )
    };
    ($name:ident, $sizes:expr, $bits:expr, $applies:expr, $by:expr, $numbers:expr, $work:expr) => {
        Setting {
            name: stringify!($name),
            sizes: $sizes,
            bits: $bits,
            applies: $applies,
            by: $by,
            get: |plan, size| Number(choose(plan.$name, size)),
            set: |plan, steps| plan.$name = open(numbers(steps), $sizes, plan.$name),
            copy: |plan, from| plan.$name = from.$name,
            choices: |_, _, size| {
                let fits = |number: &usize| *number == 1 || *number <= size;
                $numbers.filter(fits).map(Number).collect()
            },
            with: |plan, _, _, choice| Plan {
                $name: numbers(&[(NEVER, choice)]).leak(),
                ..plan.clone()
            },
            work: |cpu, plan, size, name| contender(name, $work(cpu, plan, size)),
        }
    };
}

macro_rules! kernels {
    ($name:ident, $applies:expr, $op:expr) => {
        Setting {
            name: stringify!($name),
            sizes: DIGITS,
            bits: mb8::DIGIT_BITS,
            applies: $applies,
            by: Stopwatch::Processor,
            get: |plan, size| Kernel(choose(plan.$name, size)),
            set: |plan, steps| plan.$name = open(names(steps), DIGITS, plan.$name),
            copy: |plan, from| plan.$name = from.$name,
            choices: |cpu, plan, size| match call::Case::new($op.contract, digits(size)) {
                Some(_) => call::constant(&$op, cpu)
                    .filter(|name| plan.takes(&$op, name))
                    .map(Kernel)
                    .collect(),
                None => vec![],
            },
            with: |plan, _, _, choice| Plan {
                $name: names(&[(NEVER, choice)]).leak(),
                ..plan.clone()
            },
            work: |_, plan, size, name| {
                call::kernel(&$op, choose(plan.$name, size), digits(size), name)
            },
        }
    };
}

/// In the order in which they are measured: each relies on those before.
pub static SETTINGS: &[Setting] = &[
    methods!(mul, |plan: &'static Plan, size| {
        let (a, b) = (random(size), random(size));
        Box::new(move || a.mul_with(&b, plan))
    }),
    methods!(sqr, |plan: &'static Plan, size| {
        let a = random(size);
        Box::new(move || a.sqr_with(plan))
    }),
    // By twice as long a number, so that quotients of that size go by its upper half: those as long as the divisor are
    // split into two only, which both go by the whole of it, and that alone saves nothing.
    threshold!(
        divide,
        QUOTIENTS,
        64,
        everywhere,
        |_, plan: &'static Plan, size| {
            let (a, b) = (random(4 * size), random(2 * size));
            Box::new(move || a.div_rem_vartime_with(&b, plan).1)
        }
    ),
    threshold!(barrett, THRESHOLDS, 64, everywhere, |cpu, plan, size| {
        let n = modulus(cpu, plan, size);
        let (a, b) = (residue(&n), residue(&n));
        Box::new(move || n.mul(&a, &b))
    }),
    threshold!(redc_n, THRESHOLDS, 64, everywhere, in_limbs),
    threshold!(
        mclaughlin,
        &[128, 160, 192, 224, 256, 320, 384, 448, 512, 640],
        64,
        with_floats,
        |cpu, plan, size| {
            let n = modulus(cpu, plan, size);
            let (base, exponent) = (residue(&n), random(size.div_ceil(8)));
            Box::new(move || n.pow(&base, &exponent))
        }
    ),
    threshold!(
        bnm1,
        THRESHOLDS,
        64,
        everywhere,
        |cpu, plan: &'static Plan, size| {
            let by_products = Plan {
                redc_n: 1,
                ..plan.clone()
            };
            in_limbs(cpu, leak(by_products), size)
        }
    ),
    kernels!(amm, with_rows, radix52::amm::OP),
    kernels!(amm_x2, with_rows, radix52::amm_x2::OP),
    kernels!(ams, with_rows, radix52::ams::OP),
    kernels!(ams_x2, with_rows, radix52::ams_x2::OP),
    threshold!(
        radix52,
        // Not 512, where limbs have kernels of their own and win: `radix52_alone` is for that.
        &[128, 192, 256, 320, 384, 448, 576],
        1,
        with_rows,
        |cpu, plan: &'static Plan, size| {
            let not_hidden = Plan {
                radix52_alone: 1,
                ..plan.clone()
            };
            power(&modulus(cpu, leak(not_hidden), size / 64), size)
        }
    ),
    threshold!(
        radix52_alone,
        &[128, 192, 256, 320, 384, 448, 512, 576, 640, 768],
        1,
        with_rows,
        |cpu, plan, size| { power(&modulus(cpu, in_radix52(plan), size / 64), size) }
    ),
    threshold!(
        blocks52,
        &[4096, 5120, 6144, 7168, 8192, 10_240, 12_288],
        1,
        with_ifma,
        |cpu, plan, size| { power(&modulus(cpu, in_radix52(plan), size / 64), 512) }
    ),
    numbers!(
        fixed_window,
        EXPONENTS,
        1,
        everywhere,
        1..=8,
        |cpu, plan, size| { power(&modulus(cpu, plan, WIDTH), size) }
    ),
    kernels!(lane_amm, with_lanes, mb8::amm::OP),
    kernels!(lane_amm_select, with_lanes, mb8::amm_select::OP),
    kernels!(lane_ams, with_lanes, mb8::ams::OP),
    numbers!(
        lane_window,
        &[10, 16, 20, 30, 40, 60, 80],
        52,
        with_lanes,
        4..=5,
        |cpu, plan: &'static Plan, size| {
            let n = modulus(cpu, plan.always_in_lanes(), size * 52 / 64);
            let (base, exponent) = (residue(&n), exponent(n.bits()));
            Box::new(move || lanes::pow(&[(&n, &base, &exponent)]).remove(0))
        }
    ),
    // One more than there are lanes is never.
    numbers!(
        lanes,
        &[512, 768, 1024, 1536, 2048, 3072, 4096],
        1,
        with_lanes,
        2..=LANES + 1,
        |cpu, plan, size| {
            let n = modulus(cpu, plan, size / 64);
            let (base, exponent) = (residue(&n), exponent(n.bits()));
            one_to_eight(move |jobs| lanes::pow(&vec![(&n, &base, &exponent); jobs]).remove(0))
        }
    ),
    numbers!(
        lanes_private,
        &[512, 768, 1024, 1536, 2048, 3072, 4096],
        1,
        with_lanes,
        2..=LANES + 1,
        |cpu, plan, size| {
            let [p, q] = [(); 2].map(|()| modulus(cpu, plan, size / 64));
            let (bases, exponent) = ([residue(&p), residue(&q)], exponent(p.bits()));
            one_to_eight(move |jobs| pairs(jobs, [&p, &q], bases.each_ref(), &exponent))
        }
    ),
    numbers!(
        team_block,
        &[64, 128, 192, 256, 384, 512, 768],
        64,
        on_two_cores,
        Stopwatch::Wall,
        [8, 16, 32, 64, 128, 256].into_iter(),
        |cpu, plan: &'static Plan, size| {
            let plan = leak(Plan {
                team_pow: 1,
                blocks52: NEVER,
                mclaughlin: NEVER,
                ..plan.clone()
            });
            power_on(cpu, plan, size)
        }
    ),
    Setting {
        name: "team_pow",
        sizes: THRESHOLDS,
        bits: Limb::BITS as usize,
        applies: on_two_cores,
        by: Stopwatch::Wall,
        get: |plan, size| From(size as f64 >= plan.team_pow as f64 * slowness()),
        set: |plan, steps| {
            let built_in = match plan.team_pow {
                NEVER => NEVER,
                limbs => (limbs as f64 * slowness()) as usize,
            };
            plan.team_pow = match begins(THRESHOLDS, steps, built_in) {
                NEVER => NEVER,
                limbs => (limbs as f64 / slowness()) as usize,
            }
        },
        copy: |plan, from| plan.team_pow = from.team_pow,
        choices: |_, _, _| vec![From(false), From(true)],
        with: |plan, _, _, choice| Plan {
            // However long the round trip of the team that measures.
            team_pow: if choice == From(true) { 1 } else { NEVER },
            ..plan.clone()
        },
        work: |cpu, plan, size, name| contender(name, power_on(cpu, plan, size)),
    },
    threshold!(
        team_mul,
        &[
            64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 6144, 12288
        ],
        64,
        on_two_cores,
        Stopwatch::Wall,
        |_, plan: &'static Plan, size| {
            let (a, b) = (random(size), random(size));
            Box::new(move || a.mul_on_with(&*TEAM, &b, plan))
        }
    ),
];

/// One operation, two, and so on to as many as there are lanes, each as often: what `run` does with so many.
fn one_to_eight(run: impl Fn(usize) -> Nat + 'static) -> Work {
    Box::new(move || {
        (1..LANES).for_each(|jobs| drop(run(jobs)));
        run(LANES)
    })
}

/// So many pairs of powers, as the private operations of RSA have them, in lanes where the plan says so: the first result.
fn pairs(jobs: usize, [p, q]: [&Modulus; 2], bases: [&Nat; 2], exponent: &Nat) -> Nat {
    let bits = p.bits();
    if p.pair_lanes_from().is_none_or(|from| jobs < from) {
        let pair = || {
            p.pow_pair(bases[0], exponent, q, bases[1], exponent, bits)
                .0
        };
        (1..jobs).for_each(|_| drop(black_box(pair())));
        return pair();
    }
    let [p, q] = [p, q].map(|n| ModulusLanes::new(&vec![n; jobs]));
    let form = |n: &ModulusLanes<'_>, base| n.montgomery(&n.load(&vec![base; jobs]));
    let (of_p, of_q) = (form(&p, bases[0]), form(&q, bases[1]));
    let exponents = vec![exponent; jobs];
    let (mut power, _) = p.pow_pair(&of_p, &exponents, &q, &of_q, &exponents, bits);
    p.redc(&mut power);
    p.store(&power).remove(0)
}

/// Two threads, which is what thresholds of teams are for.
static TEAM: LazyLock<Threads> =
    LazyLock::new(|| Threads::new(2).expect("the system starts a thread"));

/// How many times as long as one thread two take for the same work each: 1 where each has a core to itself.
pub(super) fn crowding() -> f64 {
    let one = || {
        black_box((0..1 << 20).fold(1, |x: u64, _| black_box(x.wrapping_mul(x))));
    };
    let time = |run: &dyn Fn()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let both = || TEAM.run(&|_| one());
    let ratios: Vec<f64> = (0..15).map(|_| time(&both) / time(&one)).collect();
    stats::median(&ratios)
}

/// How many times as long numbers must be for this machine's round trip as for the usual one; on a machine so busy that
/// the round trip says nothing, no more than makes the shortest length one limb.
fn slowness() -> f64 {
    let slower = counted_round_trip(&*TEAM).as_secs_f64();
    let slowness = (slower / USUAL_ROUND_TRIP.as_secs_f64()).sqrt();
    slowness.min(THRESHOLDS[0] as f64)
}

/// A power by two threads, to an exponent so long that waking up is no part of it.
fn power_on(cpu: Cpu, plan: &'static Plan, size: usize) -> Work {
    let n = modulus(cpu, plan, size);
    let (base, exponent) = (residue(&n), exponent((16 * size).min(2048)));
    Box::new(move || n.pow_on(&*TEAM, &base, &exponent))
}

/// Limbs of the moduli under which exponents are raced.
const WIDTH: usize = 8;

type Work = Box<dyn FnMut() -> Nat>;

/// A way to do the work.
fn contender(name: &str, mut run: Work) -> Contender<'static> {
    let contender = Contender::checked(name, || (), move |()| run(), |_| Ok(()));
    contender.expect("nothing is checked")
}

/// The bits of numbers of `size` digits, less two that are kept for numbers above a modulus.
fn digits(size: usize) -> usize {
    mb8::DIGIT_BITS * size - 2
}

/// A plan that stays in memory, as contexts want it.
fn leak(plan: Plan) -> &'static Plan {
    Box::leak(Box::new(plan))
}

/// Where a threshold lies: what is above its last size below it. Of sizes that were not raced nothing is known, so that
/// what is built in holds for them: where that begins somewhere, the threshold is not out of reach.
fn begins(sizes: &[usize], steps: &Steps, built_in: usize) -> usize {
    match steps {
        [.., (below, From(false)), (_, From(true))] => below + 1,
        [(_, From(true))] => built_in.min(sizes[0]),
        _ if built_in == NEVER => NEVER,
        _ => built_in.max(sizes[sizes.len() - 1] + 1),
    }
}

/// Choices as they were raced, and, from where what is built in changes above those sizes, that.
fn open<T: Copy + PartialEq>(
    mut raced: Vec<(usize, T)>,
    sizes: &[usize],
    built_in: carrysave_arith::Steps<T>,
) -> carrysave_arith::Steps<T> {
    for pair in built_in.windows(2) {
        let [(from, _), (up_to, choice)] = [pair[0], pair[1]];
        if from >= sizes[sizes.len() - 1] {
            match raced.last_mut() {
                Some((last, before)) if *before == choice => *last = up_to,
                before => {
                    before.into_iter().for_each(|(last, _)| *last = from);
                    raced.push((up_to, choice));
                }
            }
        }
    }
    raced.leak()
}

fn numbers(steps: &Steps) -> Vec<(usize, usize)> {
    let number = |(up_to, choice): &(usize, Choice)| match choice {
        Number(number) => (*up_to, *number),
        _ => unreachable!("the choice is a number"),
    };
    steps.iter().map(number).collect()
}

fn names(steps: &Steps) -> Vec<(usize, &'static str)> {
    let name = |(up_to, choice): &(usize, Choice)| match choice {
        Kernel(name) => (*up_to, *name),
        _ => unreachable!("a kernel has a name"),
    };
    steps.iter().map(name).collect()
}

/// Methods, none of them below its least size.
fn products(steps: &Steps) -> Vec<(usize, Product)> {
    let mut products: Vec<(usize, Product)> = Vec::new();
    for (up_to, choice) in steps {
        let Method(product) = *choice else {
            unreachable!("a product has a method")
        };
        match products.last_mut() {
            Some(before) => before.0 = before.0.max(product.least() - 1),
            None if product != Product::Schoolbook => {
                products.push((product.least() - 1, Product::Schoolbook))
            }
            None => {}
        }
        products.push((*up_to, product));
    }
    products
}

fn random(limbs: usize) -> Nat {
    let mut limbs = random_limbs(limbs);
    if let Some(top) = limbs.last_mut() {
        *top |= 1 << 63;
    }
    Nat::from_limbs(&limbs)
}

fn modulus(cpu: Cpu, plan: &'static Plan, limbs: usize) -> Modulus {
    let mut odd = random(limbs);
    odd.set_bit(0);
    Modulus::with_plan(&odd, cpu, plan).expect("odd, and above 1")
}

fn residue(n: &Modulus) -> Nat {
    n.reduce(&random(n.width()))
}

fn exponent(bits: usize) -> Nat {
    let limbs = random(bits.div_ceil(64));
    limbs.shr(64 * limbs.width() - bits)
}

/// A power by a secret exponent of `bits` bits.
fn power(n: &Modulus, bits: usize) -> Work {
    let (n, base, exponent) = (n.clone(), residue(n), exponent(bits));
    Box::new(move || n.pow(&base, &exponent))
}

/// A plan with radix 2^52 for every modulus, or a race between ways to use it would be one between limbs and limbs.
fn in_radix52(plan: &Plan) -> &'static Plan {
    leak(Plan {
        radix52: 1,
        radix52_up_to: NEVER,
        ..plan.clone()
    })
}

/// A few squarings and products in Montgomery form, in limbs of 64 bits.
fn in_limbs(cpu: Cpu, plan: &'static Plan, size: usize) -> Work {
    let plan = leak(Plan {
        radix52: NEVER,
        ..plan.clone()
    });
    let n = modulus(cpu, plan, size);
    let (base, exponent) = (residue(&n), Nat::from_limb(0x1_0001));
    Box::new(move || n.pow_vartime(&base, &exponent))
}
