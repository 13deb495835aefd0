//! Primes.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{Output, number, place};
use crate::threads::{batch, cs_threads};
use carrysave::arith::Nat;
use carrysave::arith::prime::{self, PrimeOptions};
use carrysave::rand_core::CryptoRng;
use carrysave::system_rng;
use carrysave::team::task::{Primitive, Task};
use core::convert::Infallible;
use core::ffi::c_int;

/// Both top bits of a random prime are set, so that a product of two has the full length.
pub const CS_PRIME_TOP_TWO: c_int = 1;
/// A random prime p is a safe prime: (p - 1) / 2 is prime, too. The search takes hundreds of times as long.
pub const CS_PRIME_SAFE: c_int = 2;

/// The longest random prime, in bits.
const MOST_BITS: usize = 32_768;

/// Sets `*result` to 1 if `n` is a prime and to 0 if not: the Baillie-PSW test and `rounds` rounds of Miller-Rabin with
/// random bases. The time depends on the number. 0 rounds are enough unless an opponent has chosen the number. As
/// `mpz_probab_prime_p`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_is_prime(
    n: *const u64,
    n_len: usize,
    rounds: usize,
    result: *mut c_int,
) -> cs_error {
    entry! {
        let (n, result) = (number(n, n_len)?.trim_vartime(), place(result)?);
        let prime = prime::is_prime_vartime(&n) && prime::is_prime(&n, rounds, &mut system_rng());
        result.write(&[prime.into()])
    }
}

/// A random prime of exactly `bits` bits, 17 to 32768, with the operating system's randomness: `r` has as many limbs as
/// `bits` needs. `flags` is 0, `CS_PRIME_TOP_TWO` or `CS_PRIME_SAFE`. The prime may be secret.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_random_prime(r: *mut u64, bits: usize, flags: c_int) -> cs_error {
    entry! {
        cs_random_primes_into(core::ptr::null(), r, bits, flags, 1)
    }
}

/// `count` primes of `cs_random_prime`, one after the other, found on `threads` at once.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_random_primes(
    threads: *const cs_threads,
    r: *mut u64,
    bits: usize,
    flags: c_int,
    count: usize,
) -> cs_error {
    entry! { cs_random_primes_into(threads, r, bits, flags, count) }
}

/// # Safety
/// As the header says of [`cs_random_primes`].
unsafe fn cs_random_primes_into(
    threads: *const cs_threads,
    r: *mut u64,
    bits: usize,
    flags: c_int,
    count: usize,
) -> Outcome {
    let kind = match flags {
        0 => Search::Any,
        CS_PRIME_TOP_TWO => Search::TopTwo,
        CS_PRIME_SAFE => Search::Safe,
        _ => return Err(CS_ERROR_ARGUMENT),
    };
    if !(17..=MOST_BITS).contains(&bits) {
        return Err(CS_ERROR_ARGUMENT);
    }
    let limbs = bits.div_ceil(64);
    let len = limbs.checked_mul(count).ok_or(CS_ERROR_LENGTH)?;
    // SAFETY: as the caller says.
    let (r, batch) = unsafe { (Output::new(r, len)?, batch(threads)?) };
    let search = RandomPrime { kind, bits };
    for (i, prime) in batch.run(&vec![search; count]).into_iter().enumerate() {
        r.part(i * limbs, limbs).number(&prime?)?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Search {
    Any,
    TopTwo,
    Safe,
}

/// A search for a prime, as a task.
#[derive(Clone, Copy)]
struct RandomPrime {
    kind: Search,
    bits: usize,
}

impl Primitive for RandomPrime {
    type Class = ();
    type Input = ();
    type Output = Nat;

    fn class(&self) {}

    fn cost(&self) -> u64 {
        // Some tens of powers.
        32 * (self.bits as u64).pow(3)
    }

    fn run_group<R: CryptoRng + ?Sized>(rng: &mut R, group: &[(&RandomPrime, &())]) -> Vec<Nat> {
        let find = |(search, ()): &(&RandomPrime, &())| {
            let options = PrimeOptions {
                top_two_bits: matches!(search.kind, Search::TopTwo),
                ..PrimeOptions::default()
            };
            let found = match search.kind {
                Search::Safe => prime::random_safe_prime(search.bits, None, rng, &mut || ()),
                _ => prime::random_prime(search.bits, &options, rng, &mut || ()),
            };
            found.expect("nobody stops the search")
        };
        group.iter().map(find).collect()
    }
}

impl Task for RandomPrime {
    type Primitive = RandomPrime;
    type Output = Nat;
    type Error = Infallible;

    fn primitive(&self) -> &RandomPrime {
        self
    }

    fn start<R: CryptoRng + ?Sized>(&self, _: &mut R) -> Result<(), Infallible> {
        Ok(())
    }

    fn finish(&self, prime: Nat) -> Result<Nat, Infallible> {
        Ok(prime)
    }
}
