//! The bounds of sums in lanes, computed for all operands of each length at once: digits may be any.

use super::{DIGIT_BITS, LANES, MAX_DIGITS, digits, fma, madd52};
use crate::{Limb, simd::Range};
use core::array::from_fn;

/// The lengths that operations take.
fn lengths() -> impl Iterator<Item = usize> {
    (1..=MAX_DIGITS).filter(|&n| digits(n * DIGIT_BITS) == Some(n))
}

/// Addresses of operands, where only ranges are.
struct Operands {
    r: *mut Limb,
    a: *mut Limb,
    b: *mut Limb,
    n: *mut Limb,
    k0: *mut Limb,
    t: *mut Limb,
    table: *mut Limb,
    index: *mut Limb,
}

/// The entries of the table.
const ENTRIES: usize = 16;

impl Operands {
    /// Operands of n octets of any digits.
    fn of(n: usize) -> Self {
        let [r, a, b, modulus, k0, t, table, index] = from_fn(Range::<false>::operand);
        for (x, octets) in [(a, n), (b, n), (modulus, n), (k0, 1), (table, ENTRIES * n)] {
            for i in 0..octets {
                Range::<false>::digit().place(x.wrapping_add(LANES * i));
            }
        }
        Range::<false>::up_to(ENTRIES as Limb - 1).place(index);
        Operands {
            r,
            a,
            b,
            n: modulus,
            k0,
            t,
            table,
            index,
        }
    }
}

/// Runs an operation on operands of every length, and checks that sums stay within what `bounds` says of n, and that all
/// digits of the result are digits.
fn stay_within<const NEAREST: bool>(
    run: impl Fn(&Operands, usize),
    bounds: impl Fn(i128) -> (i128, i128),
) {
    for n in lengths() {
        let (low, high) = Range::<NEAREST>::reached(|| {
            let operands = Operands::of(n);
            run(&operands, n);
            for i in 0..n {
                let digit = Range::<NEAREST>::noted(operands.r.wrapping_add(LANES * i));
                assert!(digit.is_digit(), "digit {i} of {n}: {digit:?}");
            }
        });
        let (least, most) = bounds(n as i128);
        assert!(
            least <= low && 1 << DIGIT_BITS < high && high < most,
            "{n} digits: sums from {low} to {high}"
        );
    }
}

/// Runs products, squares, and products by entries of a table, all at addresses that ranges have.
macro_rules! all_stay_within {
    ($nearest:expr, $bounds:expr, $amm:expr, $ams:expr, $amm_select:expr) => {
        stay_within::<{ $nearest }>(
            |x, n| {
                // SAFETY: ranges need neither memory nor a processor.
                unsafe { $amm(x.r, x.a, x.b, x.n, x.k0, x.t, n) }
            },
            $bounds,
        );
        stay_within::<{ $nearest }>(
            |x, n| {
                // SAFETY: as above.
                unsafe { $ams(x.r, x.a, x.n, x.k0, x.t, n) }
            },
            $bounds,
        );
        stay_within::<{ $nearest }>(
            |x, n| {
                // SAFETY: as above.
                unsafe { $amm_select(x.r, x.a, x.table, x.index, x.n, x.k0, x.t, n, ENTRIES) }
            },
            $bounds,
        );
    };
}

/// Products of words of 52 bits, in one form.
fn of_words<const FORM: u8>(bounds: impl Fn(i128) -> (i128, i128) + Copy) {
    type V = Range<false>;
    all_stay_within!(
        false,
        bounds,
        madd52::amm::<V, FORM>,
        madd52::ams::<V, FORM>,
        madd52::amm_select::<V, FORM>
    );
}

/// Products of floating-point numbers; what lifts a sum above zero is in it for a moment.
fn of_numbers<const NEAREST: bool>() {
    let bounds = |n: i128| (-(n + 1) << 52, (1 << 62) + ((4 * n + 2) << 52));
    all_stay_within!(
        NEAREST,
        bounds,
        fma::amm::<Range<NEAREST>>,
        fma::ams::<Range<NEAREST>>,
        fma::amm_select::<Range<NEAREST>>
    );
}

#[test]
fn row_by_row() {
    of_words::<{ madd52::BY_ROWS }>(|n| (0, (4 * n + 2) << 52));
}

#[test]
fn in_pairs() {
    of_words::<{ madd52::BY_PAIRS }>(|n| (0, (4 * n + 2) << 52));
}

#[test]
fn in_short_rows() {
    of_words::<{ madd52::BY_SHORT_ROWS }>(|n| (0, (4 * n + 2) << 52));
}

#[test]
fn in_halves() {
    of_words::<{ madd52::BY_HALVES }>(|n| (-n << 52, (5 * n) << 52));
}

#[test]
fn by_floating_point_numbers() {
    of_numbers::<false>();
    of_numbers::<true>();
}
