//! `carrysave-mpi bench`: one multiplication or power by 1 to all ranks, by the algorithms over messages of a thesis of
//! 2011, and many operations with a key, of which each rank does a part.
//!
//! Rank 0 races them as the laboratory does, and orders the others to take part in each sample. Who has no order sleeps,
//! and leaves its core to those that have one.

mod keyed;

use carrysave::arith::published::mont_mul::{ALGORITHMS, Algorithm};
use carrysave::arith::{Method, Modulus, Nat};
use carrysave::engine::Cores;
use carrysave::kernels::mpn::{MontMul, word::neg_inverse};
use carrysave::kernels::{Cpu, Limb};
use carrysave::team::messages::Comm;
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::io::{Output, Printer};
use carrysave_cli::{batch, interrupt, record, rng};
use carrysave_cluster::farm::Mail;
use carrysave_cluster::{Ranks, World, library, processor};
use carrysave_measure::clock::Stopwatch;
use carrysave_measure::race::{Budget, Contender, Measurement, race};
use carrysave_measure::record::{Head, Row, Size};
use carrysave_measure::{table, thesis};
use keyed::{JOBS, Keyed, Operation};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Every rank has the same operands. What it gives is compared with another way to compute it, and what ranks do parts of, \
    by rank 0. \
    The first line of a race is rank 0 alone, with which the others are compared. Times are those of rank 0 by the wall \
    clock; figures are medians.")]
pub struct Args {
    /// The sizes in bits, separated by commas [default: those of the published tables]
    #[arg(short, long, value_name = "BITS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(64..1 << 20))]
    bits: Option<Vec<u32>>,
    /// How long each race takes
    #[arg(short, long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Only this operation (mont_mul, signed_digit, sign, verify, segmented/decrypt) or implementation (pshs_w32)
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// How many of the ranks take part [default: from 1 to all at sizes asked for and where the tables add cores; 1, 2, 4
    /// ... up to the cores elsewhere]
    #[arg(long, value_parser = ranks)]
    ranks: Option<usize>,
    /// Print one JSON object a line instead of a table
    #[arg(long)]
    json: bool,
    /// Also write a record: the figures as CSV, with the machine, the MPI library and the date
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

fn seconds(text: &str) -> std::result::Result<f64, String> {
    let seconds = text.parse().ok().filter(|s| (0.0..=86_400.0).contains(s));
    seconds.ok_or_else(|| "the seconds of a race are between 0 and 86400".to_owned())
}

fn ranks(text: &str) -> std::result::Result<usize, String> {
    let ranks = text.parse().ok().filter(|&ranks| ranks > 0);
    ranks.ok_or_else(|| "a number of ranks is 1 or more".to_owned())
}

/// Runs the races, if all ranks are ready.
pub fn run(world: &World, ready: Result<()>, args: &Args) -> Result<()> {
    let leads = Mail::rank(world) == 0;
    let all = Mail::size(world);
    let open = || match (&args.record, leads) {
        (Some(path), true) => Output::text(path).map(Some),
        _ => Ok(None),
    };
    let ready = ready.and_then(|()| interrupt::clean_up());
    let ready = ready.and_then(|()| match args.ranks {
        Some(ranks) if ranks > all => Err(Failure::usage(format!(
            "--ranks: there are {all} ranks, and {ranks} are asked for"
        ))),
        _ => open(),
    });
    if least(world.ranks(), ready.is_ok().into()) == 0 {
        return refused(world, ready.err());
    }
    let (head, cores) = head(world);
    let mut bench = Bench {
        world,
        args,
        cores,
        out: Printer::default(),
        rows: vec![],
    };
    if leads && !args.json {
        let _ = writeln!(bench.out, "{}", table::heading());
    }
    bench.races()?;
    if !leads {
        return Ok(());
    }
    if bench.rows.is_empty() {
        let only = args.only.as_deref();
        return Err(Failure::usage(match only.is_some_and(keyed::has) {
            true => "--bits: operations with a key take 1024 to 8192 bits, a multiple of 8",
            false => {
                "--only: no race has such a name: use mont_mul, signed_digit, sign, verify, decrypt or an implementation"
            }
        }));
    }
    if let Ok(Some(file)) = ready {
        record::fill(file, &head, &bench.rows)?;
    }
    bench.out.finish()
}

/// A run on its way.
struct Bench<'a> {
    world: &'a World,
    args: &'a Args,
    /// The cores of all hosts.
    cores: usize,
    out: Printer,
    rows: Vec<Row>,
}

impl Bench<'_> {
    fn races(&mut self) -> Result<()> {
        let asked = |bits: &[u32]| bits.iter().map(|&bits| bits as usize).collect();
        let asked: Option<Vec<usize>> = self.args.bits.as_deref().map(asked);
        let all = Mail::size(self.world);
        let every: Vec<usize> = (1..=all).collect();
        let most = self.cores.min(all);
        let powers = std::iter::successors(Some(1), |ranks| Some(2 * ranks));
        let few: Vec<usize> = powers.take_while(|&ranks| ranks < most).collect();
        let few = [few, vec![most]].concat();
        let (counts, products, powers) = match &asked {
            Some(bits) => (&every, bits.clone(), bits.clone()),
            None => (&few, thesis::products(), thesis::powers()),
        };
        for bits in products {
            self.products(bits, counts)?;
        }
        if self.args.bits.is_none() {
            self.products(thesis::LONG_PRODUCT, &every)?;
        }
        for bits in powers {
            self.powers("signed_digit", bits, bits, counts)?;
        }
        if self.args.bits.is_none() {
            let operation = format!("signed_digit/{}", thesis::EXPONENT);
            self.powers(&operation, thesis::LONG_POWER, thesis::EXPONENT, &every)?;
        }
        let keys = asked.unwrap_or(vec![2048, 4096]);
        for bits in keys.into_iter().filter(|&bits| keyed::takes(bits)) {
            self.keyed(bits, &every)?;
        }
        Ok(())
    }

    /// Montgomery multiplications.
    fn products(&mut self, bits: usize, counts: &[usize]) -> Result<()> {
        const OPERATION: &str = "mont_mul";
        let (ways, by) = ways(self.args.only.as_deref(), OPERATION);
        if ways.is_empty() {
            return Ok(());
        }
        let Operands { n, a, b: x } = Operands::new(self.world.ranks(), bits, bits);
        let r = n.reduce(&Nat::power_of_two(64 * n.width()));
        // Modulo n, a b / R is a x for b = x R.
        let (a, x) = (n.reduce(&a), n.reduce(&x));
        let (b, expected) = (n.mul(&x, &r), n.mul(&a, &x));
        let [a, b, n] = [&a, &b, n.nat()].map(Nat::limbs);
        let n0 = neg_inverse(n[0]);
        let act = |way: usize| -> Act<'_> {
            let mut r = vec![0; n.len()];
            match by[way] {
                By::One(kernel) => {
                    let kernel = MontMul::named_vartime(Cpu::native(), kernel);
                    let kernel = kernel.expect("a way that is there");
                    let mut t = vec![0; 2 * n.len()];
                    Box::new(move |_| {
                        kernel.call(&mut r, a, b, n, n0, &mut t);
                        Some(Nat::from_limbs(&r))
                    })
                }
                By::All(algorithm) => Box::new(move |ranks| {
                    algorithm.call_over(ranks, &mut r, a, b, n, n0);
                    Some(Nat::from_limbs(&r))
                }),
            }
        };
        self.race((OPERATION, bits, 1), counts, &ways, &act, &expected)
    }

    /// Powers by signed digits.
    fn powers(
        &mut self,
        operation: &str,
        bits: usize,
        exponent: usize,
        counts: &[usize],
    ) -> Result<()> {
        let (ways, by) = ways(self.args.only.as_deref(), operation);
        if ways.is_empty() {
            return Ok(());
        }
        let Operands { n, a, b: exponent } = &Operands::new(self.world.ranks(), bits, exponent);
        let base = &n.reduce(a);
        let expected = n.pow_vartime(base, exponent);
        let method = Method::named("signed_digit").expect("a method of that name");
        let act = |way: usize| -> Act<'_> {
            match by[way] {
                By::One(kernel) => {
                    let n = Modulus::with_kernel_vartime(n.nat(), Cpu::native(), kernel);
                    let n = n.expect("a way that is there");
                    Box::new(move |_| Some(n.pow_by(method, base, exponent)))
                }
                By::All(algorithm) => Box::new(move |ranks| {
                    Some(n.pow_over(ranks, algorithm, method, base, exponent))
                }),
            }
        };
        self.race((operation, bits, 1), counts, &ways, &act, &expected)
    }

    /// Many operations with a key.
    fn keyed(&mut self, bits: usize, counts: &[usize]) -> Result<()> {
        let ways = [true, false].map(|alone| Way {
            name: keyed::NAME.to_owned(),
            alone,
        });
        let only = self.args.only.as_deref();
        let wanted = |operation: &Operation| {
            only.is_none_or(|only| Row::is_named(only, operation.name(), keyed::NAME))
        };
        let operations: Vec<_> = Operation::ALL.into_iter().filter(wanted).collect();
        if operations.is_empty() {
            return Ok(());
        }
        let keyed = &Keyed::new(self.world.ranks(), bits);
        for operation in operations {
            let act = |way: usize| -> Act<'_> {
                match way {
                    0 => Box::new(move |_| Some(keyed.alone(operation))),
                    _ => Box::new(move |ranks| keyed.by_parts(ranks, operation)),
                }
            };
            let expected = keyed.expected(operation);
            self.race(
                (operation.name(), bits, JOBS),
                counts,
                &ways,
                &act,
                &expected,
            )?;
        }
        Ok(())
    }

    /// A race for each number of ranks, or for the one that was asked for, of an operation on so many bits, or of several at
    /// once.
    fn race<'a>(
        &mut self,
        (operation, bits, jobs): (&str, usize, usize),
        counts: &[usize],
        ways: &[Way],
        act: &dyn Fn(usize) -> Act<'a>,
        expected: &Nat,
    ) -> Result<()> {
        let asked = self.args.ranks.map(|ranks| vec![ranks]);
        for &ranks in asked.as_deref().unwrap_or(counts) {
            let acts = (0..ways.len()).map(|way| RefCell::new(act(way))).collect();
            let group = self.world.first(ranks);
            let race = Race {
                world: self.world,
                group: group.as_ref(),
                ways,
                acts,
                expected,
                wrong: Cell::new(ways.len()),
            };
            let measured = match Mail::rank(self.world) {
                0 => race.lead(self.args.seconds),
                _ => race.follow(),
            };
            let wrong = least(self.world.ranks(), race.wrong.get());
            if let Some(way) = ways.get(wrong) {
                // All end, as none may wait for the others; rank 0 says why.
                let message = match Mail::rank(self.world) {
                    0 => format!(
                        "{operation}, {bits} bits: {} on {ranks} ranks gives something else",
                        way.name
                    ),
                    _ => String::new(),
                };
                return Err(Failure::new(Code::Failed, message));
            }
            let row = |(measured, way): (&Measurement, &Way)| {
                let ranks = if way.alone { 1 } else { ranks };
                Row::new(thesis::RANKS, operation, Size::Bits(bits), ranks, measured)
            };
            let measured = measured.into_iter().map(|all| all.shared_by(jobs));
            let measured: Vec<Measurement> = measured.collect();
            self.publish(measured.iter().zip(ways).map(row).collect());
        }
        Ok(())
    }

    fn publish(&mut self, rows: Vec<Row>) {
        let lines = match self.args.json {
            true => rows.iter().map(Row::to_json).collect(),
            false => table::lines(&rows),
        };
        // What cannot be printed is kept by the printer.
        lines
            .iter()
            .for_each(|line| drop(writeln!(self.out, "{line}")));
        self.rows.extend(rows);
    }
}

/// One way to compute.
struct Way {
    name: String,
    /// Whether rank 0 computes alone.
    alone: bool,
}

/// Who computes, and how.
#[derive(Clone, Copy)]
enum By {
    /// Rank 0, by a kernel of this name.
    One(&'static str),
    /// All ranks that take part.
    All(&'static Algorithm),
}

/// Computes among these ranks: every rank that has the result gives it.
type Act<'a> = Box<dyn FnMut(&Ranks) -> Option<Nat> + 'a>;

/// The ways of an operation that were asked for: first those of one thread that the thesis compares with.
fn ways(only: Option<&str>, operation: &str) -> (Vec<Way>, Vec<By>) {
    // There are no kernels on 32-bit words where limbs are stored the other way round.
    let there = |kernel: &&str| MontMul::named_vartime(Cpu::native(), kernel).is_some();
    let one = thesis::SEQUENTIAL.into_iter().filter(there).map(By::One);
    let all = ALGORITHMS
        .iter()
        .filter(|algorithm| algorithm.by_messages());
    let way = |by: By| {
        let name = match by {
            By::One(kernel) => kernel,
            By::All(algorithm) => algorithm.name,
        };
        let (name, alone) = (format!("carrysave/{name}"), matches!(by, By::One(_)));
        (Way { name, alone }, by)
    };
    let wanted =
        |(way, _): &(Way, By)| only.is_none_or(|only| Row::is_named(only, operation, &way.name));
    one.chain(all.map(By::All)).map(way).filter(wanted).unzip()
}

/// One race on one rank.
struct Race<'r, 'a> {
    world: &'r World,
    /// Those who take part, where this rank does.
    group: Option<&'r Ranks>,
    ways: &'r [Way],
    acts: Vec<RefCell<Act<'a>>>,
    expected: &'r Nat,
    /// A way whose result, as this rank has seen it, was wrong; the number of ways if there is none.
    wrong: Cell<usize>,
}

impl Race<'_, '_> {
    /// Rank 0's part: races the ways, and has the others take part.
    fn lead(&self, seconds: f64) -> Vec<Measurement> {
        let group = self.group.expect("rank 0 always takes part");
        let sample = |way: usize, times: u64| {
            if !self.ways[way].alone {
                let order = Order { way, times }.encode();
                (1..group.size()).for_each(|rank| self.world.post(rank, &order));
            }
            self.take(group, way, times)
        };
        let contender = |(i, way): (usize, &Way)| {
            let first = sample(i, 1);
            Contender::elsewhere(&way.name, first, move |times| sample(i, times))
        };
        let mut contenders: Vec<Contender<'_>> =
            self.ways.iter().enumerate().map(contender).collect();
        let measured = race(&mut contenders, &Budget::seconds(seconds), Stopwatch::Wall);
        (1..Mail::size(self.world)).for_each(|rank| self.world.post(rank, &[]));
        measured
    }

    /// The part of every other rank: does what rank 0 orders until there is nothing more to do, and has no figures.
    fn follow(&self) -> Vec<Measurement> {
        while let Some(Order { way, times }) = Order::decode(&self.world.wait().1) {
            let group = self.group.expect("only who takes part has orders");
            self.take(group, way, times);
        }
        vec![]
    }

    /// Does a way so many times, and checks the last result. Returns the time, from when all are there.
    fn take(&self, group: &Ranks, way: usize, times: u64) -> Duration {
        let mut act = self.acts[way].borrow_mut();
        if !self.ways[way].alone {
            group.meet();
        }
        let start = Instant::now();
        let mut result = None;
        for _ in 0..times {
            result = black_box(act(group));
        }
        let took = start.elapsed();
        if result.is_some_and(|result| result != *self.expected) {
            self.wrong.set(way);
        }
        took
    }
}

/// What rank 0 has another do: a way, so many times. An empty message ends the race.
struct Order {
    way: usize,
    times: u64,
}

impl Order {
    fn encode(&self) -> [u8; 16] {
        let words = [self.way as u64, self.times].map(u64::to_le_bytes);
        std::array::from_fn(|i| words[i / 8][i % 8])
    }

    fn decode(message: &[u8]) -> Option<Order> {
        let (way, times) = message.split_first_chunk()?;
        let times = u64::from_le_bytes(times.try_into().expect("an order"));
        let way = u64::from_le_bytes(*way) as usize;
        Some(Order { way, times })
    }
}

/// The operands, which all ranks have: an odd modulus, and two numbers, of which the first has an inverse.
struct Operands {
    n: Modulus,
    a: Nat,
    b: Nat,
}

impl Operands {
    /// The operands that rank 0 draws: `n` and `a` of so many bits, and `b`.
    fn new(comm: &Ranks, bits: usize, b_bits: usize) -> Operands {
        let draw = |bits: usize| {
            let mut x = Nat::random_bits(bits, &mut rng());
            x.set_bit(bits - 1);
            x
        };
        let odd = || {
            let mut x = draw(bits);
            x.set_bit(0);
            x
        };
        let share = |bits: usize, x: &dyn Fn() -> Nat| {
            let mut words = vec![0; bits.div_ceil(64)];
            if comm.rank() == 0 {
                let x = x().resize(words.len()).expect("it is not longer");
                words.copy_from_slice(x.limbs());
            }
            comm.broadcast(0, &mut words);
            Nat::from_limbs(&words)
        };
        let n = share(bits, &odd);
        let invertible = || loop {
            let a = draw(bits);
            if a.gcd_vartime(&n).is_one() {
                return a;
            }
        };
        let (a, b) = (share(bits, &invertible), share(b_bits, &|| draw(b_bits)));
        let n = Modulus::new(&n).expect("it is odd");
        Operands { n, a, b }
    }
}

/// The head of a record, and the cores of all hosts, which rank 0 tells the others. A launcher may bind each rank to a core of
/// its own, so that the cores of a host are those of its ranks together: ranks that share cores begin at the same one.
fn head(world: &World) -> (Head, usize) {
    let mut head = Head::here(Cpu::native());
    let first = Cores::here().apart().first().copied().unwrap_or(0);
    let (here, own) = (processor(), batch::cores());
    if Mail::rank(world) > 0 {
        let numbers = [first, own].map(|number| (number as u64).to_le_bytes());
        world.post(0, &[&numbers.concat(), here.as_bytes()].concat());
        return (head, from_leader(world, 0));
    }
    let mut hosts = BTreeMap::from([(here, BTreeMap::from([(first, own)]))]);
    for _ in 1..Mail::size(world) {
        let (_, message) = world.wait();
        let (numbers, name) = message.split_at(16);
        let (numbers, _) = numbers.as_chunks();
        let [first, cores] = [0, 1].map(|i| u64::from_le_bytes(numbers[i]) as usize);
        let host = hosts.entry(String::from_utf8_lossy(name).into_owned());
        host.or_default().insert(first, cores);
    }
    let cores = hosts.values().flat_map(BTreeMap::values).sum();
    head.on_hosts(hosts.len(), cores);
    let said = [("ranks", Mail::size(world).to_string()), ("mpi", library())];
    head.0
        .extend(said.map(|(name, value)| (name.to_owned(), value)));
    (head, from_leader(world, cores))
}

/// Rank 0's number, on all ranks: those that count for themselves would run other races.
fn from_leader(world: &World, number: usize) -> usize {
    let mut word = [number as Limb];
    world.ranks().broadcast(0, &mut word);
    word[0] as usize
}

/// Why the ranks do not begin, which rank 0 reports: its own reason, or that of another.
fn refused(world: &World, own: Option<Failure>) -> Result<()> {
    if Mail::rank(world) > 0 {
        let why = own.map(|own| [&[own.code as u8], own.message.as_bytes()].concat());
        world.post(0, &why.unwrap_or_default());
        return Ok(());
    }
    // All are heard before this rank ends.
    let others: BTreeMap<_, _> = (1..Mail::size(world)).map(|_| world.wait()).collect();
    let other = others.into_iter().find_map(|(rank, why)| {
        let (&status, why) = why.split_first()?;
        let code = Code::of(status).unwrap_or(Code::BadInput);
        let message = format!("rank {rank}: {}", String::from_utf8_lossy(why));
        Some(Failure::new(code, message))
    });
    Err(own.or(other).expect("a rank is not ready"))
}

/// The least of the ranks' numbers; all of them must call this.
fn least(comm: &Ranks, own: usize) -> usize {
    let mut word = [own as Limb];
    if comm.rank() > 0 {
        comm.send(0, &word);
    } else {
        for rank in 1..comm.size() {
            let mut other = [0];
            comm.recv(rank, &mut other);
            word[0] = word[0].min(other[0]);
        }
    }
    comm.broadcast(0, &mut word);
    word[0] as usize
}
