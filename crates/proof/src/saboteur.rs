//! Kernels that are wrong on purpose. A walk that lets one of them pass is worth nothing.
//!
//! Most call a right kernel and spoil what it did, each in one way in which real kernels have been wrong. The file is
//! long because it is one table, of a few rows for every operation.

use carrysave_kernels::{
    Limb, REGISTRY,
    mb8::{DIGIT_BITS, DIGIT_MASK, LANES},
    ntt::{self, PRIMES},
    op::{Op, Raw},
    threefish::{C240, FINAL},
};

/// A right kernel.
type Right<'a> = &'a dyn Fn(&Raw) -> Limb;

/// A wrong kernel.
pub struct Saboteur {
    /// The operation that it pretends to be.
    pub op: &'static str,
    /// What is wrong with it.
    pub fault: &'static str,
    /// Its entry, given a right kernel.
    pub call: fn(&Raw, Right<'_>) -> Limb,
}

impl Saboteur {
    /// The operation that it pretends to be.
    ///
    /// # Panics
    /// If the registry has none of that name.
    pub fn op(&self) -> &'static Op {
        REGISTRY
            .iter()
            .find(|op| op.name == self.op)
            .unwrap_or_else(|| panic!("no operation {}", self.op))
    }

    /// Runs it in place of a kernel.
    pub fn run(&self, x: &Raw) -> Limb {
        let op = self.op();
        // SAFETY: plain Rust needs nothing of the processor; the walk meets the contract.
        (self.call)(x, &|x| unsafe { op.invoke(op.portable(), x) })
    }
}

/// Limb `i` of an operand, really read. Out of bounds where the fault is just that: only for calls in an
/// [`Arena`](crate::contract::Arena).
fn get(x: &Raw, operand: usize, i: usize) -> Limb {
    // SAFETY: the walk's regions go on beyond the operand.
    unsafe { x.p[operand].wrapping_add(i).read_volatile() }
}

/// Byte `i` of an operand at any address, really read, with the same reserve.
fn peek(x: &Raw, operand: usize, i: usize) -> u8 {
    // SAFETY: the walk's regions go on beyond the operand.
    unsafe { x.p[operand].cast::<u8>().wrapping_add(i).read_volatile() }
}

/// Sets limb `i` of an operand, with the same reserve.
fn set(x: &Raw, operand: usize, i: usize, limb: Limb) {
    // SAFETY: the walk's regions go on beyond the operand.
    unsafe { x.p[operand].wrapping_add(i).write_volatile(limb) }
}

/// `r := a + b` or `r := a - b` with the carry of each limb in the hands of `next(limb, a, b, carry in)`.
fn chain(x: &Raw, subtract: bool, next: impl Fn(usize, Limb, Limb, Limb) -> bool) -> Limb {
    (0..x.n).fold(0, |carry, i| {
        let (a, b) = (get(x, 1, i), get(x, 2, i));
        let limb = if subtract {
            a.wrapping_sub(b).wrapping_sub(carry)
        } else {
            a.wrapping_add(b).wrapping_add(carry)
        };
        set(x, 0, i, limb);
        next(i, a, b, carry).into()
    })
}

/// The carry out of `a + b + carry`, and the borrow out of `a - b - carry`.
fn carries(a: Limb, b: Limb, carry: Limb) -> bool {
    u128::from(a) + u128::from(b) + u128::from(carry) > Limb::MAX.into()
}
fn borrows(a: Limb, b: Limb, borrow: Limb) -> bool {
    u128::from(a) < u128::from(b) + u128::from(borrow)
}

/// `a * s + (r)` with the high limb of each step in the hands of `high`.
fn mul_chain(x: &Raw, accumulate: bool, high: impl Fn(usize, u128) -> Limb) -> Limb {
    (0..x.n).fold(0, |carry, i| {
        let r = if accumulate { get(x, 0, i) } else { 0 };
        let sum = u128::from(get(x, 1, i)) * u128::from(x.s) + u128::from(r) + u128::from(carry);
        set(x, 0, i, sum as Limb);
        high(i, sum)
    })
}

/// When the last subtraction of a Montgomery reduction is made, given (carry out, above n, equal to n).
type Last = fn(bool, bool, bool) -> bool;

/// `t / R` modulo n with a wrong last step; `t` has `2n` limbs.
fn reduce(x: &Raw, t: Vec<Limb>, modulus: usize, last: Last) -> Limb {
    reduce_rows(x, t, modulus, usize::MAX, last)
}

/// `t / R` modulo n with a wrong last step, where each row, its carry included, reaches only `reach` limbs far.
fn reduce_rows(x: &Raw, mut t: Vec<Limb>, modulus: usize, reach: usize, last: Last) -> Limb {
    let k = x.n;
    let n: Vec<Limb> = (0..k).map(|i| get(x, modulus, i)).collect();
    t.push(0);
    for i in 0..k {
        let factor = t[i].wrapping_mul(x.s);
        let mut carry = 0;
        for j in 0..reach.min(2 * k - i + 1) {
            let addend = n
                .get(j)
                .map_or(0, |&limb| u128::from(limb) * u128::from(factor));
            let sum = u128::from(t[i + j]) + addend + carry;
            (t[i + j], carry) = (sum as Limb, sum >> 64);
        }
    }
    subtract(x, &t[k..], &n, last)
}

/// The last step: `r := t` or `r := t - n`, where `t` has a limb more than n.
fn subtract(x: &Raw, t: &[Limb], n: &[Limb], last: Last) -> Limb {
    let order = t[..x.n].iter().rev().cmp(n.iter().rev());
    let mut borrow = 0;
    for i in 0..x.n {
        if last(t[x.n] != 0, order.is_gt(), order.is_eq()) {
            set(x, 0, i, t[i].wrapping_sub(n[i]).wrapping_sub(borrow));
            borrow = borrows(t[i], n[i], borrow).into();
        } else {
            set(x, 0, i, t[i]);
        }
    }
    0
}

/// The limbs of an operand of n.
fn limbs(x: &Raw, operand: usize) -> Vec<Limb> {
    (0..x.n).map(|i| get(x, operand, i)).collect()
}

/// `a + b`, a limb longer.
fn sum(x: &Raw) -> Vec<Limb> {
    let (mut sum, mut carry) = (vec![], 0);
    for (a, b) in limbs(x, 1).into_iter().zip(limbs(x, 2)) {
        let total = u128::from(a) + u128::from(b) + carry;
        sum.push(total as Limb);
        carry = total >> 64;
    }
    sum.push(carry as Limb);
    sum
}

/// `a * b / R` modulo n, product and reduction in one loop, with what a column owes to the next in the hands of
/// `delayed`, and what a row leaves above itself in those of `top`.
fn integrated(x: &Raw, delayed: fn(u128) -> u128, top: fn(Limb) -> Limb) -> Limb {
    let [a, b, n] =
        [1, 2, 3].map(|operand| -> Vec<Limb> { (0..x.n).map(|i| get(x, operand, i)).collect() });
    let mut t = vec![0; x.n + 1];
    for b in b {
        let (mut factor, mut owed) = (0, 0);
        for j in 0..x.n {
            let sum =
                u128::from(a[j]) * u128::from(b) + u128::from(t[j]) + u128::from(owed as Limb);
            if j == 0 {
                factor = (sum as Limb).wrapping_mul(x.s);
            }
            let reduced = u128::from(factor) * u128::from(n[j]) + u128::from(sum as Limb);
            t[j.saturating_sub(1)] = reduced as Limb;
            owed = delayed((owed >> 64) + (sum >> 64) + (reduced >> 64));
        }
        owed += u128::from(t[x.n]);
        (t[x.n - 1], t[x.n]) = (owed as Limb, top((owed >> 64) as Limb));
    }
    subtract(x, &t, &n, |carry, above, equal| carry || above || equal)
}

/// The operands' product folded at its middle, but less often than it must be: without the last `lost` carries.
fn folded_without(x: &Raw, lost: usize) -> Limb {
    let n = x.n;
    let t = product(x, 1, 2);
    let mut r: Vec<Limb> = t[..n].to_vec();
    let mut carry = 0;
    for (r, high) in r.iter_mut().zip(&t[n..]) {
        let sum = u128::from(*high) * u128::from(x.s) + u128::from(*r) + carry;
        (*r, carry) = (sum as Limb, sum >> 64);
    }
    let mut addend = carry * u128::from(x.s);
    for _ in lost..2 {
        let mut over = 0;
        for (i, r) in r.iter_mut().enumerate() {
            let word = if i < 2 {
                (addend >> (64 * i)) as Limb
            } else {
                0
            };
            let sum = u128::from(*r) + u128::from(word) + over;
            (*r, over) = (sum as Limb, sum >> 64);
        }
        addend = over * u128::from(x.s);
    }
    for (i, r) in r.into_iter().enumerate() {
        set(x, 0, i, r);
    }
    0
}

/// The product of the operands at these positions.
fn product(x: &Raw, a: usize, b: usize) -> Vec<Limb> {
    let mut t = vec![0; 2 * x.n];
    for i in 0..x.n {
        let mut carry = 0;
        for j in 0..x.n {
            let sum =
                u128::from(get(x, a, i)) * u128::from(get(x, b, j)) + u128::from(t[i + j]) + carry;
            (t[i + j], carry) = (sum as Limb, sum >> 64);
        }
        t[i + x.n] = carry as Limb;
    }
    t
}

/// The place of a digit of a lane.
fn place(digit: usize, lane: usize) -> usize {
    LANES * digit + lane
}

/// Eight almost Montgomery products, modulus and k0 at these positions, with the digits of b (given place and lane) in
/// the hands of `factor`, and what becomes of a quotient digit in those of `quotient`.
fn eight(
    x: &Raw,
    [n, k0]: [usize; 2],
    factor: impl Fn(usize, usize) -> Limb,
    quotient: fn(Limb) -> Limb,
) -> Limb {
    for lane in 0..LANES {
        let digits = |operand| (0..x.n).map(move |i| get(x, operand, place(i, lane)));
        let (a, n): (Vec<Limb>, Vec<Limb>) = (digits(1).collect(), digits(n).collect());
        let b: Vec<Limb> = (0..x.n).map(|i| factor(i, lane)).collect();
        let mut t = vec![0; x.n];
        for b in b {
            let lowest = a[0].wrapping_mul(b).wrapping_add(t[0]);
            let q = quotient(lowest.wrapping_mul(get(x, k0, lane)) & DIGIT_MASK);
            let mut carry = 0;
            for j in 0..x.n {
                let sum = u128::from(a[j]) * u128::from(b) + u128::from(t[j]);
                let sum = sum + u128::from(q) * u128::from(n[j]) + carry;
                t[j.saturating_sub(1)] = sum as Limb & DIGIT_MASK;
                carry = sum >> DIGIT_BITS;
            }
            t[x.n - 1] = carry as Limb;
        }
        (0..x.n).for_each(|i| set(x, 0, place(i, lane), t[i]));
    }
    0
}

/// The digit of a table's entry, as `factor` wants it, with the index of a lane in the hands of `index`.
fn entry(x: &Raw, index: impl Fn(usize) -> usize) -> impl Fn(usize, usize) -> Limb {
    let index: Vec<usize> = (0..LANES).map(index).collect();
    move |i, lane| get(x, 2, place(x.m * i + index[lane], lane))
}

/// The call `x` for blocks from i on only, `count` of them if there are as many; `of` are the operands of blocks.
fn part(x: &Raw, of: &[usize], i: usize, count: usize) -> Raw {
    let mut part = Raw {
        n: count.min(x.n - i),
        ..*x
    };
    for &operand in of {
        part.p[operand] = x.p[operand].wrapping_add(i * x.m);
    }
    part
}

macro_rules! saboteurs {
    ($($(#[$doc:meta])* $list:ident: [$($op:literal, $fault:literal, |$x:ident, $right:ident| $body:expr;)*];)*) => {$(
        $(#[$doc])*
        pub static $list: &[Saboteur] = &[$(Saboteur { op: $op, fault: $fault, call: |$x, $right| $body }),*];
    )*};
}

saboteurs! {
    /// Faults that show in what is written or returned.
    VISIBLE: [
        "mpn_add_n", "loses a ripple through an all-ones limb", |x, _r| chain(x, false, |_, a, b, _| carries(a, b, 0));
        "mpn_add_n", "loses the top carry", |x, right| { right(x); 0 };
        "mpn_add_n", "drops the carry after 4 limbs", |x, _r| chain(x, false, |i, a, b, c| i % 4 != 3 && carries(a, b, c));
        "mpn_add_n", "drops the carry after 8 limbs", |x, _r| chain(x, false, |i, a, b, c| i % 8 != 7 && carries(a, b, c));
        "mpn_add_n", "drops the carry after 32 limbs", |x, _r| chain(x, false, |i, a, b, c| i != 31 && carries(a, b, c));
        "mpn_add_n", "takes carry and a = 2^64 - 1 for no carry",
            |x, _r| chain(x, false, |_, a, b, c| carries(a, b, c) && !(a == Limb::MAX && c == 1));
        "mpn_add_n", "is one limb short", |x, right| right(&Raw { n: x.n.max(2) - 1, ..*x });
        "mpn_add_n", "writes one limb past the end", |x, right| { let c = right(x); set(x, 0, x.n, c); c };
        "mpn_add_n", "writes one limb before the start", |x, right| { set(x, 0, usize::MAX, 0); right(x) };
        "mpn_add_n", "leaves a limb of its input changed", |x, right| {
            let c = right(x);
            if x.p[0] != x.p[1] { set(x, 1, x.n - 1, c); }
            c
        };
        "mpn_add_n", "is wrong in place (r = a)", |x, right| {
            if x.p[0] == x.p[1] { set(x, 1, x.n / 2, 0); }
            right(x)
        };
        "mpn_add_n", "is wrong in place (r = b)", |x, right| {
            if x.p[0] == x.p[2] { set(x, 2, x.n / 2, 0); }
            right(x)
        };
        "mpn_add_n", "is wrong when a = b are the same memory", |x, right| right(x) ^ Limb::from(x.p[1] == x.p[2]);
        "mpn_add_n", "skips a tail of 3 limbs", |x, right| right(&Raw { n: if x.n % 8 == 7 { x.n - 3 } else { x.n }, ..*x });
        "mpn_add_n", "is wrong at one alignment", |x, right| {
            let c = right(x);
            if x.p[1] as usize % 64 == 40 { set(x, 0, 0, c); }
            c
        };
        "mpn_sub_n", "loses a borrow through equal limbs", |x, _r| chain(x, true, |_, a, b, _| borrows(a, b, 0));
        "mpn_sub_n", "is wrong for b = 2^64 - 1", |x, _r| chain(x, true, |_, a, b, c| borrows(a, b.wrapping_add(c), 0));
        "mpn_sub_n", "returns the borrow as a mask", |x, right| right(x).wrapping_neg();
        "mpn_add_1", "carries one limb far only", |x, right| {
            let top = if x.n > 2 { get(x, 1, x.n - 1) } else { 0 };
            let c = right(x);
            if x.n > 2 { set(x, 0, x.n - 1, top); }
            c
        };
        "mpn_sub_1", "loses the last borrow", |x, right| { right(x); 0 };
        "mpn_mul_1", "loses the carry into the high limb", |x, _r| {
            let high = |i| (u128::from(get(x, 1, i)) * u128::from(x.s)) >> 64;
            let highs: Vec<Limb> = (0..x.n).map(|i| high(i) as Limb).collect();
            mul_chain(x, false, |i, _| highs[i])
        };
        "mpn_mul_1", "is wrong for the factor 2^64 - 1", |x, right| right(x) - Limb::from(x.s == Limb::MAX && x.n > 20);
        "mpn_addmul_1", "returns 63 bits of the carry", |x, _r| mul_chain(x, true, |_, sum| (sum >> 64) as Limb & !(1 << 63));
        "mpn_addmul_1", "drops the carry between its two chains", |x, _r| {
            mul_chain(x, true, |i, sum| if i % 8 == 7 { (sum >> 64) as Limb & !1 } else { (sum >> 64) as Limb })
        };
        "mpn_addmul_1", "does not add, on the last limb", |x, right| {
            let r = get(x, 0, x.n - 1);
            let c = right(x);
            if x.p[0] != x.p[1] { set(x, 0, x.n - 1, get(x, 0, x.n - 1).wrapping_sub(r)); }
            c
        };
        "mpn_submul_1", "forgets the last borrow", |x, right| {
            let top = get(x, 0, x.n - 1);
            let c = right(x);
            c - Limb::from(top < get(x, 0, x.n - 1) && c > 0)
        };
        "mpn_bdiv_dbm1", "forgets the borrow of the first limb", |x, right| {
            let borrowed = get(x, 1, 0) != 0;
            right(x);
            if x.n > 1 { set(x, 0, 1, get(x, 0, 1).wrapping_add(borrowed.into())); }
            0
        };
        "mpn_divsteps", "exchanges f and g although s is 0", |x, right| right(&Raw { s: if x.s == 0 { Limb::MAX } else { x.s }, ..*x });
        "mpn_divsteps", "takes entries of 60 bits", |x, right| {
            let s = right(x);
            (0..4).filter(|&i| get(x, 0, i) == 1 << 60).for_each(|i| set(x, 0, i, 0));
            s
        };
        "mpn_divsteps", "returns s before the last step", |x, right| right(x).wrapping_add(1);
        "mpn_bdiv_dbm1", "divides rounding down", |x, _r| {
            let d = u128::from(Limb::MAX / x.s);
            (0..x.n).rev().fold(0, |rest, i| {
                let limb = rest << 64 | u128::from(get(x, 1, i));
                set(x, 0, i, (limb / d) as Limb);
                limb % d
            });
            0
        };
        "mpn_lshift", "shifts by one too few", |x, right| right(&Raw { s: x.s.max(2) - 1, ..*x });
        "mpn_lshift", "returns one bit too few", |x, right| right(x) & !(1 << (x.s - 1));
        "mpn_lshift", "runs the wrong way in place", |x, right| {
            let low = get(x, 1, 0);
            let c = right(x);
            if x.p[0] == x.p[1] && x.n > 1 { set(x, 0, 1, get(x, 0, 1) & (Limb::MAX << x.s) | (low << x.s) >> (64 - x.s)); }
            c
        };
        "mpn_rshift", "fills the top with ones", |x, right| {
            let c = right(x);
            set(x, 0, x.n - 1, get(x, 0, x.n - 1) | Limb::MAX << (64 - x.s));
            c
        };
        "mpn_rshift", "returns the bits at the wrong end", |x, right| right(x).rotate_left(x.s as u32);
        "mpn_cmp", "ignores the top limb", |x, right| if x.n > 1 { right(&Raw { n: x.n - 1, ..*x }) } else { right(x) };
        "mpn_cmp", "ignores the lowest limb", |x, right| {
            let mut y = *x;
            if x.n > 1 { (y.p[0], y.p[1], y.n) = (x.p[0].wrapping_add(1), x.p[1].wrapping_add(1), x.n - 1); }
            right(&y)
        };
        "mpn_cmp", "compares the top limb as signed", |x, right| {
            let (a, b) = (get(x, 0, x.n - 1) as i64, get(x, 1, x.n - 1) as i64);
            if a == b { right(x) } else if a > b { 1 } else { Limb::MAX }
        };
        "mpn_cmp", "takes the order of the lowest difference", |x, right| {
            match (0..x.n).find(|&i| get(x, 0, i) != get(x, 1, i)) {
                Some(i) if x.n == 17 => if get(x, 0, i) > get(x, 1, i) { 1 } else { Limb::MAX },
                _ => right(x),
            }
        };
        "mpn_cnd_add_n", "returns a carry that was not masked", |x, right| {
            let c = u64::from((0..x.n).fold(0, |c, i| carries(get(x, 1, i), get(x, 2, i), c).into()) == 1);
            right(x);
            c
        };
        "mpn_cnd_add_n", "masks 32 bits only", |x, right| {
            let b = get(x, 2, 0);
            let c = right(x);
            if x.s == 0 { set(x, 0, 0, get(x, 0, 0).wrapping_add(b & !0xffff_ffff)); }
            c
        };
        "mpn_cnd_sub_n", "subtracts always in place", |x, right| right(&Raw { s: x.s | Limb::from(x.p[0] == x.p[1]), ..*x });
        "mpn_cnd_swap", "forgets the last limb", |x, right| {
            let last = (get(x, 0, x.n - 1), get(x, 1, x.n - 1));
            right(x);
            set(x, 0, x.n - 1, last.0);
            set(x, 1, x.n - 1, last.1);
            0
        };
        "mpn_cnd_swap", "copies instead of swapping", |x, right| {
            right(x);
            if x.s == 1 { set(x, 1, 0, get(x, 0, 0)); }
            0
        };
        "mpn_cnd_select", "has the bit the wrong way round", |x, right| right(&Raw { s: 1 - x.s, ..*x });
        "mpn_copy_shared", "leaves what is beyond whole registers", |x, right| {
            let last = get(x, 0, x.n - 1);
            right(x);
            if x.n % 8 != 0 { set(x, 0, x.n - 1, last); }
            0
        };
        "mpn_tabselect", "skips the last row", |x, right| {
            right(x);
            if x.m > 1 && x.s as usize == x.m - 1 { (0..x.n).for_each(|i| set(x, 0, i, 0)); }
            0
        };
        "mpn_tabselect", "takes the index modulo 16", |x, right| right(&Raw { s: x.s % 16, ..*x });
        "mpn_mul_basecase", "does not store the top limb", |x, right| {
            let top = get(x, 0, x.n + x.m - 1);
            right(x);
            set(x, 0, x.n + x.m - 1, top);
            0
        };
        "mpn_mul_basecase", "loses a carry in the ninth row", |x, right| {
            right(x);
            if x.m > 8 { set(x, 0, x.n + 8, get(x, 0, x.n + 8) & !1); }
            0
        };
        "mpn_mul_basecase", "adds one row twice when b = a", |x, right| {
            right(x);
            if x.p[1] == x.p[2] { set(x, 0, 0, get(x, 0, 0).wrapping_mul(2)); }
            0
        };
        "mpn_sqr_basecase", "loses the bit that doubling shifts out", |x, right| {
            right(x);
            set(x, 0, 2 * x.n - 1, get(x, 0, 2 * x.n - 1) & !(1 << 63));
            0
        };
        "mpn_sqr_basecase", "is wrong for limbs of 2^63", |x, right| {
            let hit = (0..x.n).any(|i| get(x, 1, i) == 1 << 63);
            right(x);
            if hit { set(x, 0, x.n, get(x, 0, x.n) ^ 1); }
            0
        };
        "mpn_redc_1", "never subtracts", |x, _r| reduce(x, (0..2 * x.n).map(|i| get(x, 1, i)).collect(), 2, |_, _, _| false);
        "mpn_redc_1", "subtracts when above n only", |x, _r| {
            reduce(x, (0..2 * x.n).map(|i| get(x, 1, i)).collect(), 2, |carry, above, _| carry || above)
        };
        "mpn_mont_mul", "never subtracts", |x, _r| reduce(x, product(x, 1, 2), 3, |_, _, _| false);
        "mpn_mont_mul", "always subtracts", |x, _r| reduce(x, product(x, 1, 2), 3, |_, _, _| true);
        "mpn_mont_mul", "leaves n for 0", |x, _r| reduce(x, product(x, 1, 2), 3, |carry, above, _| carry || above);
        "mpn_mont_mul", "ignores the carry out", |x, _r| reduce(x, product(x, 1, 2), 3, |_, above, equal| above || equal);
        "mpn_mont_mul", "subtracts on a carry out only", |x, _r| reduce(x, product(x, 1, 2), 3, |carry, _, _| carry);
        "mpn_mont_mul", "loses the high limb of a delayed carry", |x, _r| integrated(x, |owed| owed & u128::from(Limb::MAX), |top| top);
        "mpn_mont_mul", "loses the carry above a row", |x, _r| integrated(x, |owed| owed, |_| 0);
        "mpn_mont_mul", "adds the carry of a row to two limbs only", |x, _r| {
            reduce_rows(x, product(x, 1, 2), 3, x.n + 2, |carry, above, equal| carry || above || equal)
        };
        "mpn_mont_sqr", "leaves n for 0", |x, right| match x.m {
            1 => reduce(x, product(x, 1, 1), 2, |carry, above, _| carry || above),
            _ => right(x),
        };
        "mpn_mont_sqr", "squares once less", |x, right| right(&Raw { m: (x.m - 1).max(1), ..*x });
        "mpn_mont_sqr", "uses 32 bits of n0", |x, right| right(&Raw { s: x.s & 0xffff_ffff, ..*x });
        "mpn_mont_sqr", "multiplies by r instead of a in place", |x, right| {
            if x.p[0] == x.p[1] { set(x, 0, x.n - 1, 0); }
            right(x)
        };
        "radix52_amm", "leaves out the last quotient digit", |x, right| right(&Raw { m: x.m - usize::from(x.m % 8 > 1), ..*x });
        "radix52_amm", "does not normalise the lowest digit", |x, right| {
            right(x);
            if x.m > 1 && get(x, 0, 1) > 0 {
                set(x, 0, 0, get(x, 0, 0) | 1 << 52);
                set(x, 0, 1, get(x, 0, 1) - 1);
            }
            0
        };
        "radix52_amm", "loses a carry between blocks", |x, right| {
            right(x);
            if x.n > 1 && get(x, 0, 8) == 0 { set(x, 0, 9, get(x, 0, 9) ^ 1); }
            0
        };
        "radix52_amm", "uses 48 bits of k0", |x, right| right(&Raw { s: x.s & ((1 << 48) - 1), ..*x });
        "radix52_ams", "leaves out the last quotient digit", |x, right| right(&Raw { m: x.m - usize::from(x.m % 8 > 1), ..*x });
        "radix52_ams", "doubles the bit that a block takes from the one below", |x, right| {
            let carried = x.n > 1 && get(x, 1, 7) >> 51 == 1;
            right(x);
            if carried { set(x, 0, 0, get(x, 0, 0) ^ 1); }
            0
        };
        "radix52_addmul", "leaves out the last block of b", |x, right| right(&Raw { m: x.m - usize::from(x.m > 1), ..*x });
        "radix52_addmul", "adds all 64 bits of what a digit's product leaves", |x, right| {
            right(x);
            if x.n > 2 && get(x, 1, 8) >> 52 > 0 { set(x, 0, 8, get(x, 0, 8).wrapping_add(1 << 52)); }
            0
        };
        "radix52_addmul_low", "leaves out the second row of a pair in the highest column", |x, right| {
            let top = get(x, 0, 8 * x.n - 1);
            right(x);
            if x.m > 1 && get(x, 2, 8) & DIGIT_MASK > 0 { set(x, 0, 8 * x.n - 1, top); }
            0
        };
        "radix52_addmul_high", "leaves out what the column below carries up", |x, right| {
            let low = get(x, 0, 0);
            right(x);
            if x.m > 2 { set(x, 0, 0, low); }
            0
        };
        "radix52_sqr", "takes the products of the two blocks of a pair once", |x, right| {
            right(x);
            if x.n == 2 { set(x, 0, 8, get(x, 0, 8).wrapping_sub(get(x, 1, 0).wrapping_mul(get(x, 1, 8)) & DIGIT_MASK)); }
            0
        };
        "radix52_sqr", "leaves what was there", |x, right| { let top = 8 * (x.n + x.m) - 1; let t = get(x, 0, top); right(x); set(x, 0, top, get(x, 0, top) | t & 1); 0 };
        "radix52_sqr", "doubles the bit that a block takes from the one below", |x, right| {
            right(x);
            let (low, high) = (get(x, 1, 0) & DIGIT_MASK, get(x, 1, 7) >> 51 & 1);
            if x.n > 1 && x.m == 1 { set(x, 0, 8, get(x, 0, 8).wrapping_add(low * high)); }
            0
        };
        "radix52_add", "leaves the second number's lowest carry", |x, right| {
            let low = get(x, 2, 0);
            set(x, 2, 0, low & DIGIT_MASK);
            let carry = right(x);
            if x.p[0] != x.p[2] { set(x, 2, 0, low); }
            carry
        };
        "radix52_normalise", "does not carry through a digit of ones", |x, right| {
            let ones = x.n > 1 && get(x, 1, 8) == DIGIT_MASK && get(x, 1, 7) >> DIGIT_BITS == 1;
            let carry = right(x);
            if ones { set(x, 0, 8, DIGIT_MASK); }
            carry
        };
        "radix52_normalise", "returns one bit of the carry", |x, right| right(x) & 1;
        "radix52_ams_x2", "squares the second with the k0 of the first", |x, right| { let k0 = get(x, 3, 1); set(x, 3, 1, get(x, 3, 0)); right(x); set(x, 3, 1, k0); 0 };
        "fp_mul", "folds without the last carry", |x, _r| folded_without(x, 1);
        "fp_mul", "folds without what the second carries", |x, _r| folded_without(x, 2);
        "fp_mul", "uses 63 bits of d", |x, right| right(&Raw { s: x.s << 1 >> 1, ..*x });
        "fp_sqr", "is wrong where both upper limbs have their top bits", |x, right| {
            right(x);
            if get(x, 1, x.n - 1) >> 63 == 1 && get(x, 1, x.n - 2) >> 63 == 1 { set(x, 0, 0, get(x, 0, 0) ^ 1); }
            0
        };
        "fp_m127_mul", "leaves a number of 128 bits", |x, right| {
            right(x);
            if get(x, 0, 0) == 1 && get(x, 0, 1) == 0 { set(x, 0, 0, 0); set(x, 0, 1, 1 << 63); }
            0
        };
        "fp_m127_fold", "leaves a number of 128 bits", |x, right| {
            right(x);
            if get(x, 0, 0) == 1 && get(x, 0, 1) == 0 { set(x, 0, 0, 0); set(x, 0, 1, 1 << 63); }
            0
        };
        "fp_m127_fold", "forgets the last number", |x, right| if x.n > 1 { right(&Raw { n: x.n - 1, ..*x }) } else { right(x) };
        "fp_fold", "loses the last carry", |x, right| {
            right(x);
            if get(x, 0, x.m - 1) == 0 && get(x, 1, 2 * x.m - 1) > 0 { set(x, 0, 0, get(x, 0, 0).wrapping_sub(x.s)); }
            0
        };
        "fp_x25519_step", "doubles the other point", |x, right| right(&Raw { s: x.s ^ 1, ..*x });
        "fp_x25519_step", "is wrong where x_2 + z_2 carries", |x, right| {
            let carries = get(x, 0, 3) >> 63 == 1 && get(x, 0, 7) >> 63 == 1;
            right(x);
            if carries { set(x, 0, 0, get(x, 0, 0) ^ 1); }
            0
        };
        "fp_x25519_step", "is wrong where x_3 - z_3 borrows in the lowest limb only", |x, right| {
            let alike = (1..4).all(|i| get(x, 0, 8 + i) == get(x, 0, 12 + i));
            let borrows = alike && get(x, 0, 8) < get(x, 0, 12);
            right(x);
            if borrows { set(x, 0, 8, get(x, 0, 8) ^ 1); }
            0
        };
        "fp_mont_mul", "leaves n for 0", |x, _r| reduce(x, product(x, 1, 2), 3, |carry, above, _| carry || above);
        "fp_mont_mul", "ignores the carry out", |x, _r| reduce(x, product(x, 1, 2), 3, |_, above, equal| above || equal);
        "fp_add", "leaves n for 0", |x, _r| subtract(x, &sum(x), &limbs(x, 3), |carry, above, _| carry || above);
        "fp_add", "ignores the carry out", |x, _r| subtract(x, &sum(x), &limbs(x, 3), |_, above, equal| above || equal);
        "fp_add", "subtracts on a carry out only", |x, _r| subtract(x, &sum(x), &limbs(x, 3), |carry, _, _| carry);
        "fp_nist_mul", "is wrong where the sum of the halves carries", |x, right| {
            let carries = get(x, 1, x.n - 1) & get(x, 2, x.n - 1) == Limb::MAX;
            right(x);
            if carries { set(x, 0, 0, get(x, 0, 0) ^ 1); }
            0
        };
        "fp_m521_mul", "leaves the modulus for 0", |x, right| {
            right(x);
            if (0..9).all(|i| get(x, 0, i) == 0) { (0..9).for_each(|i| set(x, 0, i, if i < 8 { Limb::MAX } else { 511 })); }
            0
        };
        "fp_m521_mul", "loses the highest bit of a product's upper half", |x, right| {
            let highest = (get(x, 1, 8) * get(x, 2, 8)) >> 17 == 1;
            right(x);
            if highest { set(x, 0, 8, get(x, 0, 8) ^ 1 << 8); }
            0
        };
        "fp_m521_sqr", "does not double the last product", |x, right| {
            let (a, b) = (get(x, 1, 7), get(x, 1, 8));
            right(x);
            if a != 0 && b != 0 { set(x, 0, 6, get(x, 0, 6) ^ 1); }
            0
        };
        "fp_nist_mul", "takes 63 bits of a quotient digit", |x, right| {
            let highest = get(x, 1, 0).wrapping_mul(get(x, 2, 0)) >> 63 == 1;
            right(x);
            if highest { set(x, 0, 1, get(x, 0, 1) ^ 1 << 63); }
            0
        };
        "fp_nist_sqr", "doubles a product without its carry", |x, right| {
            let carries = get(x, 1, 0) & get(x, 1, 1) == Limb::MAX;
            right(x);
            if carries { set(x, 0, 1, get(x, 0, 1) ^ 1); }
            0
        };
        "fp8_mul", "exchanges two lanes", |x, right| {
            right(x);
            for i in 0..x.n {
                let (even, odd) = (get(x, 0, place(i, 2)), get(x, 0, place(i, 3)));
                set(x, 0, place(i, 2), odd);
                set(x, 0, place(i, 3), even);
            }
            0
        };
        "fp8_mul", "folds at 2^255 for 2^256", |x, right| right(&Raw { m: if x.m == 256 { 255 } else { x.m }, ..*x });
        "fp8_mul", "rounds a half of a product to nearest in one lane", |x, right| {
            // A digit less in the highest place is a prime too few, about.
            let low = x.p[1] != x.p[2] && get(x, 1, place(x.n - 1, 5)) >> (x.m - DIGIT_BITS * (x.n - 1)) == 1;
            right(x);
            if low && get(x, 0, place(0, 5)) > x.s { set(x, 0, place(0, 5), get(x, 0, place(0, 5)) - 1); }
            0
        };
        "fp8_mul", "uses 20 bits of c", |x, right| right(&Raw { s: x.s & ((1 << 20) - 1), ..*x });
        "fp8_mul", "does not carry out of the lowest digit in the last lane", |x, right| {
            right(x);
            let (low, next) = (get(x, 0, place(0, 7)), get(x, 0, place(1, 7)));
            if next > 0 && low < x.s { set(x, 0, place(0, 7), low + (1 << DIGIT_BITS)); set(x, 0, place(1, 7), next - 1); }
            0
        };
        "fp8_slack_mul", "takes digits for no longer than they are without slack", |x, right| {
            let long = (8..LANES * x.n).any(|i| get(x, 1, i) >> 43 == 1 && get(x, 1, i) >> 20 == 1 << 23);
            right(x);
            if long { set(x, 0, place(1, 3), get(x, 0, place(1, 3)) ^ 1); }
            0
        };
        "fp8_slack_mul", "leaves the prime in one lane", |x, right| {
            right(x);
            if (0..x.n).all(|i| get(x, 0, place(i, 2)) == 0) { set(x, 0, place(0, 2), 1); }
            0
        };
        "fp8_slack_sqr", "uses 20 bits of c", |x, right| right(&Raw { s: x.s & ((1 << 20) - 1), ..*x });
        "fp8_slack_sqr", "exchanges the first two lanes", |x, right| {
            right(x);
            let (even, odd) = (get(x, 0, place(0, 0)), get(x, 0, place(0, 1)));
            set(x, 0, place(0, 0), odd);
            set(x, 0, place(0, 1), even);
            0
        };
        "fp8_sqr", "is wrong for digits of 2^51", |x, right| {
            let hit = (0..x.n).any(|i| get(x, 1, place(i, 4)) == 1 << 51);
            right(x);
            if hit { set(x, 0, place(1, 4), get(x, 0, place(1, 4)) ^ 1); }
            0
        };
        "fp8_sqr", "multiplies by r instead of a in place", |x, right| {
            if x.p[0] == x.p[1] { set(x, 0, place(x.n - 1, 6), 0); }
            right(x)
        };
        "ntt_split", "leaves coefficients as they are below twice the prime", |x, right| {
            right(x);
            let p = PRIMES[x.s as usize];
            for i in 0..if x.m == 3 { x.n } else { 0 } {
                if (p..2 * p).contains(&get(x, 1, i)) { set(x, 0, i, (get(x, 1, i) as f64).to_bits()); }
            }
            0
        };
        "ntt_split", "forgets the last coefficient of an odd number", |x, right| {
            right(x);
            if x.n % 4 == 1 { set(x, 0, x.n - 1, 0); }
            0
        };
        "ntt_forward", "takes what is behind the words for words", |x, right| right(&Raw { m: x.n, ..*x });
        "ntt_forward", "exchanges two words of a transposition", |x, right| {
            right(x);
            let (one, four) = (get(x, 0, 1), get(x, 0, 4));
            set(x, 0, 1, four);
            set(x, 0, 4, one);
            0
        };
        "ntt_forward", "exchanges two groups of words", |x, right| {
            right(x);
            for i in 0..if x.n >= 128 { 16 } else { 0 } {
                let (low, high) = (get(x, 0, i), get(x, 0, 16 + i));
                set(x, 0, i, high);
                set(x, 0, 16 + i, low);
            }
            0
        };
        "ntt_forward", "leaves p for 0", |x, right| {
            right(x);
            let p = (PRIMES[x.s as usize] as f64).to_bits();
            (0..x.n).filter(|&i| get(x, 0, i) == 0).for_each(|i| set(x, 0, i, p));
            0
        };
        "ntt_inverse", "squares one factor", |x, right| { let mut x = *x; x.p[1] = x.p[0]; right(&x) };
        "ntt_inverse", "takes the next prime", |x, right| right(&Raw { s: (x.s + 1) % 5, ..*x });
        "ntt_inverse_sum", "squares the factor of the second product", |x, right| { let mut x = *x; x.p[3] = x.p[2]; right(&x) };
        "ntt_inverse_sum", "takes the next prime", |x, right| right(&Raw { s: (x.s + 1) % 5, ..*x });
        "ntt_negacyclic_forward", "exchanges two words of a transposition", |x, right| {
            right(x);
            let (one, four) = (get(x, 0, 1), get(x, 0, 4));
            set(x, 0, 1, four);
            set(x, 0, 4, one);
            0
        };
        "ntt_negacyclic_forward", "leaves p for 0", |x, right| {
            right(x);
            let p = (PRIMES[x.s as usize] as f64).to_bits();
            (0..x.n).filter(|&i| get(x, 0, i) == 0).for_each(|i| set(x, 0, i, p));
            0
        };
        "ntt_negacyclic_inverse", "squares one factor", |x, right| { let mut x = *x; x.p[1] = x.p[0]; right(&x) };
        "ntt_negacyclic_inverse", "adds half of the next number", |x, right| {
            right(x);
            let p = PRIMES[x.s as usize];
            for i in 0..x.n {
                let residue = (f64::from_bits(get(x, 0, i)) as Limb + 1) % p;
                set(x, 0, i, (residue as f64).to_bits());
            }
            0
        };
        "ntt_crt", "takes the fourth prime's residues for the fifth's", |x, right| { let mut x = *x; x.p[5] = x.p[4]; right(&x) };
        "ntt_crt", "leaves the last limb as it is", |x, right| {
            let last = ntt::limbs(x.n, x.m) + 2;
            let before = get(x, 0, last);
            right(x);
            set(x, 0, last, before);
            0
        };
        "radix52_amm_x2", "uses one k0 for both", |x, right| { let k0 = get(x, 4, 1); set(x, 4, 1, get(x, 4, 0)); right(x); set(x, 4, 1, k0); 0 };
        "radix52_amm_x2", "mixes up the upper operands in place", |x, right| {
            right(x);
            if x.p[0] == x.p[2] { set(x, 0, 8 * x.n, get(x, 0, 0)); }
            0
        };
        "mb8_amm", "exchanges two lanes", |x, right| {
            right(x);
            for i in 0..x.n {
                let (even, odd) = (get(x, 0, place(i, 4)), get(x, 0, place(i, 5)));
                set(x, 0, place(i, 4), odd);
                set(x, 0, place(i, 5), even);
            }
            0
        };
        "mb8_amm", "takes the k0 of its first half of lanes for the other", |x, right| {
            let k0: Vec<Limb> = (4..LANES).map(|lane| get(x, 4, lane)).collect();
            (4..LANES).for_each(|lane| set(x, 4, lane, get(x, 4, lane - 4)));
            right(x);
            (4..LANES).for_each(|lane| set(x, 4, lane, k0[lane - 4]));
            0
        };
        "mb8_amm", "masks quotient digits by one bit too few", |x, _r| {
            eight(x, [3, 4], |i, lane| get(x, 2, place(i, lane)), |q| q & DIGIT_MASK >> 1)
        };
        "mb8_amm", "skips the top block of b", |x, _r| {
            let block = x.n / x.n.div_ceil(10);
            eight(x, [3, 4], |i, lane| if i < x.n - block || x.n <= 10 { get(x, 2, place(i, lane)) } else { 0 }, |q| q)
        };
        "mb8_amm", "loses a carry through a digit in one lane", |x, right| {
            right(x);
            if x.n > 2 && get(x, 0, place(1, 6)) == 0 { set(x, 0, place(2, 6), get(x, 0, place(2, 6)) ^ 1); }
            0
        };
        "mb8_amm", "does not normalise the last digit but one", |x, right| {
            right(x);
            if x.n > 1 {
                for lane in (0..LANES).filter(|&lane| get(x, 0, place(x.n - 1, lane)) > 0) {
                    set(x, 0, place(x.n - 1, lane), get(x, 0, place(x.n - 1, lane)) - 1);
                    set(x, 0, place(x.n - 2, lane), get(x, 0, place(x.n - 2, lane)) | 1 << DIGIT_BITS);
                }
            }
            0
        };
        "mb8_ams", "loses the bit that doubling shifts out of a digit", |x, right| {
            let lost = x.n > 10 && (0..x.n - 1).any(|i| get(x, 1, place(i, 2)) == DIGIT_MASK);
            right(x);
            if lost { set(x, 0, place(x.n - 1, 2), get(x, 0, place(x.n - 1, 2)) ^ 1); }
            0
        };
        "mb8_ams", "takes a block of a that the result has replaced", |x, right| {
            if x.p[0] == x.p[1] && x.n > 10 { set(x, 0, place(x.n - 1, 7), get(x, 0, place(0, 7))); }
            right(x)
        };
        "mb8_ams", "multiplies the last lane by the one before", |x, _r| {
            let spoilt = |i, lane: usize| get(x, 1, place(i, lane.min(LANES - 2)));
            eight(x, [2, 3], spoilt, |q| q)
        };
        "mb8_amm_select", "never chooses the last row", |x, _r| {
            eight(x, [4, 5], entry(x, |lane| (get(x, 3, lane) as usize).min(x.m - 2)), |q| q)
        };
        "mb8_amm_select", "takes indices modulo 16", |x, _r| {
            eight(x, [4, 5], entry(x, |lane| get(x, 3, lane) as usize % 16), |q| q)
        };
        "mb8_amm_select", "chooses in all lanes what the first one chooses", |x, _r| {
            eight(x, [4, 5], entry(x, |_| get(x, 3, 0) as usize), |q| q)
        };
        "threefish_encrypt", "gives every block the first tweak", |x, right| right(&Raw { s: 0, ..*x });
        "threefish_encrypt", "forgets the last block", |x, right| if x.n > 1 { right(&Raw { n: x.n - 1, ..*x }) } else { right(x) };
        "threefish_encrypt", "uses a parity of its own", |x, right| {
            let parity = get(x, 2, x.m);
            set(x, 2, x.m, (0..x.m).fold(C240, |sum, i| sum ^ get(x, 2, i)));
            right(x);
            set(x, 2, x.m, parity);
            0
        };
        "threefish_decrypt", "begins with the first tweak again after eight blocks", |x, right| {
            for i in (0..x.n).step_by(8) { right(&part(x, &[0, 1], i, 8)); }
            0
        };
        "threefish_decrypt", "takes the tweak's words the wrong way round", |x, right| {
            let swap = || { let t = get(x, 3, 0); set(x, 3, 0, get(x, 3, 1)); set(x, 3, 1, t) };
            swap();
            right(x);
            swap();
            0
        };
        "threefish_v1_1_encrypt", "forgets the last block", |x, right| {
            if x.n > 1 { right(&Raw { n: x.n - 1, ..*x }) } else { right(x) }
        };
        "threefish_v1_1_encrypt", "rotates as version 1.3 does", |x, _r| {
            let op = REGISTRY.iter().find(|op| op.name == "threefish_encrypt").expect("an operation");
            // SAFETY: plain Rust, and a call of its contract, with blocks of four words and tweaks that do not grow.
            unsafe { op.invoke(op.portable(), &Raw { m: 4, s: 0, ..*x }) }
        };
        "threefish_v1_1_decrypt", "takes the tweak's words the wrong way round", |x, right| {
            let swap = || { let t = get(x, 3, 0); set(x, 3, 0, get(x, 3, 1)); set(x, 3, 1, t) };
            swap();
            right(x);
            swap();
            0
        };
        "threefish_ctr", "carries into the second word of the counter", |x, right| {
            let c = [get(x, 4, 0), get(x, 4, 1)];
            for i in 0..x.n {
                let (low, carry) = c[0].overflowing_add(i as Limb);
                set(x, 4, 0, low);
                set(x, 4, 1, c[1].wrapping_add(carry.into()));
                right(&part(x, &[0, 1], i, 1));
            }
            set(x, 4, 0, c[0]);
            set(x, 4, 1, c[1]);
            0
        };
        "threefish_ctr", "begins to count again after eight blocks", |x, right| {
            for i in (0..x.n).step_by(8) { right(&part(x, &[0, 1], i, 8)); }
            0
        };
        "threefish_cbc_encrypt", "chains nothing", |x, right| {
            for i in 0..x.n { right(&part(x, &[0, 1], i, 1)); }
            0
        };
        "threefish_ubi", "begins every leaf at the same place", |x, right| {
            let s = x.s as usize;
            for i in 0..x.n / s {
                let mut leaf = part(x, &[2], i * s, s);
                leaf.p[0] = part(x, &[0], i, 1).p[0];
                right(&leaf);
            }
            0
        };
        "threefish_ubi", "marks the last block although it is not asked to", |x, right| {
            let upper = get(x, 3, 1);
            set(x, 3, 1, upper | FINAL);
            right(x);
            set(x, 3, 1, upper);
            0
        };
        "threefish_ubi", "writes an empty leaf behind the last", |x, right| {
            right(x);
            let leaves = x.n / x.s as usize;
            // SAFETY: the walk's regions go on beyond the operand.
            unsafe { x.p[0].wrapping_add(leaves * x.m).write_bytes(0, x.m) };
            0
        };
        "sha512_compress", "forgets the last blocks", |x, right| if x.n > 1 { right(&Raw { n: x.n - 1, ..*x }) } else { right(x) };
        "sha512_compress", "leaves the last hash as it is", |x, right| {
            let before: Vec<Limb> = (56..64).map(|i| get(x, 0, i)).collect();
            right(x);
            for (i, word) in (56..64).zip(before) { set(x, 0, i, word); }
            0
        };
        "sha512_compress", "adds no chaining value", |x, right| {
            let before = get(x, 0, 9);
            right(x);
            set(x, 0, 9, get(x, 0, 9).wrapping_sub(before));
            0
        };
        "aes_encrypt", "makes one round less", |x, right| right(&Raw { m: x.m.max(2) - 1, ..*x });
        "aes_encrypt", "forgets the last block", |x, right| if x.n > 1 { right(&Raw { n: x.n - 1, ..*x }) } else { right(x) };
        "aes_decrypt", "makes one round less", |x, right| right(&Raw { m: x.m.max(2) - 1, ..*x });
        "aes_decrypt", "forgets what is beyond sixteen blocks", |x, right| right(&Raw { n: x.n.min(16), ..*x });
        "aes_ctr", "begins to count again after sixteen blocks", |x, right| {
            for i in (0..x.n).step_by(16) { right(&Raw { m: x.m, ..part(&Raw { m: 2, ..*x }, &[0, 1], i, 16) }); }
            0
        };
        "aes_cbc_decrypt", "takes the first block before every sixteenth", |x, right| {
            for i in (0..x.n).step_by(16) { right(&Raw { m: x.m, ..part(&Raw { m: 2, ..*x }, &[0, 1], i, 16) }); }
            0
        };
        "aes_cbc_encrypt", "makes all streams one", |x, right| right(&Raw { s: x.n as Limb, ..*x });
        "aes_cbc_encrypt", "chains nothing", |x, right| {
            for i in 0..x.n { right(&Raw { m: x.m, s: 1, ..part(&Raw { m: 2, ..*x }, &[0, 1], i, 1) }); }
            0
        };
    ];
    /// Faults that change nothing and show only at a guard page.
    HIDDEN: [
        "mpn_add_n", "reads one limb past the end", |x, right| { get(x, 1, x.n); right(x) };
        "mpn_cmp", "reads one limb before the start", |x, right| { get(x, 0, usize::MAX); right(x) };
        "mpn_mont_mul", "reads the modulus beyond its end", |x, right| { get(x, 3, x.n); right(x) };
        "mpn_tabselect", "reads one row too many", |x, right| { get(x, 1, x.n * x.m); right(x) };
        "ntt_split", "reads eight bytes for the last digit", |x, right| { get(x, 1, ntt::limbs(x.n, x.m)); right(x) };
        "threefish_encrypt", "reads a byte after the last block", |x, right| { peek(x, 1, 8 * x.n * x.m); right(x) };
        "mpn_lshift", "writes back the limb after the end", |x, right| { set(x, 0, x.n, get(x, 0, x.n)); right(x) };
    ];
}
