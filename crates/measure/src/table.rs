//! Rows as an aligned table for people.

use crate::record::Row;

/// The columns of [`lines`].
pub fn heading() -> String {
    line([
        "operation",
        "size",
        "threads",
        "implementation",
        "ops/s | c | c/B",
        "median",
        "spread",
        "GHz",
        "against the first",
    ])
}

/// The lines of one race, aligned; the last column compares with the first row.
pub fn lines(rows: &[Row]) -> Vec<String> {
    let reference = rows.first().map_or(1.0, |row| row.ns_median);
    let short = reference < SHORT;
    let text = |(i, row): (usize, &Row)| {
        let size = match (row.bits, row.bytes) {
            (Some(bits), _) => format!("{bits} b"),
            (None, Some(bytes)) => format!("{bytes} B"),
            (None, None) => String::new(),
        };
        line([
            if i == 0 { &row.operation } else { "" },
            if i == 0 { &size } else { "" },
            &row.threads.to_string(),
            &row.implementation,
            &pace(row, short),
            &duration(row.ns_median),
            &format!("{:.1} %", 100.0 * row.ns_spread / row.ns_median),
            &format!("{:.2}", row.core_ghz),
            &if i == 0 {
                String::new()
            } else {
                against(row.ns_median / reference)
            },
        ])
    };
    rows.iter().enumerate().map(text).collect()
}

fn line(
    [
        operation,
        size,
        threads,
        implementation,
        rate,
        median,
        spread,
        ghz,
        ratio,
    ]: [&str; 9],
) -> String {
    format!(
        "{operation:<27} {size:>8} {threads:>7} {implementation:<39} {rate:>11} {median:>9} {spread:>7} {ghz:>5}  {ratio}"
    )
    .trim_end()
    .to_owned()
}

/// A time as a multiple of the reference's: `1.30 x slower`.
fn against(times: f64) -> String {
    if times >= 1.0 {
        format!("{times:.2} x slower")
    } else {
        format!("{:.2} x faster", 1.0 / times)
    }
}

/// Nanoseconds with a fitting unit and about three digits.
fn duration(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let decimals = if value < 10.0 {
        2
    } else {
        usize::from(value < 100.0)
    };
    format!("{value:.decimals$} {unit}")
}

/// A race whose first contender takes fewer nanoseconds than this is told in cycles.
const SHORT: f64 = 10_000.0;

/// Cycles a byte where bytes are worked on, cycles in a short race, and operations a second elsewhere.
fn pace(row: &Row, short: bool) -> String {
    match row.cycles_per_byte() {
        Some(cycles) => format!("{cycles:.3} c/B"),
        None if short => format!("{:.1} c", row.cycles()),
        None => rate(row.ops_per_second),
    }
}

/// Operations a second, with a separator between thousands.
fn rate(per_second: f64) -> String {
    if per_second < 100.0 {
        return format!("{per_second:.2}");
    }
    let digits = format!("{per_second:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{race::Measurement, record::Size};

    fn row(name: &str, ns_median: f64) -> Row {
        let measured = Measurement {
            name: name.to_owned(),
            ns_median,
            ns_spread: ns_median / 100.0,
            samples: 25,
            core_ghz: 3.7,
        };
        Row::new("rsa", "sign", Size::Bits(2048), 1, &measured)
    }

    #[test]
    fn a_table_lines_up_and_compares_with_the_first() {
        let table = lines(&[
            row("carrysave", 400_000.0),
            row("ring", 520_000.0),
            row("quick", 200_000.0),
        ]);
        let expected = [
            "sign                          2048 b       1 carrysave                                     2,500    400 us   1.0 %  3.70",
            "                                           1 ring                                          1,923    520 us   1.0 %  3.70  1.30 x slower",
            "                                           1 quick                                         5,000    200 us   1.0 %  3.70  2.00 x faster",
        ];
        assert_eq!(table, expected);
        let column = heading().find("implementation").unwrap();
        assert!(table[0][column..].starts_with("carrysave"));
    }

    #[test]
    fn what_is_short_has_cycles() {
        assert!(lines(&[row("carrysave", 10.0)])[0].contains("  37.0 c   10.0 ns"));
    }

    #[test]
    fn a_race_has_one_unit() {
        let race = |first, second| lines(&[row("first", first), row("second", second)]);
        let short = race(9_000.0, 11_000.0);
        assert!(short[0].contains(" 33300.0 c ") && short[1].contains(" 40700.0 c "));
        let long = race(11_000.0, 9_000.0);
        assert!(long[0].contains(" 90,909 ") && long[1].contains(" 111,111 "));
    }

    #[test]
    fn bytes_have_cycles() {
        let mut row = row("carrysave", 1000.0);
        (row.bits, row.bytes) = (None, Some(16_384));
        assert!(lines(&[row])[0].contains("  0.226 c/B   1.00 us"));
    }

    #[test]
    fn figures_read_well() {
        assert_eq!(
            [rate(12.345), rate(123.4), rate(1_234_567.8)],
            ["12.35", "123", "1,234,568"]
        );
        assert_eq!(
            [duration(1.234), duration(45_678.0), duration(2.5e9)],
            ["1.23 ns", "45.7 us", "2.50 s"]
        );
    }
}
