//! Fields of primes 2^w - c: one element, and many in vector lanes.

use crate::error::{Outcome, cs_error, cs_error::*, entry};
use crate::memory::{Output, changed, free, give, input, object};
use carrysave::arith::field::{
    F127, F127M735, F128M159, F256M189, F25519, Fe, FeBatch, Field, InLanes, Secp256k1Field,
};
use carrysave::arith::{Cpu, off_stack};
use core::any::Any;
use core::ffi::c_int;
use zeroize::Zeroizing;

/// A prime field. An element is a number below the prime, as limbs, the least significant first.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cs_field {
    /// 2^127 - 1: 2 limbs.
    CS_FIELD_127_1 = 1,
    /// 2^127 - 735: 2 limbs.
    CS_FIELD_127_735 = 2,
    /// 2^128 - 159: 2 limbs.
    CS_FIELD_128_159 = 3,
    /// 2^255 - 19: 4 limbs.
    CS_FIELD_255_19 = 4,
    /// 2^256 - 189: 4 limbs.
    CS_FIELD_256_189 = 5,
    /// 2^256 - 2^32 - 977, of secp256k1: 4 limbs.
    CS_FIELD_SECP256K1 = 6,
}

/// Calls a generic function for the field of a code: a row a field.
macro_rules! by_field {
    ($code:expr, $function:ident($($argument:expr),*)) => {
        by_field!(@rows $code, $function($($argument),*)
            CS_FIELD_127_1 F127, CS_FIELD_127_735 F127M735, CS_FIELD_128_159 F128M159,
            CS_FIELD_255_19 F25519, CS_FIELD_256_189 F256M189, CS_FIELD_SECP256K1 Secp256k1Field)
    };
    (@rows $code:expr, $function:ident $arguments:tt $($row:ident $F:ident),*) => {
        match $code {
            $(code if code == cs_field::$row as c_int => by_field!(@call $function $F $arguments),)*
            _ => Err(CS_ERROR_ARGUMENT),
        }
    };
    (@call $function:ident $F:ident ($($argument:expr),*)) => {
        $function::<$F>($($argument),*)
    };
}

/// The limbs of an element; 0 for an unknown field.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn cs_field_limbs(field: c_int) -> usize {
    let size: Outcome<usize> = by_field!(field, limbs());
    size.unwrap_or(0)
}

fn limbs<F: Field>() -> Outcome<usize> {
    Ok(size_of::<F::Bytes>().div_ceil(8))
}

/// Elements from limbs.
fn elements<F: Field>(limbs: &[u64]) -> Outcome<Zeroizing<Vec<Fe<F>>>> {
    let size = self::limbs::<F>()?;
    if !limbs.len().is_multiple_of(size) {
        return Err(CS_ERROR_LENGTH);
    }
    let mut bytes = Zeroizing::new(F::ZERO_BYTES.as_ref().to_vec());
    let mut all = Zeroizing::new(Vec::with_capacity(limbs.len() / size));
    for element in limbs.chunks(size) {
        for (bytes, limb) in bytes.chunks_mut(8).zip(element) {
            bytes.copy_from_slice(&limb.to_le_bytes()[..bytes.len()]);
        }
        all.push(Fe::from_le_bytes(&bytes).ok_or(CS_ERROR_RANGE)?);
    }
    Ok(all)
}

/// Limbs from elements.
fn write<F: Field>(r: &Output<u64>, elements: &[Fe<F>]) -> Outcome {
    let size = limbs::<F>()?;
    if r.len() != size * elements.len() {
        return Err(CS_ERROR_LENGTH);
    }
    let mut all = Zeroizing::new(Vec::with_capacity(r.len()));
    for element in elements {
        let bytes = element.to_le_bytes();
        all.extend(bytes.as_ref().chunks(8).map(|bytes| {
            let mut limb = [0; 8];
            limb[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(limb)
        }));
    }
    r.write(&all)
}

/// An operation on one element or two.
#[derive(Clone, Copy)]
enum Step {
    Add,
    Sub,
    Mul,
    Neg,
    Sqr,
    Inv,
}

/// One element.
fn single<F: Field>(step: Step, r: &Output<u64>, a: &[u64], b: &[u64]) -> Outcome {
    let (a, b) = (elements::<F>(a)?, elements::<F>(b)?);
    let (Some(&a), second) = (a.first(), b.first().copied()) else {
        return Err(CS_ERROR_LENGTH);
    };
    let b = || second.ok_or(CS_ERROR_LENGTH);
    let result = match step {
        Step::Add => a + b()?,
        Step::Sub => a - b()?,
        Step::Mul => a * b()?,
        Step::Neg => -a,
        Step::Sqr => a.sqr(),
        Step::Inv => a.inv(),
    };
    write(r, &[result])
}

/// # Safety
/// As the header says of the functions below.
unsafe fn one(
    field: c_int,
    step: Step,
    r: *mut u64,
    a: *const u64,
    b: Option<*const u64>,
    len: usize,
) -> cs_error {
    entry! {
        if len != cs_field_limbs(field) || len == 0 {
            return Err(if len == 0 || cs_field_limbs(field) > 0 { CS_ERROR_LENGTH } else { CS_ERROR_ARGUMENT });
        }
        let (r, a) = (Output::new(r, len)?, input(a, len)?);
        let b = b.map_or(Ok(&[][..]), |b| input(b, len))?;
        // What it leaves on the stack is overwritten.
        off_stack::<4096, _>(|| by_field!(field, single(step, &r, a, b)))
    }
}

/// `r := a + b`. `len` is `cs_field_limbs`. `r` may be an input. Constant time.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_add(
    field: c_int,
    r: *mut u64,
    a: *const u64,
    b: *const u64,
    len: usize,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { one(field, Step::Add, r, a, Some(b), len) }
}

/// `r := a - b`, as `cs_field_add`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_sub(
    field: c_int,
    r: *mut u64,
    a: *const u64,
    b: *const u64,
    len: usize,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { one(field, Step::Sub, r, a, Some(b), len) }
}

/// `r := a b`, as `cs_field_add`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_mul(
    field: c_int,
    r: *mut u64,
    a: *const u64,
    b: *const u64,
    len: usize,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { one(field, Step::Mul, r, a, Some(b), len) }
}

/// `r := -a`, as `cs_field_add`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_neg(
    field: c_int,
    r: *mut u64,
    a: *const u64,
    len: usize,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { one(field, Step::Neg, r, a, None, len) }
}

/// `r := a^2`, as `cs_field_add`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_sqr(
    field: c_int,
    r: *mut u64,
    a: *const u64,
    len: usize,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { one(field, Step::Sqr, r, a, None, len) }
}

/// `r := a^-1`, or 0 of 0, as `cs_field_add`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_inv(
    field: c_int,
    r: *mut u64,
    a: *const u64,
    len: usize,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { one(field, Step::Inv, r, a, None, len) }
}

/// Elements of a field side by side, eight to a vector where the processor has such. Wiped when it is freed.
///
/// Threads: one at a time a vector that changes; any number may read one as `b`.
pub struct cs_field_vector(Box<dyn Vector>);

/// Elements of any field.
trait Vector: Any + Send + Sync {
    fn step(&mut self, step: Step, other: Option<&dyn Vector>) -> Outcome;
    fn read(&self, r: &Output<u64>) -> Outcome;
    fn copy(&self) -> Box<dyn Vector>;
}

impl<F: Field + Send + Sync> Vector for FeBatch<F>
where
    F::Residue: InLanes,
{
    fn step(&mut self, step: Step, other: Option<&dyn Vector>) -> Outcome {
        let other = other.map(|other| {
            let other: &dyn Any = other;
            other.downcast_ref::<Self>().ok_or(CS_ERROR_ARGUMENT)
        });
        let b = || other.unwrap_or(Err(CS_ERROR_ARGUMENT));
        if other.is_some() && b()?.len() != self.len() {
            return Err(CS_ERROR_LENGTH);
        }
        match step {
            Step::Add => self.add(b()?),
            Step::Sub => self.sub(b()?),
            Step::Mul => self.mul(b()?),
            Step::Neg => self.neg(),
            Step::Sqr => self.sqr(),
            Step::Inv => self.inv(),
        }
        Ok(())
    }

    fn read(&self, r: &Output<u64>) -> Outcome {
        write(r, &Zeroizing::new(self.to_elements()))
    }

    fn copy(&self) -> Box<dyn Vector> {
        Box::new(self.clone())
    }
}

fn of_limbs<F: Field + Send + Sync>(limbs: &[u64]) -> Outcome<cs_field_vector>
where
    F::Residue: InLanes,
{
    let elements = elements::<F>(limbs)?;
    Ok(cs_field_vector(Box::new(FeBatch::<F>::new(
        Cpu::native(),
        &elements,
    ))))
}

/// Makes a vector of elements, one after the other: `len` is their number times `cs_field_limbs`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_new(
    field: c_int,
    elements: *const u64,
    len: usize,
    vector: *mut *mut cs_field_vector,
) -> cs_error {
    entry! {
        give(vector, || {
            let limbs = input(elements, len)?;
            by_field!(field, of_limbs(limbs))
        })
    }
}

/// Writes the elements of a vector, one after the other; `len` is as for `cs_field_vector_new`.
///
/// Threads: any number at once, while nobody changes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_read(
    vector: *const cs_field_vector,
    elements: *mut u64,
    len: usize,
) -> cs_error {
    entry! { object(vector)?.0.read(&Output::new(elements, len)?) }
}

/// # Safety
/// As the header says of the functions below.
unsafe fn side_by_side(
    step: Step,
    a: *mut cs_field_vector,
    b: Option<*const cs_field_vector>,
) -> cs_error {
    entry! {
        let other = match b {
            // A copy, as the vector changes.
            Some(b) if core::ptr::eq(a, b) => Some(object(b)?.0.copy()),
            _ => None,
        };
        let b = match (&other, b) {
            (Some(copy), _) => Some(&**copy),
            (None, Some(b)) => Some(&*object(b)?.0),
            (None, None) => None,
        };
        changed(a)?.0.step(step, b)
    }
}

/// `a := a + b`, element by element. `b` has the field and the length of `a`, and may be `a`. Constant time.
///
/// Threads: one at a time with this `a`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_add(
    a: *mut cs_field_vector,
    b: *const cs_field_vector,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { side_by_side(Step::Add, a, Some(b)) }
}

/// `a := a - b`, as `cs_field_vector_add`.
///
/// Threads: one at a time with this `a`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_sub(
    a: *mut cs_field_vector,
    b: *const cs_field_vector,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { side_by_side(Step::Sub, a, Some(b)) }
}

/// `a := a b`, as `cs_field_vector_add`.
///
/// Threads: one at a time with this `a`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_mul(
    a: *mut cs_field_vector,
    b: *const cs_field_vector,
) -> cs_error {
    // SAFETY: as the header says.
    unsafe { side_by_side(Step::Mul, a, Some(b)) }
}

/// `a := -a`, as `cs_field_vector_add`.
///
/// Threads: one at a time with this `a`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_neg(a: *mut cs_field_vector) -> cs_error {
    // SAFETY: as the header says.
    unsafe { side_by_side(Step::Neg, a, None) }
}

/// `a := a^2`, as `cs_field_vector_add`.
///
/// Threads: one at a time with this `a`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_sqr(a: *mut cs_field_vector) -> cs_error {
    // SAFETY: as the header says.
    unsafe { side_by_side(Step::Sqr, a, None) }
}

/// `a := a^-1`, or 0 of 0, as `cs_field_vector_add`.
///
/// Threads: one at a time with this `a`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_inv(a: *mut cs_field_vector) -> cs_error {
    // SAFETY: as the header says.
    unsafe { side_by_side(Step::Inv, a, None) }
}

/// Wipes and frees a vector; null is nothing.
///
/// Threads: one, the last to use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_field_vector_free(vector: *mut cs_field_vector) {
    // SAFETY: as the header says.
    unsafe { free(vector) }
}
