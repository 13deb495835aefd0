//! Compile-time primality tests of moduli.

use crate::word::{self, bit};
use carrysave_kernels::Limb;

/// The words of a residue modulo `2^w - c`.
#[doc(hidden)]
pub const fn words(w: usize, c: u64) -> usize {
    assert!(
        matches!(w, 127 | 128 | 255 | 256),
        "w is 127, 128, 255 or 256"
    );
    assert!(c < 1 << 63 && c % 2 == 1, "c is odd and below 2^63");
    w.div_ceil(64)
}

/// `2^w - c`
#[doc(hidden)]
pub const fn crandall_limbs<const N: usize>(w: usize, c: u64) -> [Limb; N] {
    assert!(N == words(w, c));
    let mut p = [Limb::MAX; N];
    p[N - 1] >>= 64 * N - w;
    // From 2^w - 1: no limb borrows, as c - 1 is below 2^63.
    p[0] -= c - 1;
    p
}

/// Whether a number above 3 is odd and passes the Miller-Rabin test to the bases 2 and 3 (HAC 4.24). All primes pass;
/// composites that pass are too rare to be met by mistake.
#[doc(hidden)]
pub const fn is_probable_prime<const N: usize>(n: &[Limb; N]) -> bool {
    if n[0].is_multiple_of(2) {
        return false;
    }
    let n0 = word::neg_inverse(n[0]);
    let mut one = [0; N]; // 2^(64 N)
    one[0] = 1;
    let mut i = 0;
    while i < 64 * N {
        one = doubled(&one, n);
        i += 1;
    }
    let mut twos = 1;
    while bit(n, twos) == 0 {
        twos += 1;
    }
    passes(false, n, n0, &one, twos) && passes(true, n, n0, &one, twos)
}

/// The test to the base 2, or 3, of a number n with `n - 1 = q 2^twos` and an odd q.
const fn passes<const N: usize>(
    three: bool,
    n: &[Limb; N],
    n0: Limb,
    one: &[Limb; N],
    twos: usize,
) -> bool {
    let mut x = *one;
    let mut i = 64 * N;
    while i > twos {
        i -= 1;
        x = product(&x, &x, n, n0);
        // The lowest bit of n is no bit of n - 1, and is not reached.
        if bit(n, i) == 1 {
            let twice = doubled(&x, n);
            x = if three { sum(&twice, &x, n) } else { twice };
        }
    }
    let minus_one = difference(n, one).0;
    if equal(&x, one) {
        return true;
    }
    while i > 0 {
        if equal(&x, &minus_one) {
            return true;
        }
        x = product(&x, &x, n, n0);
        i -= 1;
    }
    false
}

/// Whether two numbers are equal, for constants.
const fn equal<const N: usize>(a: &[Limb; N], b: &[Limb; N]) -> bool {
    let mut i = 0;
    while i < N {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// `a - b`, and the borrow.
const fn difference<const N: usize>(a: &[Limb; N], b: &[Limb; N]) -> ([Limb; N], bool) {
    let (mut d, mut borrow, mut i) = ([0; N], false, 0);
    while i < N {
        let (x, below) = a[i].overflowing_sub(b[i]);
        let (x, still) = x.overflowing_sub(borrow as Limb);
        (d[i], borrow) = (x, below || still);
        i += 1;
    }
    (d, borrow)
}

/// `top 2^(64 N) + x` modulo n, for a number below 2 n.
const fn reduced<const N: usize>(top: Limb, x: [Limb; N], n: &[Limb; N]) -> [Limb; N] {
    let (less, borrow) = difference(&x, n);
    if top > 0 || !borrow { less } else { x }
}

/// `a + b mod n`
const fn sum<const N: usize>(a: &[Limb; N], b: &[Limb; N], n: &[Limb; N]) -> [Limb; N] {
    let (mut s, mut carry, mut i) = ([0; N], 0, 0);
    while i < N {
        let x = a[i] as u128 + b[i] as u128 + carry as u128;
        (s[i], carry) = (x as Limb, (x >> 64) as Limb);
        i += 1;
    }
    reduced(carry, s, n)
}

const fn doubled<const N: usize>(a: &[Limb; N], n: &[Limb; N]) -> [Limb; N] {
    sum(a, a, n)
}

/// `a b / 2^(64 N) mod n` (CIOS).
const fn product<const N: usize>(
    a: &[Limb; N],
    b: &[Limb; N],
    n: &[Limb; N],
    n0: Limb,
) -> [Limb; N] {
    let (mut t, mut top, mut i) = ([0; N], 0, 0);
    while i < N {
        let (mut carry, mut j) = (0, 0);
        while j < N {
            let x = a[i] as u128 * b[j] as u128 + t[j] as u128 + carry as u128;
            (t[j], carry) = (x as Limb, (x >> 64) as Limb);
            j += 1;
        }
        let above = top as u128 + carry as u128;
        let q = (t[0] as Limb).wrapping_mul(n0);
        carry = ((q as u128 * n[0] as u128 + t[0] as u128) >> 64) as Limb;
        j = 1;
        while j < N {
            let x = q as u128 * n[j] as u128 + t[j] as u128 + carry as u128;
            (t[j - 1], carry) = (x as Limb, (x >> 64) as Limb);
            j += 1;
        }
        let above = above + carry as u128;
        (t[N - 1], top) = (above as Limb, (above >> 64) as Limb);
        i += 1;
    }
    reduced(top, t, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nat, prime::is_prime_vartime};

    #[test]
    fn primes_and_composites() {
        for n in 4..20_000 {
            let expected = is_prime_vartime(&Nat::from_limb(n));
            assert_eq!(is_probable_prime(&[n]), expected, "{n}");
            assert_eq!(is_probable_prime(&[n, 0]), expected, "{n} in two limbs");
        }
        // Strong pseudoprimes to the base 2, and the least one to both.
        for n in [2047, 3277, 4033] {
            assert!(!is_probable_prime(&[n]), "{n}");
        }
        assert!(is_probable_prime(&[1_373_653]));
    }

    #[test]
    fn numbers_below_powers_of_two() {
        for w in [127, 128] {
            for c in (1..500).step_by(2) {
                let limbs = crandall_limbs::<2>(w, c);
                let number = Nat::power_of_two(w).sub_limb(c).expect("it is above");
                assert_eq!(
                    Nat::from_limbs(&limbs).trim_vartime(),
                    number.clone().trim_vartime()
                );
                assert_eq!(
                    is_probable_prime(&limbs),
                    is_prime_vartime(&number),
                    "2^{w} - {c}"
                );
            }
        }
        assert!(is_probable_prime(&crandall_limbs::<4>(255, 19)));
        assert!(!is_probable_prime(&crandall_limbs::<4>(256, 191)));
    }
}
