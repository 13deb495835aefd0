//! Modular inverses and the extended Euclidean algorithm.

use crate::nat::{LIMB_BITS, Nat};
use carrysave_kernels::{Limb, mpn::Mpn};

/// An integer: a magnitude and whether it is negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Whether the number is below zero.
    pub negative: bool,
    /// Its absolute value.
    pub magnitude: Nat,
}

/// `(g, x, y)` with `g = gcd(a, b) = a x + b y`: the extended Euclidean algorithm (Knuth, TAOCP 2, 4.5.2, X).
///
/// ```
/// use carrysave_arith::{Nat, xgcd_vartime};
/// let (g, x, y) = xgcd_vartime(&Nat::from_limb(240), &Nat::from_limb(46));
/// assert_eq!(g, Nat::from_limb(2));
/// // 240 * -9 + 46 * 47 = 2
/// assert!(x.negative && x.magnitude == Nat::from_limb(9));
/// assert!(!y.negative && y.magnitude == Nat::from_limb(47));
/// ```
pub fn xgcd_vartime(a: &Nat, b: &Nat) -> (Nat, Signed, Signed) {
    let (mut r0, mut r1) = (a.clone().trim_vartime(), b.clone().trim_vartime());
    // |x0|, |x1| and |y0|, |y1| grow with alternating signs: the new x's sign is the one that x0 has.
    let (mut x0, mut x1) = (Nat::one(), Nat::zero());
    let (mut y0, mut y1) = (Nat::zero(), Nat::one());
    let mut odd_step = false;
    while !r1.is_zero() {
        let (q, r) = r0.div_rem_vartime(&r1);
        let q = q.trim_vartime();
        let x = x0.add(&q.mul(&x1)).trim_vartime();
        let y = y0.add(&q.mul(&y1)).trim_vartime();
        (r0, r1) = (r1, r.trim_vartime());
        (x0, x1) = (x1, x);
        (y0, y1) = (y1, y);
        odd_step = !odd_step;
    }
    let x = Signed {
        negative: odd_step && !x0.is_zero(),
        magnitude: x0,
    };
    let y = Signed {
        negative: !odd_step && !y0.is_zero(),
        magnitude: y0,
    };
    (r0, x, y)
}

/// `a^-1 mod m`, of the width of `m`, or `None` if `a` has none. Any `m` above 1.
pub fn inv_mod_vartime(a: &Nat, m: &Nat) -> Option<Nat> {
    if m.is_zero() {
        return None;
    }
    let (g, x, _) = xgcd_vartime(&a.div_rem_vartime(m).1, m);
    if !g.is_one() {
        return None;
    }
    let x = if x.negative {
        m.sub(&x.magnitude)?
    } else {
        x.magnitude.clone()
    };
    x.resize(m.width())
}

/// `a^-1 mod m`, of the width of `m`, or `None` if `a` has none.
///
/// Binary extended Euclid with every branch a selection, a number of steps fixed by the width (as BoringSSL's
/// `bn_mod_inverse_consttime` describes it): for secrets, and for even moduli such as lcm(p - 1, q - 1).
///
/// # Panics
/// If `a` and `m` are both even (no inverse exists, and the algorithm would not find that out), or `m` is 0.
///
/// # Timing
/// Depends on the widths; whether `a < m`, and whether an inverse exists, are made public.
///
/// ```
/// use carrysave_arith::{Nat, inv_mod};
/// let d = inv_mod(&Nat::from_limb(17), &Nat::from_limb(3120)).unwrap();
/// assert_eq!(d, Nat::from_limb(2753));
/// ```
pub fn inv_mod(a: &Nat, m: &Nat) -> Option<Nat> {
    assert!(
        m.is_odd() || a.is_odd(),
        "an inverse needs an odd number or an odd modulus"
    );
    if m.is_one() {
        return None;
    }
    let width = m.width();
    let reduced = if a.lt(m) { a.truncate(width) } else { a.rem(m) };
    if !m.is_odd() && !reduced.is_odd() {
        return None;
    }
    let mpn = Mpn::native();
    let mut s = Steps {
        mpn,
        m,
        a: &reduced,
        t: Nat::zeros(width),
    };
    // Invariants: x a - y m = u, z m - w a = v, with x, w < m and y, z <= a.
    let (mut u, mut v) = (reduced.clone(), m.clone());
    let (mut x, mut y) = (Nat::one().truncate(width), Nat::zeros(width));
    let (mut w, mut z) = (Nat::zeros(width), Nat::one().truncate(width));
    let mut d = Nat::zeros(width);
    for _ in 0..2 * width * LIMB_BITS {
        // Both odd: the larger becomes the difference (v when they are equal).
        let both_odd = u.limbs()[0] & v.limbs()[0] & 1;
        let v_below = mpn.sub_n.call(d.limbs_mut(), v.limbs(), u.limbs());
        let (to_v, to_u) = (both_odd & (1 ^ v_below), both_odd & v_below);
        mpn.cnd_select.call_in_place(to_v, v.limbs_mut(), d.limbs());
        s.add_pair(to_v, &mut w, &mut z, &x, &y);
        // When v was replaced, u - v is not needed: its result is not selected.
        mpn.sub_n.call(d.limbs_mut(), u.limbs(), v.limbs());
        mpn.cnd_select.call_in_place(to_u, u.limbs_mut(), d.limbs());
        s.add_pair(to_u, &mut x, &mut y, &w, &z);
        // Exactly one of them is even now. Halve it and its pair.
        let u_even = 1 & !u.limbs()[0];
        s.halve(u_even, &mut u);
        s.halve_pair(u_even, &mut x, &mut y);
        let v_even = 1 & !v.limbs()[0] & !u_even;
        s.halve(v_even, &mut v);
        s.halve_pair(v_even, &mut w, &mut z);
    }
    u.is_one().then_some(x)
}

/// The conditional steps of the binary extended Euclid, over one modulus and one number.
struct Steps<'a> {
    mpn: &'static Mpn,
    m: &'a Nat,
    a: &'a Nat,
    t: Nat,
}

impl Steps<'_> {
    /// `(p, q) += (x, y)`, then `-= (m, a)` if p reached m, all if `c`. With `p a - q m` small, p and q overflow together.
    fn add_pair(&mut self, c: Limb, p: &mut Nat, q: &mut Nat, x: &Nat, y: &Nat) {
        let carry = self
            .mpn
            .cnd_add_n
            .call_in_place(c, p.limbs_mut(), x.limbs());
        self.mpn
            .cnd_add_n
            .call_in_place(c, q.limbs_mut(), y.limbs());
        let below = self
            .mpn
            .sub_n
            .call(self.t.limbs_mut(), p.limbs(), self.m.limbs());
        let over = c & (carry | (1 ^ below));
        self.mpn
            .cnd_select
            .call_in_place(over, p.limbs_mut(), self.t.limbs());
        self.mpn
            .cnd_sub_n
            .call_in_place(over, q.limbs_mut(), self.a.limbs());
    }

    /// `p /= 2` if `c`; p is even then.
    fn halve(&mut self, c: Limb, p: &mut Nat) {
        self.mpn.rshift.call(self.t.limbs_mut(), p.limbs(), 1);
        self.mpn
            .cnd_select
            .call_in_place(c, p.limbs_mut(), self.t.limbs());
    }

    /// `(p, q) /= 2` if `c`, after adding (m, a) where one of them is odd, which makes both even.
    fn halve_pair(&mut self, c: Limb, p: &mut Nat, q: &mut Nat) {
        let odd = c & (p.limbs()[0] | q.limbs()[0]) & 1;
        for (x, addend) in [(p, self.m), (q, self.a)] {
            let carry = self
                .mpn
                .cnd_add_n
                .call_in_place(odd, x.limbs_mut(), addend.limbs());
            self.mpn.rshift.call(self.t.limbs_mut(), x.limbs(), 1);
            let top = self.t.limbs_mut().last_mut().expect("one limb at least");
            *top |= carry << (Limb::BITS - 1);
            self.mpn
                .cnd_select
                .call_in_place(c, x.limbs_mut(), self.t.limbs());
        }
    }
}
