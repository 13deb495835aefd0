//! Source with faults in it.

use super::{AWAKE, table::Fault};
use std::ops::Range;

/// An expression, and the faults that replace it.
struct Site<'a> {
    at: Range<usize>,
    faults: Vec<&'a Fault>,
}

/// The source of a file with all its faults, each of which sleeps until it is named.
///
/// # Errors
/// A line for each fault that does not fit: its function is missing, its expression is not there exactly once, or it
/// overlaps with another in part.
pub fn plant<'a>(
    source: &str,
    faults: impl IntoIterator<Item = &'a Fault>,
) -> Result<String, String> {
    let mut sites: Vec<Site<'a>> = Vec::new();
    let mut wrong = Vec::new();
    for fault in faults {
        let at = match find(source, fault) {
            Ok(at) => at,
            Err(why) => {
                let Fault {
                    file,
                    function,
                    before,
                    ..
                } = fault;
                wrong.push(format!("{file}, {function}: `{before}` {why}"));
                continue;
            }
        };
        match sites.iter_mut().find(|site| site.at == at) {
            Some(site) => site.faults.push(fault),
            None => sites.push(Site {
                at,
                faults: vec![fault],
            }),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    // What holds another comes before it.
    sites.sort_by_key(|site| (site.at.start, usize::MAX - site.at.end));
    let mut planted = String::new();
    let rest = write(source, 0..source.len(), &sites, &mut planted)?;
    assert!(rest.is_empty(), "every site is in the file");
    Ok(planted)
}

/// Writes a part of the source with the sites in it; returns the sites behind it.
fn write<'a, 'b>(
    source: &str,
    part: Range<usize>,
    mut sites: &'a [Site<'b>],
    out: &mut String,
) -> Result<&'a [Site<'b>], String> {
    let mut done = part.start;
    while let Some((site, rest)) = sites.split_first() {
        if site.at.start >= part.end {
            break;
        }
        if site.at.end > part.end {
            let fault = site.faults[0];
            return Err(format!(
                "{}, {}: `{}` overlaps with another fault",
                fault.file, fault.function, fault.before
            ));
        }
        out.push_str(&source[done..site.at.start]);
        done = site.at.end;
        if site.at.is_empty() {
            for Fault { number, after, .. } in &site.faults {
                out.push_str(&format!(
                    " if crate::planted({number}) {{ return {after}; }}"
                ));
            }
            sites = rest;
            continue;
        }
        out.push('(');
        for Fault { number, after, .. } in &site.faults {
            out.push_str(&format!("if crate::planted({number}) {{ {after} }} else "));
        }
        out.push_str("{ ");
        sites = write(source, site.at.clone(), rest, out)?;
        out.push_str(" })");
    }
    out.push_str(&source[done..part.end]);
    Ok(sites)
}

/// Where the fault's expression is: in a function of this name, once in all.
fn find(source: &str, fault: &Fault) -> Result<Range<usize>, String> {
    let bodies = bodies(source, &fault.function);
    let before = &fault.before[..];
    // Nothing is at the start of a body, and everywhere else.
    let most = if before.is_empty() { 1 } else { usize::MAX };
    let places: Vec<Range<usize>> = bodies
        .iter()
        .flat_map(|body| {
            let found = source[body.clone()].match_indices(before).take(most);
            found.map(|(at, _)| body.start + at..body.start + at + before.len())
        })
        .collect();
    match &places[..] {
        [place] => Ok(place.clone()),
        _ => Err(format!(
            "is {} times in {} functions of this name",
            places.len(),
            bodies.len()
        )),
    }
}

/// The bodies of the functions of a name, in source as `cargo fmt` writes it.
fn bodies(source: &str, name: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let call = format!("fn {name}");
    for (at, _) in source.match_indices(&call) {
        if !source[at + call.len()..].starts_with(['(', '<']) {
            continue;
        }
        let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
        let indent: String = source[line..].chars().take_while(|c| *c == ' ').collect();
        let Some(open) = source[at..].find("{\n").map(|open| at + open + 1) else {
            continue;
        };
        if let Some(len) = source[open..].find(&format!("\n{indent}}}")) {
            found.push(open..open + len);
        }
    }
    found
}

/// The `lib.rs` of a crate with what names its faults.
#[must_use]
pub fn switch(package: &str, source: Vec<u8>) -> Vec<u8> {
    let end = format!(
        r#"
/// Whether the fault of this number is awake.
pub(crate) fn planted(number: u32) -> bool {{
    static AWAKE: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {{
        let name = std::env::var("{AWAKE}").unwrap_or_default();
        name.strip_prefix("{package}/").and_then(|n| n.parse().ok()).unwrap_or(0)
    }});
    *AWAKE == number
}}
"#
    );
    // A replacement may leave something unused.
    [
        b"#![allow(unused, clippy::all)]\n",
        &source[..],
        end.as_bytes(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::plant;
    use crate::planted::table::read;

    const SOURCE: &str = "\
fn f<T>(a: u32, b: u32) -> bool {
    if a < b && b < 10 {
        return true;
    }
    g(a)
}

impl S {
    fn g(&self) {
        self.h()?
    }
}
";

    fn planted(rows: &str) -> Result<String, String> {
        let faults = read(&format!("[src/a.rs] arith/nat\n{rows}")).unwrap();
        plant(SOURCE, &faults)
    }

    #[test]
    fn expressions_are_replaced_where_they_are_named() {
        let source = planted("f: a < b ⇒ a <= b\ng: self.h()? ⇒ ()").unwrap();
        assert!(source.contains("if (if crate::planted(1) { a <= b } else { a < b }) && b < 10 {"));
        assert!(source.contains("        (if crate::planted(2) { () } else { self.h()? })\n"));
    }

    #[test]
    fn faults_share_a_place_and_lie_within_others() {
        let source =
            planted("f: b < 10 ⇒ true\nf: a < b && b < 10 ⇒ false\nf: b < 10 ⇒ b < 11\nf: ⇒ true")
                .unwrap();
        assert!(source.starts_with(
            "fn f<T>(a: u32, b: u32) -> bool { if crate::planted(4) { return true; }\n    if (if crate::planted(2) { \
             false } else { a < b && (if crate::planted(1) { true } else if crate::planted(3) { b < 11 } else { b < 10 \
             }) }) {"
        ));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (row, why) in [
            ("f: a > b ⇒ true", "is 0 times in 1 functions"),
            ("f: b ⇒ a", "is 2 times in 1 functions"),
            ("h: a ⇒ b", "is 0 times in 0 functions"),
            ("f: a < b && ⇒ true\nf: b && b < 10 ⇒ true", "overlaps"),
        ] {
            let error = planted(row).unwrap_err();
            assert!(error.contains(why), "{row}: {error}");
        }
    }
}
