//! Values as text.

/// About three digits, without a point where there are that many before it, and commas from five digits on.
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    match magnitude {
        0.0 => "0".to_owned(),
        m if m >= 1e4 => grouped(value),
        m if m >= 100.0 => format!("{value:.0}"),
        m if m >= 10.0 => trim(format!("{value:.1}")),
        m if m >= 1.0 => trim(format!("{value:.2}")),
        m if m >= 0.001 => trim(format!("{value:.4}")),
        _ => format!("{value:.2e}"),
    }
}

/// A whole number with a comma before each three digits.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if digit.is_ascii_digit()
            && out.ends_with(|c: char| c.is_ascii_digit())
            && (digits.len() - i) % 3 == 0
        {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn trim(text: String) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Nanoseconds with a unit that fits.
pub fn duration(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        ns if ns < 1e3 => (1.0, "ns"),
        ns if ns < 1e6 => (1e3, "µs"),
        ns if ns < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", number(ns / value))
}

/// Operations a second.
pub fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 9.95e8 => format!("{} G/s", number(r / 1e9)),
        r if r >= 9.95e5 => format!("{} M/s", number(r / 1e6)),
        r if r >= 9.95e3 => format!("{} k/s", number(r / 1e3)),
        r => format!("{}/s", number(r)),
    }
}

/// Bytes with a unit that fits.
pub fn bytes(n: f64) -> String {
    match n {
        n if n >= 1_048_576.0 => format!("{} MiB", number(n / 1_048_576.0)),
        n if n >= 1024.0 => format!("{} KiB", number(n / 1024.0)),
        n => format!("{n:.0} B"),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Fails unless every tag is closed in turn, by the next one that could close it.
    pub fn check_nesting(html: &str) {
        const VOID: [&str; 2] = ["meta", "br"];
        const RAW: [&str; 2] = ["style", "script"];
        let mut open: Vec<&str> = vec![];
        let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("HTML");
        while let Some((text, tag)) = rest.split_once('<') {
            assert!(!text.contains('>'), "a bracket in {text:?}");
            let (tag, after) = tag.split_once('>').expect("the end of a tag");
            rest = after;
            let name = tag.split([' ', '/']).find(|word| !word.is_empty());
            let name = name.expect("a tag has a name");
            assert!(
                tag.matches('"').count().is_multiple_of(2),
                "quotes in <{tag}>"
            );
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "after {text:?}");
            } else if RAW.contains(&name) {
                let end = format!("</{name}>");
                rest = rest.split_once(&end[..]).expect("it ends").1;
            } else if !VOID.contains(&name) && !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "left open: {open:?}");
        assert_eq!(rest.trim(), "");
    }

    #[test]
    fn nesting_is_seen() {
        check_nesting("<!DOCTYPE html>\n<p a=\"b\">c<br/><i>d</i></p><script>a < b</script>\n");
        for wrong in ["<p><i></p></i>", "<p>", "</p>", "<p a=\"></p>", "a > b"] {
            let page = format!("<!DOCTYPE html>{wrong}");
            assert!(
                std::panic::catch_unwind(|| check_nesting(&page)).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn values_read_well() {
        assert_eq!(
            [number(1234.5), number(12.04), number(0.0815), number(0.0)],
            ["1234", "12", "0.0815", "0"]
        );
        assert_eq!(
            [number(11_100_000.0), number(-645_120.0), number(1e4)],
            ["11,100,000", "-645,120", "10,000"]
        );
        assert_eq!(
            [duration(12.3), duration(4_560.0), duration(2.5e9)],
            ["12.3 ns", "4.56 µs", "2.5 s"]
        );
        assert_eq!(
            [rate(12.3), rate(17_500.0), rate(1.2e9)],
            ["12.3/s", "17.5 k/s", "1.2 G/s"]
        );
        assert_eq!(
            [bytes(16.0), bytes(16_384.0), bytes(1_048_576.0)],
            ["16 B", "16 KiB", "1 MiB"]
        );
    }
}
