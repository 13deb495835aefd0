//! What most readers come for: for each task the fastest way on this machine, and how much faster than others it is.
//! An answer is one race, as figures of two races may be of different work, threads and days.

use super::panel::{is_bound, ours};
use crate::record::Row;

/// A task that records may know.
pub struct Task {
    /// Its name, in a reader's words.
    pub name: &'static str,
    /// Its size as records have it: bits, or bytes for bulk data.
    pub size: usize,
    /// The experiment and the operation whose races answer. They do what a call from outside does, ours and the others'
    /// alike, so that no figure stands beside one of other work.
    pub race: (&'static str, &'static str),
}

/// RSA-4096, one at a time and many at once: what the page says before all else.
pub static FIRST: [Task; 2] = [
    task("RSA-4096: sign or decrypt", 4096, SIGN),
    task("RSA-4096: sign", 4096, SIGN_MANY),
];

/// The tasks of the first page, those of one operation first.
pub static TASKS: &[Group] = &[
    Group {
        title: "One at a time: how soon",
        tasks: &[
            task("RSA-2048: sign or decrypt", 2048, SIGN),
            task("RSA-3072: sign or decrypt", 3072, SIGN),
            task("RSA-4096: sign or decrypt", 4096, SIGN),
            task("RSA-8192: sign or decrypt", 8192, SIGN),
            task("RSA-2048: verify", 2048, ("rsa", "verify")),
            task("RSA-4096: verify", 4096, ("rsa", "verify")),
            task("Power modulo 4096 bits", 4096, ("modexp", "modexp")),
            task("X25519: shared secret", 255, ("curves", "x25519/agree")),
            task("P-256: shared secret", 256, ("curves", "p-256/agree")),
            task("ECDSA on P-256: sign", 256, ("curves", "p-256/sign")),
            task("ECDSA on P-256: verify", 256, ("curves", "p-256/verify")),
            task("Ed25519: sign", 255, ("curves", "ed25519/sign")),
            task("Ed25519: verify", 255, ("curves", "ed25519/verify")),
        ],
    },
    Group {
        title: "Many at once: how many",
        tasks: &[
            task("RSA-2048: sign", 2048, SIGN_MANY),
            task("RSA-3072: sign", 3072, SIGN_MANY),
            task("RSA-4096: sign", 4096, SIGN_MANY),
            task("RSA-2048: verify", 2048, ("batch", "public/64")),
            task("RSA-4096: verify", 4096, ("batch", "public/64")),
            task(
                "DH-2048: shared secret",
                2048,
                ("schemes", "dh/key-agreement/64"),
            ),
            task("DSA-2048: sign", 2048, ("schemes", "dsa/signature/64")),
            task("X25519: shared secret", 255, ("curves", "x25519/many")),
            task("P-256: shared secret", 256, ("curves", "p-256/many")),
            task("ECDSA on P-256: sign", 256, ("curves", "p-256/sign-many")),
            task(
                "ECDSA on P-256: verify",
                256,
                ("curves", "p-256/verify-many"),
            ),
            task("Ed25519: sign", 255, ("curves", "ed25519/sign-many")),
            task("Ed25519: verify", 255, ("curves", "ed25519/verify-many")),
        ],
    },
    Group {
        title: "Bulk data",
        tasks: &[
            task("AES-128-CTR", 16_384, ("symmetric", "aes-128/ctr")),
            task("AES-256-CTR", 16_384, ("symmetric", "aes-256/ctr")),
            task(
                "AES-128-CBC, decrypt",
                16_384,
                ("symmetric", "aes-128/cbc-decrypt"),
            ),
            task(
                "Threefish-512-CTR",
                16_384,
                ("symmetric", "threefish-512/ctr"),
            ),
            task(
                "Hash, by whichever function each is fastest at",
                1 << 20,
                ("symmetric", "hash"),
            ),
        ],
    },
];

const SIGN: (&str, &str) = ("rsa", "sign");
const SIGN_MANY: (&str, &str) = ("batch", "private/64");

const fn task(name: &'static str, size: usize, race: (&'static str, &'static str)) -> Task {
    Task { name, size, race }
}

/// Tasks under one heading.
pub struct Group {
    /// The heading.
    pub title: &'static str,
    /// The tasks.
    pub tasks: &'static [Task],
}

/// What one race says about a task.
#[derive(Clone, Debug)]
pub struct Answer<'r> {
    /// Our fastest way.
    pub ours: &'r Row,
    /// The fastest way of each other in the same race, fastest first.
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

/// Whether it does many operations at once.
fn is_batched(row: &Row) -> bool {
    let mut parts = row.implementation.split('/');
    parts.any(|part| part == "batch" || part == "lanes")
}

/// How the row does it, in words: the implementation's own way, how many at once, and on how many threads everyone.
pub fn how(row: &Row) -> String {
    let together = if is_batched(row) {
        "at once"
    } else {
        "one by one"
    };
    let at_once = row
        .operation
        .rsplit_once('/')
        .and_then(|(_, jobs)| jobs.parse::<usize>().ok())
        .map_or(String::new(), |jobs| format!(", {jobs} {together}"));
    let threads = match row.threads {
        0 | 1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    format!("{}{at_once}; all on {threads}", row.implementation)
}

impl Task {
    /// The race that ours is fastest in: there is one for each number of threads.
    pub fn answer<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> Option<Answer<'r>> {
        let mut rows: Vec<&Row> = rows.filter(|row| self.is_done_by(row)).collect();
        rows.sort_by(|a, b| a.ns_median.total_cmp(&b.ns_median));
        let best = rows.iter().copied().find(|row| ours(row))?;
        let mut rivals: Vec<&Row> = vec![];
        for row in rows {
            let is_new = !ours(row) && !rivals.iter().any(|other| owner(other) == owner(row));
            if row.threads == best.threads && is_new {
                rivals.push(row);
            }
        }
        Some(Answer { ours: best, rivals })
    }

    /// What ours takes one by one, where it is fastest at many at once and no rival can do that: in the same race, or in
    /// that of one at a time.
    pub fn one_by_one<'r>(&self, at_once: &Answer<'r>, rows: &[&'r Row]) -> Option<Answer<'r>> {
        let rivals_can = at_once.rivals.iter().any(|rival| is_batched(rival));
        if rivals_can || !is_batched(at_once.ours) {
            return None;
        }
        let one_by_one = |race| {
            let asked = |row: &&Row| row.threads == at_once.ours.threads && !is_batched(row);
            Task { race, ..*self }.answer(rows.iter().copied().filter(asked))
        };
        let (experiment, operation) = self.race;
        one_by_one(self.race).or_else(|| one_by_one((experiment, operation.rsplit_once('/')?.0)))
    }

    /// Whether the row is of its races.
    pub fn is_done_by(&self, row: &Row) -> bool {
        self.race == (&row.experiment[..], &row.operation[..])
            && row.bits.or(row.bytes) == Some(self.size)
            && !is_bound(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::row;

    #[test]
    fn an_answer_is_of_one_race() {
        let rows = [
            row("batch", "private/1", 2048, "carrysave", 1, 1.0),
            row("teams", "private", 2048, "carrysave/team", 2, 1.0),
            row("batch", "private/64", 2048, "carrysave/batch", 2, 10.0),
            row("batch", "private/64", 2048, "carrysave", 2, 20.0),
            row("batch", "private/64", 2048, "openssl", 2, 40.0),
            row("batch", "private/64", 2048, "carrysave/batch", 1, 25.0),
            row("batch", "private/64", 2048, "openssl", 1, 30.0),
            row("batch", "private/64", 2048, "aws-lc", 1, 30.0),
            row("batch", "private/64", 4096, "openssl", 2, 1.0),
            row("batch", "public/64", 2048, "aws-lc", 2, 1.0),
            row("batch", "private/64", 2048, "bound/mulx", 2, 1.0),
        ];
        let task = task("sign", 2048, SIGN_MANY);
        let answer = task.answer(rows.iter()).unwrap();
        assert_eq!(
            how(answer.ours),
            "carrysave/batch, 64 at once; all on 2 threads"
        );
        assert_eq!(answer.rivals.len(), 1);
        assert_eq!(answer.times(answer.rival("openssl").unwrap()), 4.0);
        assert!(task.answer(rows[6..].iter()).is_none(), "nothing of ours");
        let rows: Vec<&Row> = rows.iter().collect();
        let alone = task.one_by_one(&answer, &rows).unwrap();
        assert_eq!(
            how(alone.ours),
            "carrysave, 64 one by one; all on 2 threads"
        );
        assert_eq!(alone.times(alone.rival("openssl").unwrap()), 2.0);
        assert!(task.one_by_one(&alone, &rows).is_none(), "it is one by one");
    }

    #[test]
    fn one_by_one_is_in_another_race_where_only_that_has_it() {
        let rows = [
            row(
                "schemes",
                "dsa/signature/64",
                2048,
                "carrysave/batch",
                1,
                10.0,
            ),
            row("schemes", "dsa/signature/64", 2048, "openssl", 1, 40.0),
            row(
                "schemes",
                "dsa/signature",
                2048,
                "carrysave/in-use",
                1,
                15.0,
            ),
            row("schemes", "dsa/signature", 2048, "openssl", 1, 45.0),
        ];
        let task = task("sign", 2048, ("schemes", "dsa/signature/64"));
        let rows: Vec<&Row> = rows.iter().collect();
        let answer = task.answer(rows.iter().copied()).unwrap();
        let alone = task.one_by_one(&answer, &rows).unwrap();
        assert_eq!(alone.times(alone.rival("openssl").unwrap()), 3.0);
        // A rival with batches makes the comparison itself.
        let batched = row("schemes", "dsa/signature/64", 2048, "other/batch", 1, 20.0);
        let rows: Vec<&Row> = rows.into_iter().chain([&batched]).collect();
        let answer = task.answer(rows.iter().copied()).unwrap();
        assert!(task.one_by_one(&answer, &rows).is_none());
    }
}
