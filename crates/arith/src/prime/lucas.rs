//! The strong Lucas test.

use crate::modulus::Modulus;
use crate::nat::Nat;
use carrysave_kernels::Limb;
use core::cmp::Ordering;

/// Whether `n` passes the strong Lucas test with Selfridge's parameters (Baillie, Wagstaff 1980; FIPS 186-5, B.3.3).
pub fn strong_lucas_vartime(n: &Modulus) -> bool {
    let Some((d, negative)) = selfridge(n.nat()) else {
        return false;
    };
    // P = 1, Q = (1 - D) / 4
    let residue = |limb: Limb, minus: bool| {
        let r = n.reduce(&Nat::from_limb(limb));
        if minus { n.neg(&r) } else { r }
    };
    let q = if negative {
        residue((1 + d) / 4, false)
    } else {
        residue((d - 1) / 4, true)
    };
    let d = residue(d, negative);

    // n + 1 = m 2^s; U_m, V_m and Q^m by the bits of m from the top.
    let plus_one = n.nat().add_limb(1);
    let s = (0..).take_while(|&i| !plus_one.bit(i)).count();
    let m = plus_one.shr(s);
    let one = n.reduce(&Nat::one());
    let (mut u, mut v, mut q_m) = (one.clone(), one, q.clone());
    for i in (0..m.bits_vartime() - 1).rev() {
        u = n.mul(&u, &v);
        v = n.sub(&n.sqr(&v), &n.add(&q_m, &q_m));
        q_m = n.sqr(&q_m);
        if m.bit(i) {
            (u, v) = (
                halve(n, &n.add(&u, &v)),
                halve(n, &n.add(&n.mul(&d, &u), &v)),
            );
            q_m = n.mul(&q_m, &q);
        }
    }
    if u.is_zero() {
        return true;
    }
    for _ in 0..s {
        if v.is_zero() {
            return true;
        }
        v = n.sub(&n.sqr(&v), &n.add(&q_m, &q_m));
        q_m = n.sqr(&q_m);
    }
    false
}

/// `a / 2 mod n`
fn halve(n: &Modulus, a: &Nat) -> Nat {
    let even = if a.is_odd() {
        a.add(n.nat())
    } else {
        a.clone()
    };
    even.shr(1).truncate(n.width())
}

/// The first D in 5, -7, 9, -11, ... with Jacobi symbol (D/n) = -1, as (|D|, negative); `None` if n is a square or D
/// reveals a factor.
fn selfridge(n: &Nat) -> Option<(Limb, bool)> {
    for (i, d) in (5..).step_by(2).enumerate() {
        let negative = i % 2 == 1;
        match jacobi(d, negative, n) {
            -1 => return Some((d, negative)),
            0 if *n != Nat::from_limb(d) => return None,
            _ => {}
        }
        if i == 8 && is_square(n) {
            return None;
        }
    }
    None
}

/// The Jacobi symbol (±d / n) for odd n.
fn jacobi(d: Limb, negative: bool, n: &Nat) -> i32 {
    // (-1 / n)
    let sign = if negative && n.limbs()[0] % 4 == 3 {
        -1
    } else {
        1
    };
    sign * Nat::from_limb(d).jacobi_vartime(n)
}

/// Whether n is a square: Newton's iteration from above.
fn is_square(n: &Nat) -> bool {
    let mut x = Nat::power_of_two(n.bits_vartime().div_ceil(2));
    loop {
        let y = x
            .add(&n.div_rem_vartime(&x).0.trim_vartime())
            .shr(1)
            .trim_vartime();
        if y.cmp_vartime(&x) != Ordering::Less {
            return x.sqr() == *n;
        }
        x = y;
    }
}
