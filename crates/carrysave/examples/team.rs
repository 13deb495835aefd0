//! Raises to a power modulo a number of 16,384 bits, alone and on every core.
//!
//! `cargo run --release -p carrysave --example team`

use carrysave::{
    arith::{Modulus, Nat},
    engine::Threads,
    system_rng,
    team::Serial,
};
use std::{error::Error, thread::available_parallelism, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let bits = 16_384;
    let rng = &mut system_rng();
    let top = Nat::power_of_two(bits - 1);
    let mut n = Nat::random_below(&top, rng).add(&top);
    n.set_bit(0);
    let modulus = Modulus::new(&n).ok_or("an odd number")?;
    let (base, exp) = (Nat::random_below(&n, rng), Nat::random_below(&n, rng));
    let base = modulus.reduce(&base);

    // Whoever wants threads makes them; they wait between operations, and end with the team.
    let threads = available_parallelism()?.get();
    let team = Threads::new(threads)?;
    let start = Instant::now();
    let alone = modulus.pow_on(&Serial, &base, &exp);
    let middle = Instant::now();
    let together = modulus.pow_on(&team, &base, &exp);
    println!(
        "one thread: {:?}, {threads} threads: {:?}",
        middle - start,
        middle.elapsed()
    );
    assert!(alone == together);
    Ok(())
}
