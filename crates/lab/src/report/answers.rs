//! What most readers come for: for each task the fastest way on this machine, and how much faster than others it is.

use super::panel::{contender, is_bound, ours};
use crate::record::Row;

/// A task that records may know several ways to do.
pub struct Task {
    /// As a reader would ask for it.
    pub name: &'static str,
    /// Its size as records have it: bits, or bytes for bulk data.
    pub size: usize,
    /// The experiments and operations that do it, an operation with a slash at its end standing for all that begin so.
    pub ways: &'static [(&'static str, &'static str)],
}

/// The tasks of the first page, those of one operation first.
pub static TASKS: &[Group] = &[
    Group {
        title: "One at a time: how soon",
        tasks: &[
            task("RSA-2048: sign or decrypt", 2048, ONE_PRIVATE),
            task("RSA-3072: sign or decrypt", 3072, ONE_PRIVATE),
            task("RSA-4096: sign or decrypt", 4096, ONE_PRIVATE),
            task("RSA-8192: sign or decrypt", 8192, ONE_PRIVATE),
            task(
                "RSA-2048: verify",
                2048,
                &[("rsa", "verify"), ("batch", "public/1")],
            ),
            task(
                "RSA-4096: verify",
                4096,
                &[("rsa", "verify"), ("batch", "public/1")],
            ),
            task(
                "Power modulo 4096 bits",
                4096,
                &[("modexp", "modexp"), ("teams", "power")],
            ),
            task("X25519: shared secret", 255, &[("curves", "x25519/agree")]),
            task("P-256: shared secret", 256, &[("curves", "p-256/agree")]),
        ],
    },
    Group {
        title: "Many at once: how many",
        tasks: &[
            task("RSA-2048: sign", 2048, &[("batch", "private/")]),
            task("RSA-3072: sign", 3072, &[("batch", "private/")]),
            task("RSA-4096: sign", 4096, &[("batch", "private/")]),
            task("RSA-2048: verify", 2048, &[("batch", "public/")]),
            task("RSA-4096: verify", 4096, &[("batch", "public/")]),
            task(
                "DH-2048: shared secret",
                2048,
                &[
                    ("schemes", "dh/key-agreement/"),
                    ("schemes", "dh/key-agreement"),
                ],
            ),
            task(
                "DSA-2048: sign",
                2048,
                &[("schemes", "dsa/signature/"), ("schemes", "dsa/signature")],
            ),
            task("X25519: shared secret", 255, &[("curves", "x25519/many")]),
        ],
    },
    Group {
        title: "Bulk data, one thread",
        tasks: &[
            task("AES-128-CTR", 16_384, &[("symmetric", "aes-128/ctr")]),
            task("AES-256-CTR", 16_384, &[("symmetric", "aes-256/ctr")]),
            task(
                "AES-128-CBC, decrypt",
                16_384,
                &[("symmetric", "aes-128/cbc-decrypt")],
            ),
            task(
                "Threefish-512-CTR",
                16_384,
                &[("symmetric", "threefish-512/ctr")],
            ),
            task("Hash of 1 MiB", 1 << 20, &[("symmetric", "hash")]),
        ],
    },
];

const ONE_PRIVATE: &[(&str, &str)] = &[
    ("rsa", "sign"),
    ("batch", "private/1"),
    ("teams", "private"),
];

const fn task(
    name: &'static str,
    size: usize,
    ways: &'static [(&'static str, &'static str)],
) -> Task {
    Task { name, size, ways }
}

/// Tasks under one heading.
pub struct Group {
    /// The heading.
    pub title: &'static str,
    /// The tasks.
    pub tasks: &'static [Task],
}

/// What the records say about a task.
#[derive(Clone, Debug)]
pub struct Answer<'r> {
    /// Our fastest way.
    pub ours: &'r Row,
    /// The fastest way of each other, fastest first.
    pub rivals: Vec<&'r Row>,
}

impl Answer<'_> {
    /// How many times as many operations a second as this one has ours does.
    pub fn times(&self, rival: &Row) -> f64 {
        rival.ns_median / self.ours.ns_median
    }

    /// The fastest way of the one of this name.
    pub fn rival(&self, name: &str) -> Option<&Row> {
        self.rivals.iter().find(|row| owner(row) == name).copied()
    }
}

/// Who wrote it: the implementation's name up to a slash.
pub fn owner(row: &Row) -> &str {
    row.implementation.split('/').next().unwrap_or_default()
}

/// How the row does it, in words: the implementation's own way, how many at once, on how many threads.
pub fn how(row: &Row) -> String {
    let at_once = row
        .operation
        .rsplit_once('/')
        .and_then(|(_, jobs)| jobs.parse::<usize>().ok());
    match at_once {
        Some(jobs) if jobs > 1 => format!("{}, {jobs} at once", contender(row)),
        _ => contender(row),
    }
}

impl Task {
    /// The best of the rows, where one of ours is among them.
    pub fn answer<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> Option<Answer<'r>> {
        let mut best: Vec<&Row> = vec![];
        for row in rows.filter(|row| self.is_done_by(row)) {
            match best.iter_mut().find(|other| owner(other) == owner(row)) {
                Some(other) if other.ns_median > row.ns_median => *other = row,
                Some(_) => {}
                None => best.push(row),
            }
        }
        best.sort_by(|a, b| a.ns_median.total_cmp(&b.ns_median));
        let ours = best.remove(best.iter().position(|row| ours(row))?);
        Some(Answer { ours, rivals: best })
    }

    fn is_done_by(&self, row: &Row) -> bool {
        let way = |(experiment, operation): &(&str, &str)| {
            row.experiment == *experiment
                && match operation.ends_with('/') {
                    true => row.operation.starts_with(operation),
                    false => row.operation == *operation,
                }
        };
        !is_bound(row) && row.bits.or(row.bytes) == Some(self.size) && self.ways.iter().any(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::row;

    #[test]
    fn each_side_may_use_its_fastest_way() {
        let rows = [
            row("batch", "private/1", 2048, "carrysave", 1, 90.0),
            row("batch", "private/64", 2048, "carrysave/batch", 2, 10.0),
            row("batch", "private/64", 2048, "openssl", 2, 40.0),
            row("batch", "private/64", 2048, "openssl", 1, 80.0),
            row("batch", "private/64", 4096, "openssl", 1, 1.0),
            row("batch", "public/64", 2048, "aws-lc", 1, 1.0),
            row("batch", "private/64", 2048, "bound/mulx", 1, 1.0),
        ];
        let task = task("sign", 2048, &[("batch", "private/")]);
        let answer = task.answer(rows.iter()).unwrap();
        assert_eq!(how(answer.ours), "carrysave/batch, 2 threads, 64 at once");
        assert_eq!(answer.rivals.len(), 1);
        assert_eq!(answer.times(answer.rival("openssl").unwrap()), 4.0);
        assert!(task.answer(rows[2..].iter()).is_none(), "nothing of ours");
    }
}
