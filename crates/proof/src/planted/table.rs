//! The tables of faults, as text.
//!
//! ```text
//! # A comment.
//! [src/rsa/pss.rs] schemes/rsa wycheproof pss; schemes/lib
//! emsa_pss_verify: em[em_len - 1] != 0xbc ⇒ false
//! emsa_pss_verify: ⇒ Ok(())
//! emsa_pss_verify: zeros > 0 ⇒ zeros >= 1 ≡ both say so of a whole number
//! ```
//!
//! A bracket names the file, within the crate, of the faults below it, and the tests that should find them: a crate, a
//! target of it (`lib` for unit tests), and words that names of tests contain. A fault is a function, an expression of it,
//! and its replacement. Without an expression the function returns the replacement at once. Behind `≡` stands why no
//! test can find the fault.

use std::{fmt, sync::Arc};

/// Tests of one target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tests {
    /// The crate, without `carrysave-`.
    pub package: String,
    /// The target: a file or folder of `tests`, or `lib`.
    pub target: String,
    /// What the names of the tests contain; all tests if empty.
    pub words: Vec<String>,
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.package, self.target)?;
        self.words.iter().try_for_each(|word| write!(f, " {word}"))
    }
}

/// A fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its number in the table of its crate, from 1.
    pub number: usize,
    /// The file, within the crate.
    pub file: String,
    /// The function.
    pub function: String,
    /// The expression, or nothing for the whole function.
    pub before: String,
    /// What replaces it.
    pub after: String,
    /// Why no test can find it, if none can.
    pub equal: Option<String>,
    /// The tests that should find it.
    pub tests: Arc<[Tests]>,
}

/// The faults of a table.
///
/// # Errors
/// A sentence that names the first line that is not as the [module](self) says.
pub fn read(text: &str) -> Result<Vec<Fault>, String> {
    let mut faults = Vec::new();
    let mut place: Option<(&str, Arc<[Tests]>)> = None;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        let wrong = |why: &str| format!("line {}: {why}: {line}", i + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(head) = line.strip_prefix('[') {
            let (file, lists) = head
                .split_once(']')
                .ok_or_else(|| wrong("a file stands between brackets"))?;
            let tests: Option<Vec<Tests>> = lists.split(';').map(tests).collect();
            let tests = tests.ok_or_else(|| wrong("tests are crate/target and words"))?;
            place = Some((file, tests.into()));
            continue;
        }
        let (file, tests) = place
            .as_ref()
            .ok_or_else(|| wrong("a file comes before its faults"))?;
        let (function, change) = line
            .split_once(':')
            .ok_or_else(|| wrong("a function and a colon come first"))?;
        let (before, after) = change
            .split_once('⇒')
            .ok_or_else(|| wrong("an arrow ⇒ stands between what is and what is planted"))?;
        let (after, equal) = match after.split_once('≡') {
            Some((after, why)) => (after, Some(why.trim().to_owned())),
            None => (after, None),
        };
        faults.push(Fault {
            number: faults.len() + 1,
            file: (*file).to_owned(),
            function: function.trim().to_owned(),
            before: before.trim().to_owned(),
            after: after.trim().to_owned(),
            equal,
            tests: tests.clone(),
        });
    }
    Ok(faults)
}

fn tests(list: &str) -> Option<Tests> {
    let mut words = list.split_whitespace().map(str::to_owned);
    let first = words.next()?;
    let (package, target) = first.split_once('/')?;
    Some(Tests {
        package: package.to_owned(),
        target: target.to_owned(),
        words: words.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_table_is_read() {
        let faults = read(
            "# why\n[src/a.rs] schemes/rsa one two; schemes/lib\n\nf: a < b ⇒ a <= b\ng: ⇒ None\n[src/b.rs] arith/nat\n\
             h: x ⇒ y ≡ they are one",
        )
        .unwrap();
        assert_eq!(faults.len(), 3);
        assert_eq!(
            (&faults[0].before[..], &faults[0].after[..]),
            ("a < b", "a <= b")
        );
        assert_eq!(faults[0].tests.len(), 2);
        assert_eq!(faults[0].tests[0].words, ["one", "two"]);
        assert_eq!(faults[1].before, "");
        assert_eq!((faults[2].number, &faults[2].file[..]), (3, "src/b.rs"));
        assert_eq!(faults[2].equal.as_deref(), Some("they are one"));
    }

    #[test]
    fn other_text_is_refused_with_its_line() {
        for (text, line) in [
            ("f: a ⇒ b", "line 1"),
            ("[src/a.rs]", "line 1"),
            ("[src/a.rs", "line 1"),
            ("[src/a.rs] rsa", "line 1"),
            ("[src/a.rs] schemes/rsa\nf: a = b", "line 2"),
            ("[src/a.rs] schemes/rsa\n\na ⇒ b", "line 3"),
        ] {
            assert!(read(text).unwrap_err().starts_with(line), "{text}");
        }
    }
}
