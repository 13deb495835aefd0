//! Products of digits by floating-point numbers: `fma256` and `fma512`, four lanes of AVX2 and FMA, or eight of AVX-512.
//!
//! A product of two digits is two numbers, as [`Fma52`] says, the lower of which may be negative. Both are added as the
//! integers that their bits are. How many exponents get into a sum follows from its place alone, so they are taken away
//! beforehand.
//!
//! Columns of blocks are summed as in `madd52`. With 16 registers a block has five digits at most, and larger ones would
//! be too much code for 32. Factors are made numbers once, in working space.
//!
//! Every sum stays below (4n + 2) 2^52 < 2^63 and above -(n + 1) 2^52, as low halves are from -2^51 to 2^52. `bounds`
//! computes both.

use super::{DIGIT_MASK, LANES};
use crate::{
    Limb,
    simd::{Body, Fma52, U64s, unroll},
};
use core::marker::PhantomData;

/// Keeps a sum above zero while it gives its carry away, which is then too large by `OWED`.
const LIFT: Limb = 1 << 62;
const OWED: Limb = LIFT >> 52;

type Sums<V, const T: usize> = [V; T];

// Helpers are always inlined, into functions that enable what the vectors need.
// SAFETY, of every method of a vector below: the caller's, as the trait says.

/// Digit i of the lanes of octets.
#[inline(always)]
unsafe fn digit<V: U64s>(x: *const Limb, i: usize) -> V {
    // SAFETY: see above.
    unsafe { V::load(x.add(LANES * i)) }
}

/// Factor i.
#[inline(always)]
unsafe fn factor<V: Fma52>(x: *const Limb, i: usize) -> V::Number {
    // SAFETY: see above.
    unsafe { V::load_number(x.add(V::LANES * i)) }
}

/// Digits as factors.
#[inline(always)]
unsafe fn numbers<V: Fma52>(f: *mut Limb, x: *const Limb, digits: usize) {
    for i in 0..digits {
        // SAFETY: see above.
        unsafe { V::store_number(digit::<V>(x, i).number(), f.add(V::LANES * i)) }
    }
}

/// t += x y_j 2^(52 (i + j)) for the factors j from `from` on of a block.
#[inline(always)]
unsafe fn row<V: Fma52, const B: usize, const T: usize>(
    t: &mut Sums<V, T>,
    i: usize,
    x: V::Number,
    y: *const Limb,
    from: usize,
) {
    for j in from..B {
        // SAFETY: as the caller says.
        unsafe {
            let (mut low, mut high) = (t[i + j], t[i + j + 1]);
            V::mac(&mut low, &mut high, x, y.add(V::LANES * j));
            (t[i + j], t[i + j + 1]) = (low, high);
        }
    }
}

/// The exponents that the products of rows i and factors `from(i)` and on of a block leave in sum k.
const fn surplus<V: Fma52>(b: usize, k: usize, upper: bool) -> Limb {
    let mut sum: Limb = 0;
    let mut i = 0;
    while i < b {
        let mut j = if upper { i + 1 } else { 0 };
        while j < b {
            if i + j == k {
                sum = sum.wrapping_add(V::SURPLUS[0]);
            }
            if i + j + 1 == k {
                sum = sum.wrapping_add(V::SURPLUS[1]);
            }
            j += 1;
        }
        i += 1;
    }
    sum
}

struct Surplus<V, const B: usize, const T: usize>(PhantomData<V>);
impl<V: Fma52, const B: usize, const T: usize> Surplus<V, B, T> {
    const BLOCK: [Limb; T] = Self::of(false);
    const TRIANGLE: [Limb; T] = Self::of(true);
    const fn of(upper: bool) -> [Limb; T] {
        let mut s = [0; T];
        let mut k = 0;
        while k < T {
            s[k] = surplus::<V>(B, k, upper);
            k += 1;
        }
        s
    }
}

/// t less the surplus of `blocks` blocks that will be added.
#[inline(always)]
unsafe fn expect<V: Fma52, const B: usize, const T: usize>(t: &mut Sums<V, T>, blocks: usize) {
    for (t, surplus) in t.iter_mut().zip(const { Surplus::<V, B, T>::BLOCK }) {
        // SAFETY: see above.
        unsafe { *t = t.sub(V::splat(surplus.wrapping_mul(blocks as Limb))) }
    }
}

/// The products of the blocks x_i and y_(c-i) for `range`.
#[inline(always)]
unsafe fn products<V: Fma52, const B: usize, const T: usize>(
    t: &mut Sums<V, T>,
    x: *const Limb,
    y: *const Limb,
    c: usize,
    range: core::ops::Range<usize>,
) {
    for i in range {
        // SAFETY: as the caller says.
        unsafe {
            let (x, y) = (x.add(V::LANES * B * i), y.add(V::LANES * B * (c - i)));
            unroll!(i < B of 5, row::<V, B, T>(t, i, factor::<V>(x, i), y, 0));
        }
    }
}

/// k0 in halves.
#[derive(Clone, Copy)]
struct Inverse<V>([V; 2]);

impl<V: Fma52> Inverse<V> {
    #[inline(always)]
    unsafe fn of(k0: *const Limb) -> Self {
        // SAFETY: see above.
        unsafe {
            let k0 = V::load(k0);
            Inverse([k0, k0.shr(32)])
        }
    }

    /// x k0 mod 2^52.
    #[inline(always)]
    unsafe fn times(&self, x: V) -> V {
        let Inverse([low, high]) = *self;
        // SAFETY: see above.
        unsafe {
            let middle = x.shr(32).mul32(low).add(x.mul32(high));
            let product = x.mul32(low).add(middle.shl(32));
            product.and(V::splat(DIGIT_MASK))
        }
    }
}

/// The quotient digit that makes t_i disappear, as a factor; t += q n_j for the block of n, and t_i moves on.
#[inline(always)]
unsafe fn reduce<V: Fma52, const B: usize, const T: usize>(
    t: &mut Sums<V, T>,
    i: usize,
    k0: &Inverse<V>,
    n: *const Limb,
) -> V::Number {
    // SAFETY: see above.
    unsafe {
        // The exponent of what makes it disappear is taken away already.
        let sum = t[i].add(V::splat(V::SURPLUS[0]));
        let q = k0.times(sum).number();
        let whole = if V::SIGNED {
            row::<V, B, T>(t, i, q, n, 0);
            t[i]
        } else {
            // What makes it disappear is the least number that does, and need not be known.
            t[i + 1] = t[i + 1].add(V::high(q, n));
            row::<V, B, T>(t, i, q, n, 1);
            sum.add(V::splat(DIGIT_MASK))
        };
        let carry = whole.add(V::splat(LIFT)).shr(52);
        t[i + 1] = t[i + 1].add(carry.sub(V::splat(OWED)));
        q
    }
}

/// The lower half of t as digits of the result: `owed` is what the digits before have above theirs, and `OWED`.
#[inline(always)]
unsafe fn pay<V: Fma52, const B: usize, const T: usize>(
    t: &Sums<V, T>,
    r: *mut Limb,
    mut owed: V,
) -> V {
    for (i, sum) in t[..B].iter().enumerate() {
        // SAFETY: see above.
        unsafe {
            let sum = sum.add(V::splat(LIFT - OWED)).add(owed);
            owed = sum.shr(52);
            sum.and(V::splat(DIGIT_MASK)).store(r.add(LANES * i));
        }
    }
    owed
}

/// The upper half in the place of the lower.
#[inline(always)]
unsafe fn next_column<V: Fma52, const B: usize, const T: usize>(t: &Sums<V, T>) -> Sums<V, T> {
    // SAFETY: see above.
    let mut next = unsafe { [V::zero(); T] };
    next[..B].copy_from_slice(&t[B..]);
    next
}

/// Factors of B digits times `blocks` each: a and n, and room for those of q.
#[derive(Clone, Copy)]
struct Factors {
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    q: *mut Limb,
    blocks: usize,
}

/// Multiplication of factors: r := a b / R.
struct Multiply<const B: usize, const T: usize> {
    r: *mut Limb,
    b: *const Limb,
    factors: Factors,
}

impl<V: Fma52, const B: usize, const T: usize> Body<V> for Multiply<B, T> {
    #[inline(always)]
    unsafe fn run(self) {
        let Multiply { r, b, factors } = self;
        let Factors {
            a,
            n,
            k0,
            q,
            blocks,
        } = factors;
        // SAFETY: see above.
        unsafe {
            let k0 = Inverse::<V>::of(k0);
            let mut t = [V::zero(); T];
            let mut owed = V::splat(OWED);
            for c in 0..2 * blocks {
                let range = (c + 1).saturating_sub(blocks)..c.min(blocks);
                expect::<V, B, T>(&mut t, 2 * range.len() + if c < blocks { 2 } else { 0 });
                for (x, y) in [(q.cast_const(), n), (b, a)] {
                    products::<V, B, T>(&mut t, x, y, c, range.clone());
                }
                if c < blocks {
                    let (b, q) = (b.add(V::LANES * B * c), q.add(V::LANES * B * c));
                    unroll!(i < B of 5, {
                        row::<V, B, T>(&mut t, i, factor::<V>(b, i), a, 0);
                        let digit = reduce::<V, B, T>(&mut t, i, &k0, n);
                        V::store_number(digit, q.add(V::LANES * i));
                    });
                } else {
                    owed = pay::<V, B, T>(&t, r.add(LANES * B * (c - blocks)), owed);
                }
                t = next_column::<V, B, T>(&t);
            }
        }
    }
}

/// Squaring of factors: r := a^2 / R.
struct Square<const B: usize, const T: usize> {
    r: *mut Limb,
    factors: Factors,
}

impl<V: Fma52, const B: usize, const T: usize> Body<V> for Square<B, T> {
    #[inline(always)]
    unsafe fn run(self) {
        let Square { r, factors } = self;
        let Factors {
            a,
            n,
            k0,
            q,
            blocks,
        } = factors;
        // SAFETY: see above.
        unsafe {
            let k0 = Inverse::<V>::of(k0);
            let mut above = [V::zero(); B];
            let mut owed = V::splat(OWED);
            for c in 0..2 * blocks {
                // Products of different digits once, and doubled.
                let mut t = [V::zero(); T];
                let range = (c + 1).saturating_sub(blocks)..c.div_ceil(2);
                let rest = (c + 1).saturating_sub(blocks)..c.min(blocks);
                let others = rest.len() + usize::from(c < blocks);
                products::<V, B, T>(&mut t, a, a, c, range.clone());
                let middle = a.add(V::LANES * B * (c / 2));
                if c % 2 == 0 {
                    unroll!(i < B of 5,
                        row::<V, B, T>(&mut t, i, factor::<V>(middle, i), middle, i + 1)
                    );
                }
                for k in 0..T {
                    t[k] = t[k].add(t[k]);
                    if k < B {
                        t[k] = t[k].add(above[k]);
                    }
                    let mut surplus = const { Surplus::<V, B, T>::BLOCK }[k]
                        .wrapping_mul((2 * range.len() + others) as Limb);
                    if c % 2 == 0 {
                        surplus = surplus
                            .wrapping_add(
                                (const { Surplus::<V, B, T>::TRIANGLE }[k]).wrapping_mul(2),
                            )
                            .wrapping_add(V::SURPLUS[k % 2]);
                    }
                    t[k] = t[k].sub(V::splat(surplus));
                }
                if c % 2 == 0 {
                    unroll!(i < B of 5, {
                        let (mut low, mut high) = (t[2 * i], t[2 * i + 1]);
                        let y = middle.add(V::LANES * i);
                        V::mac(&mut low, &mut high, factor::<V>(middle, i), y);
                        (t[2 * i], t[2 * i + 1]) = (low, high);
                    });
                }
                products::<V, B, T>(&mut t, q, n, c, rest);
                if c < blocks {
                    let q = q.add(V::LANES * B * c);
                    unroll!(i < B of 5, {
                        let digit = reduce::<V, B, T>(&mut t, i, &k0, n);
                        V::store_number(digit, q.add(V::LANES * i));
                    });
                } else {
                    owed = pay::<V, B, T>(&t, r.add(LANES * B * (c - blocks)), owed);
                }
                above = core::array::from_fn(|i| t[i + B]);
            }
        }
    }
}

/// The digits of a block: as many as are a part of all, up to five.
fn block(digits: usize) -> usize {
    (1..=5)
        .rev()
        .find(|b| digits.is_multiple_of(*b))
        .unwrap_or(1)
}

/// Runs a body with as many digits in a block as `digits` have, whose sums are twice as many.
macro_rules! by_block {
    ($V:ident, $digits:expr, $Body:ident $fields:tt) => {
        match block($digits) {
            5 => by_block!(! $V, $Body 5 10 $fields),
            4 => by_block!(! $V, $Body 4 8 $fields),
            3 => by_block!(! $V, $Body 3 6 $fields),
            2 => by_block!(! $V, $Body 2 4 $fields),
            _ => by_block!(! $V, $Body 1 2 $fields),
        }
    };
    (! $V:ident, $Body:ident $B:literal $T:literal $fields:tt) => { $V::run_fma52($Body::<$B, $T> $fields) };
}

/// Per lane, selects one of N entries by as many bits of that lane's index as it takes.
#[inline(always)]
unsafe fn choose<V: U64s, const N: usize>(mut entries: [V; N], bits: &[V::Mask]) -> V {
    let mut half = N / 2;
    for bit in bits {
        for i in 0..half {
            // SAFETY: see above.
            entries[i] = unsafe { V::select(*bit, entries[2 * i + 1], entries[2 * i]) };
        }
        half /= 2;
    }
    entries[0]
}

/// Per lane, selects one of the M entries at `table` by the bits of that lane's index. Reads all of them, eight at a time,
/// for which there are registers.
#[inline(always)]
unsafe fn pick<V: U64s, const M: usize>(table: *const Limb, bits: &[V::Mask; 5]) -> V {
    // SAFETY: M entries, 16 or 32; the rest as above.
    unsafe {
        let mut chosen = [V::zero(); 4];
        for (k, chosen) in chosen.iter_mut().enumerate().take(M / 8) {
            let mut eight = [V::zero(); 8];
            for (i, entry) in eight.iter_mut().enumerate() {
                *entry = digit(table, 8 * k + i);
            }
            *chosen = choose(eight, &bits[..3]);
        }
        choose(chosen, &bits[3..M.ilog2() as usize])
    }
}

/// Digits of entries of a table as factors.
#[inline(always)]
unsafe fn entries<V: Fma52, const M: usize>(
    f: *mut Limb,
    table: *const Limb,
    index: *const Limb,
    digits: usize,
) {
    // SAFETY: a table of M entries, and room for the factors; the rest as above.
    unsafe {
        let index = V::load(index);
        let bits = [
            index.test(V::splat(1)),
            index.test(V::splat(2)),
            index.test(V::splat(4)),
            index.test(V::splat(8)),
            index.test(V::splat(16)),
        ];
        for i in 0..digits {
            let x = pick::<V, M>(table.add(LANES * M * i), &bits);
            V::store_number(x.number(), f.add(V::LANES * i));
        }
    }
}

/// Where factors are in the working space: there is room for six octets a digit.
#[inline(always)]
unsafe fn room<V: U64s, const N: usize>(t: *mut Limb, digits: usize) -> [*mut Limb; N] {
    // SAFETY: see above.
    core::array::from_fn(|i| unsafe { t.add(V::LANES * digits * i) })
}

/// # Safety
/// The contract of `mb8_amm`; the processor has what the vectors need, and the caller enables it.
#[inline(always)]
pub(super) unsafe fn amm<V: Fma52>(
    r: *mut Limb,
    a: *const Limb,
    b: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    for l in (0..LANES).step_by(V::LANES) {
        // SAFETY: the contract, for the lanes from l on.
        unsafe {
            let [q, x, y, m] = room::<V, 4>(t, digits);
            numbers::<V>(x, a.add(l), digits);
            numbers::<V>(y, b.add(l), digits);
            numbers::<V>(m, n.add(l), digits);
            let factors = Factors {
                a: x,
                n: m,
                k0: k0.add(l),
                q,
                blocks: digits / block(digits),
            };
            by_block!(
                V,
                digits,
                Multiply {
                    r: r.add(l),
                    b: y,
                    factors
                }
            );
        }
    }
}

/// # Safety
/// The contract of `mb8_amm_select`; the processor has what the vectors need, and the caller enables it.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn amm_select<V: Fma52>(
    r: *mut Limb,
    a: *const Limb,
    table: *const Limb,
    index: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
    m: usize,
) {
    for l in (0..LANES).step_by(V::LANES) {
        // SAFETY: the contract, for the lanes from l on.
        unsafe {
            let [q, x, y, modulus] = room::<V, 4>(t, digits);
            numbers::<V>(x, a.add(l), digits);
            match m {
                16 => entries::<V, 16>(y, table.add(l), index.add(l), digits),
                _ => entries::<V, 32>(y, table.add(l), index.add(l), digits),
            }
            numbers::<V>(modulus, n.add(l), digits);
            let blocks = digits / block(digits);
            let factors = Factors {
                a: x,
                n: modulus,
                k0: k0.add(l),
                q,
                blocks,
            };
            by_block!(
                V,
                digits,
                Multiply {
                    r: r.add(l),
                    b: y,
                    factors
                }
            );
        }
    }
}

/// # Safety
/// The contract of `mb8_ams`; the processor has what the vectors need, and the caller enables it.
#[inline(always)]
pub(super) unsafe fn ams<V: Fma52>(
    r: *mut Limb,
    a: *const Limb,
    n: *const Limb,
    k0: *const Limb,
    t: *mut Limb,
    digits: usize,
) {
    for l in (0..LANES).step_by(V::LANES) {
        // SAFETY: the contract, for the lanes from l on.
        unsafe {
            let [q, x, m] = room::<V, 3>(t, digits);
            numbers::<V>(x, a.add(l), digits);
            numbers::<V>(m, n.add(l), digits);
            let factors = Factors {
                a: x,
                n: m,
                k0: k0.add(l),
                q,
                blocks: digits / block(digits),
            };
            by_block!(
                V,
                digits,
                Square {
                    r: r.add(l),
                    factors
                }
            );
        }
    }
}
