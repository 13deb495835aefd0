//! `windows`: powers by sliding windows from the right, of each width, against the published choice of a width.
//!
//! `average/BITS` are powers to random exponents of BITS bits, `worst/BITS` to exponents of ones only, in which a
//! window follows upon the other. `docs/design/published.md` has the published widths; the report finds the widths that
//! were fastest here.

use super::{Experiment, Levels, Share, modexp::random_power, random_limbs};
use crate::{
    Bench, Error,
    record::{Row, Size},
};
use carrysave_arith::{Modulus, Nat};
use num_bigint::BigUint;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "windows",
    about: "powers by sliding windows of 1 to 8 bits from the right, exponents of 2 to 8192 bits, random ones and ones only",
    run,
    levels: Levels {
        quick: None,
        standard: Share::new(&[], 0.3, 10.0),
        full: Share::new(&[], 1.0, 30.0),
    },
};

const WIDTHS: std::ops::RangeInclusive<usize> = 1..=8;
/// The lengths of exponents.
const LENGTHS: [usize; 13] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
/// The bits of the modulus.
const MODULUS: usize = 1024;
/// The exponents at a time, so that a random one with many windows does not count.
const EXPONENTS: usize = 16;

/// The operations: the name that the lengths follow, and whether exponents are random.
const OPERATIONS: [(&str, bool); 2] = [("average", true), ("worst", false)];

fn run(bench: &mut Bench<'_>) -> Result<(), Error> {
    for modulus_bits in bench.limb_bits(&[MODULUS])? {
        let power = random_power(modulus_bits);
        let [base, n] = [&power.base, &power.modulus].map(|bytes| Nat::from_be_bytes(bytes));
        let modulus = &Modulus::with_cpu(&n, bench.cpu()).expect("the modulus is odd");
        let base = &modulus.reduce(&base);
        for (operation, random) in OPERATIONS {
            for bits in LENGTHS {
                let exponents: Vec<Nat> = (0..EXPONENTS).map(|_| exponent(bits, random)).collect();
                let answers: Vec<BigUint> =
                    exponents.iter().map(|e| expected(base, e, &n)).collect();
                let name = format!("{operation}/{bits}");
                let mut race = bench.race(&name, Size::Bits(modulus_bits));
                race.of_jobs(EXPONENTS);
                for width in WIDTHS {
                    let exponents = &exponents;
                    let powers = move |_: &mut ()| -> Vec<Nat> {
                        let power = |e| modulus.pow_windows_vartime(base, e, width);
                        exponents.iter().map(power).collect()
                    };
                    race.enter(
                        &contender(width),
                        || (),
                        powers,
                        |powers| match powers.iter().map(number).eq(answers.iter().cloned()) {
                            true => Ok(()),
                            false => Err("its power is wrong".to_owned()),
                        },
                    );
                }
                race.run();
            }
        }
    }
    Ok(())
}

fn contender(width: usize) -> String {
    format!("carrysave/window_{width}")
}

/// A number of `bits` bits: the highest one is set, the others are random or set.
fn exponent(bits: usize, random: bool) -> Nat {
    let mut limbs = match random {
        true => random_limbs(bits.div_ceil(64)),
        false => vec![u64::MAX; bits.div_ceil(64)],
    };
    let top = limbs.last_mut().expect("a limb at least");
    *top = (*top | 1 << 63) >> (bits.next_multiple_of(64) - bits);
    Nat::from_limbs(&limbs)
}

fn number(x: &Nat) -> BigUint {
    BigUint::from_bytes_be(&x.to_be_bytes_vartime())
}

fn expected(base: &Nat, exponent: &Nat, n: &Nat) -> BigUint {
    number(base).modpow(&number(exponent), &number(n))
}

/// The bits of exponents up to which windows of `width` bits were not slower than those of one bit more.
///
/// Lengths are cut in two where what both sides lose by it is least, so that noise makes no limit. There the difference of
/// the times is a line between two lengths, and the limit is where it changes its sign.
///
/// # Errors
/// Why there is none: a length was not measured with both widths, or the line does not change its sign.
pub(crate) fn limit(rows: &[&Row], operation: &str, width: usize) -> Result<f64, &'static str> {
    let rows = measured(rows, operation, width);
    let time = |bits: usize, width: usize| {
        let (operation, contender) = (format!("{operation}/{bits}"), contender(width));
        let is = |row: &&&Row| row.operation == operation && row.implementation == contender;
        rows.iter().find(is).map(|row| row.ns_median)
    };
    let pair = |&bits: &usize| Some([time(bits, width)?, time(bits, width + 1)?]);
    let times: Option<Vec<[f64; 2]>> = LENGTHS.iter().map(pair).collect();
    let times = times.ok_or(NOT_MEASURED)?;
    // What the side of a cut loses by its width, as a share at each length.
    let lost = |times: &[[f64; 2]], taken: usize| -> f64 {
        let share = |pair: &[f64; 2]| pair[taken] / pair[0].min(pair[1]) - 1.0;
        times.iter().map(share).sum()
    };
    let cost = |at: &usize| lost(&times[..*at], 0) + lost(&times[*at..], 1);
    let at = (1..LENGTHS.len()).min_by(|a, b| cost(a).total_cmp(&cost(b)));
    let at = at.expect("there are two lengths or more");
    let [from, to] = [at - 1, at].map(|i| LENGTHS[i] as f64);
    let [lead, lag] = [times[at - 1], times[at]].map(|[narrow, wide]| wide - narrow);
    match lead >= 0.0 && lag < 0.0 {
        true => Ok(from + (to - from) * lead / (lead - lag)),
        false => Err(NO_CROSSING),
    }
}

/// The measurements that [`limit`] compares: windows of `width` bits and of one bit more, at every length.
pub(crate) fn measured<'r>(rows: &[&'r Row], operation: &str, width: usize) -> Vec<&'r Row> {
    let operations = LENGTHS.map(|bits| format!("{operation}/{bits}"));
    let contenders = [width, width + 1].map(contender);
    let is = |row: &&Row| {
        row.experiment == EXPERIMENT.name
            && row.bits == Some(MODULUS)
            && operations.contains(&row.operation)
            && contenders.contains(&row.implementation)
    };
    rows.iter().copied().filter(is).collect()
}

/// What is said where the rows lack a race.
pub(crate) const NOT_MEASURED: &str =
    "these records lack a length at which both widths were measured";
const NO_CROSSING: &str =
    "neither width takes over from the other between two lengths: what differs there is noise";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::row;

    #[test]
    fn the_limit_is_where_the_lines_cross() {
        // By the text's formula for the average, where windows of 4 bits are best up to 480 bits.
        let multiplications =
            |bits: usize, k: usize| (bits + bits / (k + 1)) as f64 + f64::exp2(k as f64) - 1.0;
        let rows: Vec<Row> = LENGTHS
            .iter()
            .flat_map(|&bits| WIDTHS.map(move |k| (bits, k)))
            .map(|(bits, k)| {
                let time = multiplications(bits, k);
                row(
                    "windows",
                    &format!("average/{bits}"),
                    MODULUS,
                    &contender(k),
                    1,
                    time,
                )
            })
            .collect();
        let rows: Vec<&Row> = rows.iter().collect();
        let found = limit(&rows, "average", 4).unwrap();
        assert!((found - 480.0).abs() < 30.0, "{found}");
        assert_eq!(
            limit(&rows, "average", 8),
            Err(NOT_MEASURED),
            "nine bits were not raced"
        );
        assert_eq!(limit(&rows, "worst", 4), Err(NOT_MEASURED));
        // One length where noise says otherwise is no limit.
        let mut noisy: Vec<Row> = rows.iter().copied().cloned().collect();
        let slow =
            |row: &&mut Row| row.operation == "average/4096" && row.implementation == contender(5);
        noisy.iter_mut().find(slow).expect("a row").ns_median *= 1.05;
        assert_eq!(
            limit(&noisy.iter().collect::<Vec<_>>(), "average", 4),
            Ok(found)
        );
        // Where one width is always the faster one, none takes over.
        for row in noisy
            .iter_mut()
            .filter(|row| row.implementation == contender(5))
        {
            row.ns_median *= 2.0;
        }
        assert_eq!(
            limit(&noisy.iter().collect::<Vec<_>>(), "average", 4),
            Err(NO_CROSSING)
        );
    }

    #[test]
    fn exponents_have_their_length() {
        for bits in LENGTHS {
            for random in [false, true] {
                assert_eq!(exponent(bits, random).bits_vartime(), bits);
            }
        }
        assert_eq!(exponent(8, false), Nat::from_limb(255));
    }
}
