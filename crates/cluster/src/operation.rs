//! One operation over all ranks: the Montgomery multiplications over messages of a thesis of 2011, against one rank.

use carrysave::arith::published::mont_mul::{ALGORITHMS, Algorithm};
use carrysave::arith::{Modulus, Nat};
use carrysave::kernels::Limb;
use carrysave::team::Serial;
use carrysave::team::messages::Comm;
use carrysave_cli::exit::{Code, Failure, Result};
use carrysave_cli::{io, rng};
use carrysave_cluster::World;
use std::fmt::Write;
use std::time::{Duration, Instant};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Every rank has the same operands and gets the result, which is compared with one rank's \
    and with another way to compute it. Times are medians.")]
pub struct Args {
    /// The length of the modulus
    #[arg(long, default_value_t = 16384, value_parser = clap::value_parser!(u32).range(64..1 << 20))]
    bits: u32,
    /// How often each is timed
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Leave the other algorithms out: pshs, pfios_messages, or either with _w32 behind it
    #[arg(long, value_name = "ALGORITHM")]
    only: Option<String>,
}

/// An algorithm for `k` limbs: `r := a * b / 2^(64k) mod n`.
type Multiply<'a> = &'a dyn Fn(&mut [Limb], &[Limb], &[Limb]);

/// Runs one of the commands below, if all ranks are ready.
pub fn run(
    world: &World,
    ready: Result<()>,
    args: &Args,
    command: impl FnOnce(&World, &Args) -> Result<()>,
) -> Result<()> {
    if agreed(world, ready.is_ok()) {
        return command(world, args);
    }
    let other = || Failure::new(Code::BadInput, "another rank cannot follow the plan");
    report(world, ready.err().unwrap_or_else(other))
}

/// `carrysave-mpi montmul`
pub fn montmul(world: &World, args: &Args) -> Result<()> {
    let operands = Operands::new(world, args.bits as usize);
    let Operands { n, a, b, .. } = &operands;
    let expected = n.mul(&n.mul(a, b), &operands.r_inverse);
    let multiply = |multiply: Multiply<'_>| {
        let mut r = vec![0; n.width()];
        multiply(&mut r, a.limbs(), b.limbs());
        Nat::from_limbs(&r)
    };
    compare(world, args, n, &expected, &multiply)
}

/// `carrysave-mpi modexp`
pub fn modexp(world: &World, args: &Args) -> Result<()> {
    let operands = Operands::new(world, args.bits as usize);
    // The exponent has as many bits as the modulus, and about half of them are set.
    let Operands { n, a, b, .. } = &operands;
    let expected = n.pow(a, b);
    let one = n.reduce(&Nat::power_of_two(64 * n.width()));
    let base = n.mul(a, &one);
    let power = |multiply: Multiply<'_>| {
        let (mut x, mut y) = (one.limbs().to_vec(), vec![0; n.width()]);
        for i in (0..b.bits()).rev() {
            multiply(&mut y, &x, &x);
            if b.bit(i) {
                multiply(&mut x, &y, base.limbs());
            } else {
                std::mem::swap(&mut x, &mut y);
            }
        }
        let mut one = vec![0; n.width()];
        one[0] = 1;
        multiply(&mut y, &x, &one);
        Nat::from_limbs(&y)
    };
    compare(world, args, n, &expected, &power)
}

/// The operands, which all ranks have.
struct Operands {
    n: Modulus,
    a: Nat,
    b: Nat,
    /// Of 2^(64k) modulo n.
    r_inverse: Nat,
}

impl Operands {
    /// The operands that rank 0 draws.
    fn new(comm: &dyn Comm, bits: usize) -> Operands {
        let width = bits.div_ceil(64);
        let draw = || {
            let mut x = Nat::random_bits(bits, &mut rng());
            [0, bits - 1].iter().for_each(|&i| x.set_bit(i));
            x
        };
        let share = |x: Option<Nat>| {
            let x = x.and_then(|x| x.resize(width));
            let mut words = x.map_or(vec![0; width], |x| x.limbs().to_vec());
            comm.broadcast(0, &mut words);
            Nat::from_limbs(&words)
        };
        let leads = comm.rank() == 0;
        let n = Modulus::new(&share(leads.then(draw))).expect("it is odd");
        let factor = || n.reduce(&share(leads.then(draw)));
        let (a, b) = (factor(), factor());
        let r = n.reduce(&Nat::power_of_two(64 * width));
        let r_inverse = n.inv_vartime(&r).expect("n is odd");
        Operands { n, a, b, r_inverse }
    }
}

/// Runs each algorithm, alone and over all ranks, checks the results, and prints times.
fn compare(
    world: &World,
    args: &Args,
    n: &Modulus,
    expected: &Nat,
    act: &dyn Fn(Multiply<'_>) -> Nat,
) -> Result<()> {
    let limbs = n.nat().limbs();
    let n0 = (0..6).fold(1, |x: Limb, _| {
        x.wrapping_mul(limbs[0].wrapping_mul(x).wrapping_add(2))
    });
    let chosen = |algorithm: &&Algorithm| {
        algorithm.by_messages()
            && args
                .only
                .as_deref()
                .is_none_or(|name| name == algorithm.name)
    };
    let mut chosen = ALGORITHMS.iter().filter(chosen).peekable();
    if chosen.peek().is_none() {
        return report(
            world,
            Failure::usage("--only: there is no such algorithm over messages"),
        );
    }
    let ranks = Comm::size(world);
    let mut table = format!(
        "{} bits, {ranks} rank{}\n{:20} {:>12} {:>12} {:>8}\n",
        args.bits,
        if ranks == 1 { "" } else { "s" },
        "",
        "1 rank, us",
        "all, us",
        "speedup"
    );
    for algorithm in chosen {
        let alone = || act(&|r, a, b| algorithm.call(&Serial, r, a, b, limbs, n0));
        let all = || act(&|r, a, b| algorithm.call_over(world, r, a, b, limbs, n0));
        // Rank 0 works alone while the others wait for its first message.
        let one = (Comm::rank(world) == 0).then(|| median(args.rounds, expected, &alone));
        let all = median(args.rounds, expected, &all);
        // A rank with a wrong result reports that to rank 0.
        let good = one.is_none_or(|one| one.is_some()) && all.is_some();
        if !agreed(world, good) {
            let message = format!("{} gives something else", algorithm.name);
            return report(world, Failure::new(Code::Failed, message));
        }
        if let (Some(Some(one)), Some(all)) = (one, all) {
            let us = |time: Duration| time.as_secs_f64() * 1e6;
            let (one, all) = (us(one), us(all));
            let _ = writeln!(
                table,
                "{:20} {one:12.1} {all:12.1} {:8.2}",
                algorithm.name,
                one / all
            );
        }
    }
    if Comm::rank(world) > 0 {
        Ok(())
    } else {
        io::print(&table)
    }
}

/// A failure that all ranks know, and that rank 0 reports.
fn report(world: &World, failure: Failure) -> Result<()> {
    if Comm::rank(world) > 0 {
        Ok(())
    } else {
        Err(failure)
    }
}

/// The median time of a computation, or `None` if it gives a wrong result.
fn median(rounds: u32, expected: &Nat, act: &dyn Fn() -> Nat) -> Option<Duration> {
    let mut good = true;
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            let result = act();
            let took = start.elapsed();
            good &= result == *expected;
            took
        })
        .collect();
    times.sort_unstable();
    good.then_some(times[times.len() / 2])
}

/// Whether the condition holds on all ranks; all of them must call this.
fn agreed(comm: &dyn Comm, own: bool) -> bool {
    let mut word = [Limb::from(own)];
    if comm.rank() > 0 {
        comm.send(0, &word);
    } else {
        for rank in 1..comm.size() {
            let mut other = [0];
            comm.recv(rank, &mut other);
            word[0] &= other[0];
        }
    }
    comm.broadcast(0, &mut word);
    word[0] == 1
}
