//! Powers modulo a number: one, and many at once.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{Output, array, input, number};
use crate::threads::{batch, cs_threads, team};
use carrysave::arith::task::{FixedPower, Power};
use carrysave::arith::{Barrett, FixedBase, Modulus, Nat};
use core::ffi::c_int;
use std::sync::Arc;

/// `r := base^exp mod modulus` for public numbers. `r` has `modulus_len` limbs and may be an input. Any `modulus` above
/// 0. The time depends on the exponent: for secret exponents use `cs_powm_sec`. As `mpz_powm`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_powm(
    r: *mut u64,
    base: *const u64,
    base_len: usize,
    exp: *const u64,
    exp_len: usize,
    modulus: *const u64,
    modulus_len: usize,
) -> cs_error {
    entry! {
        let r = Output::new(r, modulus_len)?;
        let (base, exp) = (number(base, base_len)?, number(exp, exp_len)?.trim_vartime());
        let m = number(modulus, modulus_len)?.trim_vartime();
        if m.is_one() {
            return r.number(&Nat::zero());
        }
        match Modulus::new(&m) {
            Some(n) => r.number(&n.pow_vartime(&residue_vartime(&n, &base), &exp)),
            None => r.number(&power(&Barrett::new(&m).ok_or(CS_ERROR_ZERO)?, &base, &exp)),
        }
    }
}

/// A power modulo any number, bit by bit from the left.
fn power(m: &Barrett, base: &Nat, exp: &Nat) -> Nat {
    let (base, mut r) = (m.reduce(base), m.reduce(&Nat::one()));
    for i in (0..exp.bits_vartime()).rev() {
        r = m.sqr(&r);
        if exp.bit(i) {
            r = m.mul(&r, &base);
        }
    }
    r
}

/// `cs_powm` in constant time, for secrets: the time depends on the lengths and on that of the modulus in bits. `modulus` is
/// odd and above 1. A long power uses `threads`, or the calling thread alone if that is null. As `mpz_powm_sec`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_powm_sec(
    threads: *const cs_threads,
    r: *mut u64,
    base: *const u64,
    base_len: usize,
    exp: *const u64,
    exp_len: usize,
    modulus: *const u64,
    modulus_len: usize,
) -> cs_error {
    entry! {
        let r = Output::new(r, modulus_len)?;
        let (base, exp) = (number(base, base_len)?, number(exp, exp_len)?);
        let n = context(&number(modulus, modulus_len)?)?;
        r.number(&n.pow_on(team(threads)?, &n.reduce(&base), &exp))
    }
}

/// Powers of `count` bases to one exponent and one modulus, many at a time: `r[i] := base[i]^exp mod modulus`. `bases`
/// has `base_len` limbs for each base, `r` has `modulus_len` for each power, one after the other, and may be an input.
/// `modulus` is odd and above 1. Bases and exponent may be secret: the time is as for `cs_powm_sec`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_powm_bases(
    threads: *const cs_threads,
    r: *mut u64,
    bases: *const u64,
    base_len: usize,
    count: usize,
    exp: *const u64,
    exp_len: usize,
    modulus: *const u64,
    modulus_len: usize,
) -> cs_error {
    entry! {
        let r = Output::new(r, many(modulus_len, count)?)?;
        let bases = input(bases, many(base_len, count)?)?;
        let (exp, n) = (number(exp, exp_len)?, context(&number(modulus, modulus_len)?)?);
        let base = |i| Nat::from_limbs(&bases[i * base_len..][..base_len]);
        let task = |i| Power::new(n.clone(), n.reduce(&base(i)), exp.clone());
        let tasks: Vec<Power> = (0..count).map(task).collect();
        let powers = batch(threads)?.run(&tasks);
        write(&r, modulus_len, powers.into_iter().map(|power| power.map_err(|_| CS_ERROR_RANGE)))
    }
}

/// Powers of one base to `count` exponents, many at a time: `r[i] := base^exp[i] mod modulus`. `exps` has `exp_len`
/// limbs for each exponent, `r` has `modulus_len` for each power, one after the other, and may be an input. `modulus` is
/// odd and above 1. Base and exponents may be secret: the time is as for `cs_powm_sec`. Where it pays, a table of the base
/// is made first.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_powm_exps(
    threads: *const cs_threads,
    r: *mut u64,
    base: *const u64,
    base_len: usize,
    exps: *const u64,
    exp_len: usize,
    count: usize,
    modulus: *const u64,
    modulus_len: usize,
) -> cs_error {
    entry! {
        let r = Output::new(r, many(modulus_len, count)?)?;
        let exps = input(exps, many(exp_len, count)?)?;
        let (base, n) = (number(base, base_len)?, context(&number(modulus, modulus_len)?)?);
        let base = n.reduce(&base);
        let exp = |i| Nat::from_limbs(&exps[i * exp_len..][..exp_len]);
        let (bits, batch) = (64 * exp_len.max(1), batch(threads)?);
        if count < FixedBase::pays_from(&n, bits) {
            let task = |i| Power::new(n.clone(), base.clone(), exp(i));
            let tasks: Vec<Power> = (0..count).map(task).collect();
            let powers = batch.run(&tasks).into_iter();
            return write(&r, modulus_len, powers.map(|power| power.map_err(|_| CS_ERROR_RANGE)));
        }
        let base = Arc::new(FixedBase::new(&n, &base, bits));
        let task = |i| FixedPower { base: base.clone(), exponent: exp(i) };
        let tasks: Vec<FixedPower> = (0..count).map(task).collect();
        let powers = batch.run(&tasks).into_iter();
        write(&r, modulus_len, powers.map(|power| power.map_err(cs_error::from)))
    }
}

/// A power for `cs_powm_many`.
#[repr(C)]
pub struct cs_power {
    /// The result, of `modulus_len` limbs. It may be an input of this power, and of no other.
    pub r: *mut u64,
    /// The base.
    pub base: *const u64,
    /// Its limbs.
    pub base_len: usize,
    /// The exponent.
    pub exp: *const u64,
    /// Its limbs.
    pub exp_len: usize,
    /// The modulus: odd and above 1. Neighbours with one address share what is computed of it.
    pub modulus: *const u64,
    /// Its limbs.
    pub modulus_len: usize,
    /// Set by the function: a `cs_error`. It is `CS_ERROR_BUG` until the power has its result, and stays so if the call
    /// fails as a whole.
    pub status: c_int,
}

/// `count` powers, each with its own base, exponent and modulus of any length. Those of moduli of equal length run side
/// by side. Bases and exponents may be secret: the time is as for `cs_powm_sec`. Each gets its status; a wrong one does
/// not affect the others. Returns the first status that is not `CS_OK`.
///
/// Threads: any number at once, with different arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_powm_many(
    threads: *const cs_threads,
    powers: *mut cs_power,
    count: usize,
) -> cs_error {
    entry! {
        let powers = array(powers, count)?;
        // No result is claimed before it is there: a panic leaves this.
        powers.iter_mut().for_each(|power| power.status = CS_ERROR_BUG as c_int);
        let batch = batch(threads)?;
        let mut last: Option<(*const u64, usize, Modulus)> = None;
        let mut tasks = Vec::with_capacity(count);
        let mut places = Vec::with_capacity(count);
        for (i, power) in powers.iter_mut().enumerate() {
            let mut task = || -> Outcome<(Output<u64>, Power)> {
                let place = Output::new(power.r, power.modulus_len)?;
                let n = match &last {
                    Some((at, len, n)) if (*at, *len) == (power.modulus, power.modulus_len) => n.clone(),
                    _ => context(&number(power.modulus, power.modulus_len)?)?,
                };
                last = Some((power.modulus, power.modulus_len, n.clone()));
                let base = n.reduce(&number(power.base, power.base_len)?);
                Ok((place, Power::new(n, base, number(power.exp, power.exp_len)?)))
            };
            match task() {
                Ok((place, task)) => {
                    places.push((i, place));
                    tasks.push(task);
                }
                Err(error) => power.status = error as c_int,
            }
        }
        for ((i, place), power) in places.into_iter().zip(batch.run(&tasks)) {
            let written = power.map_err(|_| CS_ERROR_RANGE).and_then(|power| place.number(&power));
            powers[i].status = written.err().unwrap_or(CS_OK) as c_int;
        }
        crate::error::first(powers.iter().map(|power| power.status))
    }
}

/// The context of an odd modulus above 1.
fn context(m: &Nat) -> Outcome<Modulus> {
    Modulus::new(m).ok_or(match m.is_zero() {
        true => CS_ERROR_ZERO,
        false => CS_ERROR_MODULUS,
    })
}

/// A number modulo n, in less time if it is below already.
fn residue_vartime(n: &Modulus, number: &Nat) -> Nat {
    let below = number.resize(n.width()).filter(|number| number.lt(n.nat()));
    below.unwrap_or_else(|| n.reduce(number))
}

/// The limbs of `count` numbers.
fn many(len: usize, count: usize) -> Outcome<usize> {
    len.checked_mul(count).ok_or(CS_ERROR_LENGTH)
}

/// Writes numbers of `len` limbs one after the other.
fn write(r: &Output<u64>, len: usize, numbers: impl Iterator<Item = Outcome<Nat>>) -> Outcome {
    for (i, number) in numbers.enumerate() {
        r.part(i * len, len).number(&number?)?;
    }
    Ok(())
}
