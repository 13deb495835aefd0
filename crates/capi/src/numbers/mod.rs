//! Long numbers in GMP's layout: arrays of 64-bit limbs, the least significant first. Lengths are in limbs.

pub(crate) mod power;
pub(crate) mod prime;

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{Output, number};
use crate::threads::{cs_threads, team};
use carrysave::arith::{Modulus, Nat, inv_mod, inv_mod_vartime};

/// `r := a b`. `r` has `a_len + b_len` limbs and may be `a` or `b`. Constant time. Long products use `threads`, or the
/// calling thread alone if that is null. As `mpn_mul`, without its conditions.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_mul(
    threads: *const cs_threads,
    r: *mut u64,
    a: *const u64,
    a_len: usize,
    b: *const u64,
    b_len: usize,
) -> cs_error {
    entry! {
        let r_len = a_len.checked_add(b_len).ok_or(CS_ERROR_LENGTH)?;
        let (r, a, b) = (Output::new(r, r_len)?, number(a, a_len)?, number(b, b_len)?);
        product(&r, a.mul_on(team(threads)?, &b))
    }
}

/// `r := a^2`. `r` has `2 a_len` limbs and may be `a`. Constant time. As `mpn_sqr`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_sqr(r: *mut u64, a: *const u64, a_len: usize) -> cs_error {
    entry! {
        let r_len = a_len.checked_mul(2).ok_or(CS_ERROR_LENGTH)?;
        let (r, a) = (Output::new(r, r_len)?, number(a, a_len)?);
        product(&r, a.sqr())
    }
}

/// Writes a product, which is one limb wider than its place if a factor has no limbs.
fn product(r: &Output<u64>, product: Nat) -> Outcome {
    r.write(&product.limbs()[..product.width().min(r.len())])
}

/// `q := floor(a / d)`, `r := a mod d`. `q` has `a_len` limbs, `r` has `d_len`; each may be null if it is not wanted,
/// and may be `a` or `d`; `q` and `r` are apart. `d` may have zeros at its top. The time depends on the numbers. As
/// `mpn_tdiv_qr`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_div(
    q: *mut u64,
    r: *mut u64,
    a: *const u64,
    a_len: usize,
    d: *const u64,
    d_len: usize,
) -> cs_error {
    entry! {
        let (a, d) = (number(a, a_len)?, number(d, d_len)?);
        let place = |at: *mut u64, len| match at.is_null() {
            true => Ok(None),
            false => Output::new(at, len).map(Some),
        };
        let (q, r) = (place(q, a_len)?, place(r, d_len)?);
        if d.is_zero() {
            return Err(CS_ERROR_ZERO);
        }
        let (quotient, remainder) = a.div_rem_vartime(&d);
        q.map_or(Ok(()), |q| q.number(&quotient))?;
        r.map_or(Ok(()), |r| r.number(&remainder))
    }
}

/// `r := a^-1 mod m`, or `CS_ERROR_NO_INVERSE`. `r` has `m_len` limbs and may be an input. Any `m` above 0; modulo 1 the
/// inverse is 0. The time depends on the numbers: for secrets use `cs_invert_sec`. As `mpz_invert`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_invert(
    r: *mut u64,
    a: *const u64,
    a_len: usize,
    m: *const u64,
    m_len: usize,
) -> cs_error {
    entry! {
        let (r, a, m) = (Output::new(r, m_len)?, number(a, a_len)?, number(m, m_len)?);
        if m.is_zero() {
            return Err(CS_ERROR_ZERO);
        }
        if m.is_one() {
            return r.number(&Nat::zero());
        }
        r.number(&inv_mod_vartime(&a, &m).ok_or(CS_ERROR_NO_INVERSE)?)
    }
}

/// `cs_invert` for secrets: the time depends on the lengths, on that of `m` in bits, on whether `m` is 1, even or odd,
/// and on whether there is an inverse. As `mpn_sec_invert`, also with an even `m`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_invert_sec(
    r: *mut u64,
    a: *const u64,
    a_len: usize,
    m: *const u64,
    m_len: usize,
) -> cs_error {
    entry! {
        let (r, a, m) = (Output::new(r, m_len)?, number(a, a_len)?, number(m, m_len)?);
        if m.is_zero() {
            return Err(CS_ERROR_ZERO);
        }
        if m.is_one() {
            return r.number(&Nat::zero());
        }
        if !m.is_odd() && !a.is_odd() {
            return Err(CS_ERROR_NO_INVERSE);
        }
        // `inv_mod` would show whether `a` is below `m`.
        let a = Modulus::new(&m).map_or_else(|| a.rem(&m), |n| n.reduce(&a));
        r.number(&inv_mod(&a, &m).ok_or(CS_ERROR_NO_INVERSE)?)
    }
}
