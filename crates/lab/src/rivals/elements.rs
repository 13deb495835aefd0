//! What is done with elements of a prime field: the same loops over everyone's elements, into which their functions are
//! inlined as into a user's.

use super::{Answer, Arithmetic};
use carrysave_arith::field::{Field, InLanes, Visitor, visit_presets};
use num_bigint::BigUint;
use std::fmt;

/// The prime `2^w - c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prime {
    /// Its bits.
    pub w: usize,
    /// What it is below the power of two.
    pub c: u64,
}

impl Prime {
    /// All that race: those of the preset fields.
    pub fn all() -> Vec<Prime> {
        struct Primes(Vec<Prime>);
        impl Visitor for Primes {
            fn visit<F: Field>(&mut self, w: usize, c: u64)
            where
                F::Residue: InLanes,
            {
                self.0.push(Prime { w, c });
            }
        }
        let mut primes = Primes(vec![]);
        visit_presets(&mut primes);
        primes.0
    }

    /// The number.
    pub fn number(self) -> BigUint {
        (BigUint::from(1_u32) << self.w) - self.c
    }

    /// The bytes of an encoded element.
    pub fn bytes(self) -> usize {
        self.w.div_ceil(8)
    }
}

impl fmt::Display for Prime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.c >> 32 {
            0 => write!(f, "2^{}-{}", self.w, self.c),
            _ => write!(f, "2^{}-2^32-{}", self.w, self.c - (1 << 32)),
        }
    }
}

/// What is done with one element a, or with two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// `a b`
    Mul,
    /// `a^2`
    Sqr,
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `1/a + b`: inverses alone would return to where they began.
    Inv,
}

/// A step on all pairs (a, b), each result in place of its a; or one after the other, from the first a on along all b.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The field.
    pub prime: Prime,
    /// The step.
    pub step: Step,
    /// Whether each step takes the result of the one before.
    pub chain: bool,
    /// Elements below the prime, least significant byte first.
    pub a: Vec<Vec<u8>>,
    /// The second operands, as many as the first.
    pub b: Vec<Vec<u8>>,
}

impl Pass {
    /// The pass over elements as an implementation has them.
    pub fn over<E: Element>(&self, decode: impl Fn(&[u8]) -> E) -> Answer<Box<dyn Arithmetic>> {
        let decode = |bytes: &Vec<u8>| decode(bytes);
        Ok(Box::new(Elements {
            pass: self.clone(),
            a: self.a.iter().map(decode).collect(),
            b: self.b.iter().map(decode).collect(),
        }))
    }
}

/// An element of a prime field.
pub trait Element: Clone + 'static {
    /// The product.
    fn mul(&self, other: &Self) -> Self;
    /// The square.
    fn sqr(&self) -> Self;
    /// The sum.
    fn add(&self, other: &Self) -> Self;
    /// The difference.
    fn sub(&self, other: &Self) -> Self;
    /// The inverse.
    fn inv(&self) -> Self;
    /// The number below the prime, least significant byte first, and zeros behind it.
    fn to_le_bytes(&self) -> Vec<u8>;
}

struct Elements<E> {
    pass: Pass,
    a: Vec<E>,
    b: Vec<E>,
}

impl<E: Element> Arithmetic for Elements<E> {
    fn run(&mut self) {
        let (a, b) = (&mut self.a[..], &self.b[..]);
        match (self.pass.step, self.pass.chain) {
            (Step::Mul, false) => each(a, b, E::mul),
            (Step::Mul, true) => chain(a, b, E::mul),
            (Step::Sqr, false) => each(a, b, |a, _| a.sqr()),
            (Step::Sqr, true) => chain(a, b, |a, _| a.sqr()),
            (Step::Add, false) => each(a, b, E::add),
            (Step::Add, true) => chain(a, b, E::add),
            (Step::Sub, false) => each(a, b, E::sub),
            (Step::Sub, true) => chain(a, b, E::sub),
            (Step::Inv, false) => each(a, b, |a, b| a.inv().add(b)),
            (Step::Inv, true) => chain(a, b, |a, b| a.inv().add(b)),
        }
    }

    fn answer(&self) -> Vec<Vec<u8>> {
        let len = self.pass.prime.bytes();
        let encode = |a: &E| a.to_le_bytes()[..len].to_vec();
        self.a.iter().map(encode).collect()
    }
}

/// Every element by itself.
#[inline(always)]
pub(crate) fn each<E>(a: &mut [E], b: &[E], step: impl Fn(&E, &E) -> E) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = step(a, b);
    }
}

/// One after the other.
#[inline(always)]
pub(crate) fn chain<E: Clone>(a: &mut [E], b: &[E], step: impl Fn(&E, &E) -> E) {
    a[0] = b.iter().fold(a[0].clone(), |a, b| step(&a, b));
}
