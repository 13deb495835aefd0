//! Elements and their operations.

use super::{
    Field, InLanes, Multiply, Portable, Residue,
    exponent::{Constants, Limbs, bits},
};
use crate::word::{bit, equal, read_le, window, write_le};
use carrysave_kernels::{Limb, fp::MAX_LIMBS, publish};
use core::{
    fmt,
    ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign},
};
use rand_core::CryptoRng;
use zeroize::Zeroize;

/// An element of a prime field; M is the implementation of multiplication.
///
/// ```
/// use carrysave_arith::field::{F127, Fe};
/// let a = Fe::<F127>::from_limb(3);
/// assert_eq!((a + a) * a - a.sqr(), Fe::from_limb(9));
/// ```
///
/// Generic code over M runs with the best implementation:
///
/// ```
/// use carrysave_arith::field::{F25519, Fe, Multiply};
/// fn cube<M: Multiply>(a: Fe<F25519, M>) -> Fe<F25519, M> {
///     a.sqr() * a
/// }
/// let a = Fe::<F25519>::from_limb(10);
/// # #[cfg(target_arch = "x86_64")]
/// if let Some(mulx_adx) = carrysave_arith::field::MulxAdx::new(carrysave_arith::Cpu::native()) {
///     assert_eq!(cube(a.by(mulx_adx)).by(a.multiplier()), cube(a));
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Fe<F: Field, M = Portable> {
    residue: F::Residue,
    m: M,
}

impl<F: Field> Fe<F> {
    /// 0.
    pub fn zero() -> Self {
        Fe {
            residue: F::Residue::ZERO,
            m: Portable,
        }
    }

    /// 1.
    pub fn one() -> Self {
        Fe {
            residue: F::Residue::ONE,
            m: Portable,
        }
    }

    /// A small number, which must be below the prime.
    pub fn from_limb(limb: Limb) -> Self {
        let mut limbs = [0; MAX_LIMBS];
        limbs[0] = limb;
        Fe {
            residue: F::Residue::from_limbs(&limbs),
            m: Portable,
        }
    }

    /// Decodes an element from as many bytes as the prime takes, least significant first; `None` unless the number is
    /// below the prime.
    ///
    /// # Timing
    /// Whether it is an element is made public, nothing else.
    ///
    /// ```
    /// use carrysave_arith::field::{F25519, Fe};
    /// assert!(Fe::<F25519>::from_le_bytes(&[0xff; 32]).is_none());
    /// let a = Fe::<F25519>::from_le_bytes(&[7; 32]).unwrap();
    /// assert_eq!(a.to_le_bytes(), [7; 32]);
    /// ```
    pub fn from_le_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != F::ZERO_BYTES.as_ref().len() {
            return None;
        }
        let mut limbs = [0; MAX_LIMBS];
        read_le(&mut limbs, bytes);
        Fe::from_limbs(limbs)
    }

    /// The residue of a number: the lowest bits of `bytes`, as many as the prime has, least significant byte first.
    ///
    /// # Panics
    /// If there are fewer bytes than the prime takes.
    ///
    /// ```
    /// use carrysave_arith::field::{F25519, Fe};
    /// // 2^255 - 1 = 18, and the highest bit does not count.
    /// assert_eq!(Fe::<F25519>::reduce_le_bytes(&[0xff; 32]), Fe::from_limb(18));
    /// ```
    pub fn reduce_le_bytes(bytes: &[u8]) -> Self {
        let mut limbs = [0; MAX_LIMBS];
        read_le(&mut limbs, &bytes[..F::ZERO_BYTES.as_ref().len()]);
        let whole = F::Residue::BITS / 64;
        if whole < MAX_LIMBS {
            limbs[whole] &= (1 << (F::Residue::BITS % 64)) - 1;
        }
        let residue = F::Residue::from_limbs(&limbs);
        limbs.zeroize();
        Fe {
            residue,
            m: Portable,
        }
    }

    /// The residue of a number of any octets up to 144, least significant first: of a digest that is longer than the prime
    /// (RFC 8032, 5.1.6 and 5.2.6).
    ///
    /// # Panics
    /// If there are more octets.
    ///
    /// # Timing
    /// Depends on the number of octets only.
    ///
    /// ```
    /// use carrysave_arith::{curve::Edwards25519Order, field::Fe};
    /// let mut octets = [0; 64];
    /// octets[63] = 1;
    /// // 2^504
    /// let power = (0..504).fold(Fe::<Edwards25519Order>::one(), |power, _| power + power);
    /// assert_eq!(Fe::reduce_wide(&octets), power);
    /// ```
    pub fn reduce_wide(octets: &[u8]) -> Self {
        // Of parts that are shorter than the prime: whole limbs, where it is longer than one.
        let most = F::Residue::BITS - 1;
        let part = if most < 64 { most } else { most - most % 64 };
        let mut limbs = [0; 2 * MAX_LIMBS];
        assert!(octets.len() <= 8 * limbs.len(), "at most 144 octets");
        read_le(&mut limbs, octets);
        let mut power = [0; MAX_LIMBS];
        power[part / 64] = 1 << (part % 64);
        let power = Fe::below_power(&power);
        let mut residue = Fe::zero();
        for i in (0..(8 * octets.len()).div_ceil(part)).rev() {
            let mut number = [0; MAX_LIMBS];
            for (j, limb) in number[..part.div_ceil(64)].iter_mut().enumerate() {
                *limb = window(&limbs, part * i + 64 * j, (part - 64 * j).min(64));
            }
            residue = residue * power + Fe::below_power(&number);
            number.zeroize();
        }
        limbs.zeroize();
        residue
    }

    /// [`from_le_bytes`](Fe::from_le_bytes) with the most significant byte first.
    ///
    /// # Timing
    /// Whether it is an element is made public, nothing else.
    pub fn from_be_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reversed = F::ZERO_BYTES;
        if bytes.len() != reversed.as_ref().len() {
            return None;
        }
        reversed.as_mut().copy_from_slice(bytes);
        reversed.as_mut().reverse();
        let element = Fe::from_le_bytes(reversed.as_ref());
        reversed.as_mut().zeroize();
        element
    }

    /// The element that is this number below the prime.
    pub(crate) fn from_limbs(mut limbs: Limbs) -> Option<Self> {
        let mut borrow = false;
        for (a, p) in limbs.iter().zip(&F::Residue::MODULUS) {
            (_, borrow) = a.borrowing_sub(*p, borrow);
        }
        let below = publish(borrow.into()) == 1;
        let element = below.then(|| Fe {
            residue: F::Residue::from_limbs(&limbs),
            m: Portable,
        });
        limbs.zeroize();
        element
    }

    /// The residue of a number below the next power of two above the prime; modulo `2^w - c`, of any number that fits
    /// the residue's words.
    pub(crate) fn below_power(limbs: &Limbs) -> Self {
        Fe {
            residue: F::Residue::from_limbs(limbs),
            m: Portable,
        }
    }

    /// The element, which is public from here on: for the check of constant time.
    #[must_use]
    pub fn publish(&self) -> Self {
        Fe::from_form(&self.form().map(publish))
    }

    /// The number below the prime.
    pub(crate) fn to_limbs(self) -> Limbs {
        self.residue.to_limbs()
    }

    /// The internal form in as many limbs as the prime has, for tables: [`from_form`](Fe::from_form) reads it.
    pub(crate) fn form(&self) -> Limbs {
        self.residue.form()
    }

    /// [`form`](Fe::form) for digits in lanes.
    pub(crate) fn digits_form(&self) -> Limbs
    where
        F::Residue: InLanes,
    {
        self.residue.digits_form()
    }

    /// The element with this internal form; zero limbs above may be missing.
    #[inline(always)]
    pub(crate) fn from_form(form: &[Limb]) -> Self {
        let mut limbs = [0; MAX_LIMBS];
        limbs[..form.len()].copy_from_slice(form);
        Fe {
            residue: F::Residue::from_form(&limbs),
            m: Portable,
        }
    }

    /// A uniform element, drawn by rejection.
    ///
    /// # Timing
    /// The number of rejected draws is made public; it is independent of the result.
    pub fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut bytes = F::ZERO_BYTES;
        loop {
            rng.fill_bytes(bytes.as_mut());
            let spare = 8 * bytes.as_ref().len() - F::Residue::BITS;
            let last = bytes.as_mut().last_mut().expect("a prime has bits");
            *last &= u8::MAX >> spare;
            if let Some(element) = Fe::from_le_bytes(bytes.as_ref()) {
                bytes.as_mut().zeroize();
                return element;
            }
        }
    }
}

impl<F: Field, M> Fe<F, M> {
    /// The element with `m` as its multiplication.
    #[inline(always)]
    pub fn by<N: Multiply>(self, m: N) -> Fe<F, N> {
        Fe {
            residue: self.residue,
            m,
        }
    }
}

impl<F: Field, M: Multiply> Fe<F, M> {
    /// The multiplication of this element.
    #[inline(always)]
    pub fn multiplier(&self) -> M {
        self.m
    }

    #[inline(always)]
    fn with(&self, residue: F::Residue) -> Self {
        Fe { residue, m: self.m }
    }

    /// The square.
    #[inline(always)]
    #[must_use]
    pub fn sqr(&self) -> Self {
        self.with(self.m.sqr(&self.residue))
    }

    /// Squares `times` times.
    #[inline]
    #[must_use]
    pub fn sqr_times(&self, times: usize) -> Self {
        (0..times).fold(*self, |a, _| a.sqr())
    }

    /// Half the element modulo the prime.
    ///
    /// ```
    /// use carrysave_arith::field::{F127, Fe};
    /// let a = Fe::<F127>::from_limb(5);
    /// assert_eq!(a.half() + a.half(), a);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn half(&self) -> Self {
        self.with(self.m.half(&self.residue))
    }

    /// The product with a small number.
    #[inline(always)]
    #[must_use]
    pub fn mul_small(&self, limb: u32) -> Self {
        self.with(self.residue.mul_word(limb.into()))
    }

    /// The inverse; 0 for 0. By division steps, their number fixed by the prime's length.
    #[must_use]
    pub fn inv(&self) -> Self {
        let mut limbs = self.residue.to_limbs();
        F::invert(&mut limbs);
        let inverse = self.with(F::Residue::from_limbs(&limbs));
        limbs.zeroize();
        inverse
    }

    /// The power; the exponent's limbs, the lowest first, may be secret.
    ///
    /// # Timing
    /// Depends on the number of limbs of the exponent only.
    ///
    /// ```
    /// use carrysave_arith::field::{F127, Fe};
    /// assert_eq!(Fe::<F127>::from_limb(2).pow(&[127]), Fe::one());
    /// ```
    #[must_use]
    pub fn pow(&self, exponent: &[Limb]) -> Self {
        let one = Fe::<F>::one().by(self.m);
        let mut table = [one; 16];
        for i in 1..16 {
            table[i] = table[i - 1] * *self;
        }
        let mut r = one;
        for limb in exponent.iter().rev() {
            for window in (0..16).rev() {
                r = r.sqr_times(4);
                let digit = limb >> (4 * window) & 15;
                let mut factor = one;
                for (i, power) in table.iter().enumerate() {
                    factor = Fe::select(&factor, power, equal(i as Limb, digit));
                }
                r *= factor;
            }
        }
        table.zeroize();
        r
    }

    /// The power to a public exponent: the run of ones at its top by doubling the run, the rest by windows.
    fn pow_fixed(&self, exponent: &Limbs) -> Self {
        let len = bits(exponent);
        let mut i = len;
        while i > 0 && bit(exponent, i - 1) == 1 {
            i -= 1;
        }
        let ones = len - i;
        if ones == 0 {
            return Fe::<F>::one().by(self.m);
        }
        // r = self^(2^run - 1)
        let (mut r, mut run) = (*self, 1);
        for k in (0..ones.ilog2()).rev() {
            r = r.sqr_times(run) * r;
            run *= 2;
            if ones >> k & 1 == 1 {
                r = r.sqr() * *self;
                run += 1;
            }
        }
        // Odd powers up to the window.
        let window = match i {
            0..=16 => 2,
            17..=80 => 4,
            _ => 5,
        };
        let mut table = [*self; 16];
        let square = self.sqr();
        for k in 1..1 << (window - 1) {
            table[k] = table[k - 1] * square;
        }
        while i > 0 {
            if bit(exponent, i - 1) == 0 {
                r = r.sqr();
                i -= 1;
                continue;
            }
            let mut low = i.saturating_sub(window);
            while bit(exponent, low) == 0 {
                low += 1;
            }
            let digit = (low..i).fold(0, |digit, k| digit | bit(exponent, k) << (k - low));
            r = r.sqr_times(i - low) * table[digit as usize / 2];
            i = low;
        }
        r
    }

    /// The power to `(q - 1) / 2`, where q is the greatest odd divisor of `p - 1`: `(p - 5) / 8` for 2^255 - 19.
    pub(crate) fn pow_half_odd(&self) -> Self {
        self.pow_fixed(&Constants::<F::Residue>::HALF_ODD)
    }

    /// A square root, if there is one (RFC 9380, I.4: Tonelli's and Shanks' method with a fixed number of steps).
    ///
    /// # Timing
    /// Whether there is one is made public, nothing else.
    ///
    /// ```
    /// use carrysave_arith::field::{F128M159, Fe};
    /// let root = Fe::<F128M159>::from_limb(25).sqrt().unwrap();
    /// assert_eq!(root.sqr(), Fe::from_limb(25));
    /// ```
    #[must_use]
    pub fn sqrt(&self) -> Option<Self> {
        let one = Fe::<F>::one().by(self.m);
        let mut z = self.pow_half_odd();
        let mut t = z.sqr() * *self;
        z *= *self;
        if Constants::<F::Residue>::TWOS > 1 {
            let mut c = Fe::<F>::from_limb(Constants::<F::Residue>::NON_RESIDUE)
                .by(self.m)
                .pow_fixed(&Constants::<F::Residue>::ODD);
            for i in (2..=Constants::<F::Residue>::TWOS).rev() {
                // If t has order 2^(i - 1), it is not a square in the remaining subgroup.
                let right = t.sqr_times(i - 2).equals(&one);
                z = Fe::select(&(z * c), &z, right);
                c = c.sqr();
                t = Fe::select(&(t * c), &t, right);
            }
        }
        (publish(z.sqr().equals(self)) == 1).then_some(z)
    }

    /// `a` for 0, `b` for 1.
    #[inline(always)]
    pub fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        a.with(a.m.select(&a.residue, &b.residue, bit))
    }

    /// Swaps them for 1, leaves them for 0.
    #[inline(always)]
    pub fn swap(a: &mut Self, b: &mut Self, bit: Limb) {
        (*a, *b) = (Fe::select(a, b, bit), Fe::select(b, a, bit));
    }

    /// 1 for 0, else 0.
    pub fn zero_bit(&self) -> Limb {
        let limbs = self.residue.to_limbs();
        equal(limbs.iter().fold(0, |all, limb| all | limb), 0)
    }

    /// 1 if they are equal, else 0.
    pub fn equals(&self, other: &Self) -> Limb {
        (*self - *other).zero_bit()
    }

    /// Whether the element is 0.
    pub fn is_zero(&self) -> bool {
        self.zero_bit() == 1
    }

    /// The lowest bit of the number below the prime.
    pub fn is_odd(&self) -> bool {
        self.residue.to_limbs()[0] & 1 == 1
    }

    /// The number below the prime, least significant byte first.
    pub fn to_le_bytes(&self) -> F::Bytes {
        let mut limbs = self.residue.to_limbs();
        let mut bytes = F::ZERO_BYTES;
        write_le(&limbs, bytes.as_mut());
        limbs.zeroize();
        bytes
    }

    /// The number below the prime, most significant byte first.
    pub fn to_be_bytes(&self) -> F::Bytes {
        let mut bytes = self.to_le_bytes();
        bytes.as_mut().reverse();
        bytes
    }
}

/// Replaces every element by its inverse, 0 by 0, at the cost of one inversion and three products each (Montgomery's
/// trick; Montgomery, Math. Comp. 48, 1987).
///
/// ```
/// use carrysave_arith::field::{F127, Fe, invert_batch};
/// let mut a = [2, 0, 5].map(Fe::<F127>::from_limb);
/// invert_batch(&mut a);
/// assert_eq!(a[2] * Fe::from_limb(5), Fe::one());
/// assert!(a[1].is_zero());
/// ```
pub fn invert_batch<F: Field, M: Multiply>(elements: &mut [Fe<F, M>]) {
    let Some(first) = elements.first() else {
        return;
    };
    let one = Fe::<F>::one().by(first.m);
    // Products of all before each, with 1 in place of 0.
    let mut products = Vec::with_capacity(elements.len());
    let mut product = one;
    for a in elements.iter() {
        products.push(product);
        product *= Fe::select(a, &one, a.zero_bit());
    }
    let mut inverse = product.inv();
    for (a, before) in elements.iter_mut().zip(&products).rev() {
        let zero = a.zero_bit();
        let inverted = inverse * *before;
        inverse *= Fe::select(a, &one, zero);
        *a = Fe::select(&inverted, a, zero);
    }
    products.zeroize();
}

macro_rules! operator {
    ($Trait:ident $f:ident, $Assign:ident $assign:ident, |$a:ident, $b:ident| $result:expr) => {
        impl<F: Field, M: Multiply> $Trait for &Fe<F, M> {
            type Output = Fe<F, M>;
            #[inline(always)]
            fn $f(self, other: Self) -> Fe<F, M> {
                let ($a, $b) = (self, other);
                $result
            }
        }

        impl<F: Field, M: Multiply> $Trait for Fe<F, M> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, other: Self) -> Self {
                $Trait::$f(&self, &other)
            }
        }

        impl<F: Field, M: Multiply> $Assign for Fe<F, M> {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = $Trait::$f(*self, other);
            }
        }
    };
}

operator!(Add add, AddAssign add_assign, |a, b| a.with(a.m.add(&a.residue, &b.residue)));
operator!(Sub sub, SubAssign sub_assign, |a, b| a.with(a.m.sub(&a.residue, &b.residue)));
operator!(Mul mul, MulAssign mul_assign, |a, b| a.with(a.m.mul(&a.residue, &b.residue)));

impl<F: Field, M: Multiply> Neg for Fe<F, M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.with(F::Residue::ZERO) - self
    }
}

/// In constant time.
impl<F: Field, M: Multiply> PartialEq for Fe<F, M> {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other) == 1
    }
}

impl<F: Field, M: Multiply> Eq for Fe<F, M> {}

impl<F: Field, M> Zeroize for Fe<F, M> {
    fn zeroize(&mut self) {
        self.residue.wipe();
    }
}

/// Without the value.
impl<F: Field, M> fmt::Debug for Fe<F, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fe({})", F::NAME)
    }
}
