//! Residues modulo any odd prime, in Montgomery form.

#[cfg(target_arch = "x86_64")]
use super::nist;
use super::{MAX_LIMBS, Residue, Word, word::mask};
use crate::{Limb, mpn::word::neg_inverse};
use core::{fmt, marker::PhantomData};

/// An odd prime of N limbs, the highest of which is not 0.
pub trait Prime<const N: usize>: 'static {
    /// Its limbs, least significant first.
    const P: [Limb; N];
}

/// A residue modulo an odd prime in Montgomery form, `a R mod p` with R = 2^(64N), below p (Montgomery 1985).
pub struct Montgomery<P, const N: usize>([Limb; N], PhantomData<P>);

impl<P, const N: usize> Clone for Montgomery<P, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, const N: usize> Copy for Montgomery<P, N> {}

impl<P, const N: usize> fmt::Debug for Montgomery<P, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Montgomery")
    }
}

/// `x` or `x - p`: that below p, of a number `x + 2^(64N) carry` below 2p.
#[inline(always)]
fn subtract_once<const N: usize>(x: [Limb; N], carry: Limb, p: &[Limb; N]) -> [Limb; N] {
    let (mut y, mut borrow) = ([0; N], false);
    for i in 0..N {
        (y[i], borrow) = Limb::sbb(x[i], p[i], borrow);
    }
    let below = Limb::from(borrow) & (1 ^ carry);
    core::array::from_fn(|i| Limb::select(y[i], x[i], below))
}

/// `a + b mod p`, for a and b below p.
#[inline(always)]
pub(super) fn sum<const N: usize>(a: &[Limb; N], b: &[Limb; N], p: &[Limb; N]) -> [Limb; N] {
    let (mut r, mut carry) = ([0; N], false);
    for i in 0..N {
        (r[i], carry) = a[i].carrying_add(b[i], carry);
    }
    subtract_once(r, carry.into(), p)
}

/// `a b / R mod p`, where n0 is `-p^-1 mod 2^64` (CIOS; Koç, Acar, Kaliski 1996).
#[inline(always)]
pub(super) fn product<const N: usize>(
    a: &[Limb; N],
    b: &[Limb; N],
    p: &[Limb; N],
    n0: Limb,
) -> [Limb; N] {
    let (mut t, mut top) = ([0; N], 0);
    for &b in b {
        let mut carry = 0;
        for (t, &a) in t.iter_mut().zip(a) {
            (*t, carry) = Limb::mac(a, b, *t, carry);
        }
        let (upper, above) = Limb::adc(top, carry, false);
        let q = t[0].wrapping_mul(n0);
        (_, carry) = Limb::mac(q, p[0], t[0], 0);
        for j in 1..N {
            (t[j - 1], carry) = Limb::mac(q, p[j], t[j], carry);
        }
        let last;
        (t[N - 1], last) = Limb::adc(upper, carry, false);
        top = Limb::from(above) + Limb::from(last);
    }
    subtract_once(t, top, p)
}

impl<P: Prime<N>, const N: usize> Montgomery<P, N> {
    /// `-p^-1 mod 2^64`
    const N0: Limb = {
        assert!(P::P[0] % 2 == 1 && P::P[N - 1] > 0 && N <= MAX_LIMBS);
        neg_inverse(P::P[0])
    };

    /// The lowest four limbs of p, and `N0`.
    #[cfg(target_arch = "x86_64")]
    const P_AND_N0: [Limb; 5] = {
        let (mut p, mut i) = ([Self::N0; 5], 0);
        while i < 4 && i < N {
            p[i] = P::P[i];
            i += 1;
        }
        p
    };

    /// `R mod p`
    const R: [Limb; N] = Self::power_of_two(64 * N);

    /// `R^2 mod p`
    const R2: [Limb; N] = Self::power_of_two(128 * N);

    /// Whether it is the prime of P-256.
    #[cfg(target_arch = "x86_64")]
    const IS_P256: bool = nist::is(&P::P, &nist::P256);

    /// Whether it is the prime of P-384.
    #[cfg(target_arch = "x86_64")]
    const IS_P384: bool = nist::is(&P::P, &nist::P384);

    /// By doublings of 1.
    const fn power_of_two(exponent: usize) -> [Limb; N] {
        let (mut x, mut i) = ([0_u64; N], 0);
        x[0] = 1;
        while i < exponent {
            let (mut twice, mut less, mut carry, mut borrow, mut j) = ([0; N], [0; N], 0, 0, 0);
            while j < N {
                (twice[j], carry) = (x[j] << 1 | carry, x[j] >> 63);
                let due = P::P[j] as u128 + borrow as u128;
                less[j] = twice[j].wrapping_sub(due as Limb);
                borrow = ((twice[j] as u128) < due) as Limb;
                j += 1;
            }
            x = if carry == 1 || borrow == 0 {
                less
            } else {
                twice
            };
            i += 1;
        }
        x
    }

    #[inline(always)]
    fn product(a: &[Limb; N], b: &[Limb; N]) -> Self {
        Montgomery(product(a, b, &P::P, Self::N0), PhantomData)
    }

    fn limbs(x: &[Limb; MAX_LIMBS]) -> [Limb; N] {
        core::array::from_fn(|i| x[i])
    }

    /// The residue in N limbs.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn read(limbs: &[Limb]) -> Self {
        Montgomery(core::array::from_fn(|i| limbs[i]), PhantomData)
    }
}

impl<P: Prime<N>, const N: usize> Residue for Montgomery<P, N> {
    const BITS: usize = 64 * N - P::P[N - 1].leading_zeros() as usize;
    const MODULUS: [Limb; MAX_LIMBS] = {
        let (mut p, mut i) = ([0; MAX_LIMBS], 0);
        while i < N {
            p[i] = P::P[i];
            i += 1;
        }
        p
    };

    const ZERO: Self = Montgomery([0; N], PhantomData);
    const ONE: Self = Montgomery(Self::R, PhantomData);

    #[inline]
    fn from_limbs(limbs: &[Limb; MAX_LIMBS]) -> Self {
        Self::product(&Self::limbs(limbs), &Self::R2)
    }

    #[inline]
    fn to_limbs(&self) -> [Limb; MAX_LIMBS] {
        let mut one = [0; N];
        one[0] = 1;
        let mut number = Self::product(&self.0, &one);
        let limbs = number.form();
        number.wipe();
        limbs
    }

    #[inline(always)]
    fn form(&self) -> [Limb; MAX_LIMBS] {
        core::array::from_fn(|i| if i < N { self.0[i] } else { 0 })
    }

    #[inline(always)]
    fn from_form(form: &[Limb; MAX_LIMBS]) -> Self {
        Montgomery(Self::limbs(form), PhantomData)
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if let (Ok(a), Ok(b), Ok(p)) = (
            self.0.as_slice().try_into(),
            other.0.as_slice().try_into(),
            P::P.as_slice().try_into(),
        ) {
            return Self::read(&super::adc::add_4(a, b, p));
        }
        Montgomery(sum(&self.0, &other.0, &P::P), PhantomData)
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let (mut r, mut borrow) = ([0; N], false);
        for i in 0..N {
            (r[i], borrow) = Limb::sbb(self.0[i], other.0[i], borrow);
        }
        let (mut carry, below) = (false, mask(borrow.into()));
        for i in 0..N {
            (r[i], carry) = r[i].carrying_add(P::P[i] & below, carry);
        }
        Montgomery(r, PhantomData)
    }

    #[inline(always)]
    fn half(&self) -> Self {
        let (mut r, mut carry, odd) = ([0; N], false, mask(self.0[0] & 1));
        for i in 0..N {
            (r[i], carry) = self.0[i].carrying_add(P::P[i] & odd, carry);
        }
        let mut above = Limb::from(carry);
        for limb in r.iter_mut().rev() {
            (*limb, above) = (*limb >> 1 | above << 63, *limb);
        }
        Montgomery(r, PhantomData)
    }

    #[inline]
    fn mul(&self, other: &Self) -> Self {
        Self::product(&self.0, &other.0)
    }

    #[inline]
    fn sqr(&self) -> Self {
        Self::product(&self.0, &self.0)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn mul_mulx_adx(&self, other: &Self, proof: super::MulxAdx) -> Self {
        let (a, b) = (&self.0, &other.0);
        let product = if Self::IS_P256 {
            proof.p256_mul(a, b).map(|r| Self::read(&r))
        } else if Self::IS_P384 {
            proof.p384_mul(a, b).map(|r| Self::read(&r))
        } else {
            let product = proof.mont_mul(a, b, &Self::P_AND_N0);
            product.map(|r| Self::read(&r))
        };
        product.unwrap_or_else(|| self.mul(other))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn sqr_mulx_adx(&self, proof: super::MulxAdx) -> Self {
        let square = if Self::IS_P256 {
            proof.p256_sqr(&self.0).map(|r| Self::read(&r))
        } else if Self::IS_P384 {
            proof.p384_sqr(&self.0).map(|r| Self::read(&r))
        } else {
            None
        };
        square.unwrap_or_else(|| self.mul_mulx_adx(self, proof))
    }

    #[inline(always)]
    fn select(a: &Self, b: &Self, bit: Limb) -> Self {
        let mask = mask(bit);
        let r = core::array::from_fn(|i| a.0[i] ^ (a.0[i] ^ b.0[i]) & mask);
        Montgomery(r, PhantomData)
    }
}
