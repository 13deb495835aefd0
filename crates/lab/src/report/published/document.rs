//! The document on the published tables: its text, and what the records say of each conclusion.

use super::{Measured, TABLES};
use crate::report::Folder;
use std::fmt::Write;

/// The text before the verdicts.
const TEXT: &str = include_str!("../../../data/published.md");

/// The document in Markdown: its text, and on each claim the verdicts of those of these folders, which have these names, that
/// have its figures.
pub fn document(folders: &[(String, Folder)]) -> String {
    let names: Vec<&str> = folders.iter().map(|(name, _)| &name[..]).collect();
    let mut text = format!(
        "{TEXT}\n## What the sources conclude, and whether it holds\n\nWritten by\n\n```sh\ncargo run --release -p carrysave-lab -- \
         report published --out docs/design/published.md {}\n```\n\nA conclusion compares two ways. It holds where ours differ in \
         the source's direction by half as much or more, in logarithms, and holds in direction only where they differ by less. \
         Two that are within three percent of each other are alike, and neither is the faster. A length up to which a width is \
         best holds where it is within three percent of the source's, and in direction only where it lies between the source's \
         lengths of the widths before and after it. Two that were printed alike, a time of zero, and more threads than cores \
         decide nothing. A folder whose records lack the figures is left out. A reason is ours, and not measured.\n",
        names.join(" ")
    );
    for table in TABLES.iter().filter(|table| !table.claims.is_empty()) {
        let _ = write!(text, "\n### {}\n\n{}.\n", table.title, table.source);
        for claim in table.claims {
            let _ = write!(text, "\n{}\n\n", claim.says);
            let judged = folders
                .iter()
                .map(|(name, folder)| (name, claim.judge(table, &Measured::from(folder))));
            // A folder of a few records has nothing on most claims, which is said where none has.
            let (mut found, lacking): (Vec<_>, Vec<_>) =
                judged.partition(|(_, verdict)| verdict.is_among_records());
            if found.is_empty() {
                found = lacking;
            }
            for (name, verdict) in found {
                let name = name.rsplit('/').next().unwrap_or(name);
                let said = verdict.text(claim, table.unit);
                let _ = writeln!(text, "- {name}: {}{}", said[..1].to_lowercase(), &said[1..]);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Head;
    use crate::report::{Record, tests::row};

    #[test]
    fn each_claim_has_the_verdicts_of_the_folders_that_have_its_figures() {
        let rows = vec![
            row("addition", "mpn_add_n", 1152, "carrysave/adc", 1, 10.0),
            row(
                "addition",
                "mpn_add_n",
                1152,
                "carrysave/majority64",
                1,
                25.0,
            ),
        ];
        let (name, head) = ("addition".to_owned(), Head(vec![]));
        let records = vec![Record { name, head, rows }];
        let folder = |name: &str, records| {
            (
                format!("lab-records/{name}"),
                Folder {
                    records,
                    plan: None,
                },
            )
        };
        let text = document(&[folder("one", records), folder("two", vec![])]);
        assert!(text.contains("--out docs/design/published.md lab-records/one lab-records/two\n"));
        let holds = "- one: does not hold: majority64 takes 2.5 times as long as adc, and 0.877 times in the source. ";
        assert!(text.contains(holds), "{text}");
        let claims: usize = TABLES.iter().map(|table| table.claims.len()).sum();
        // One claim is on additions, and one on what is counted.
        for name in ["one", "two"] {
            let lacking = format!("\n- {name}: not among these records\n");
            assert_eq!(text.matches(&lacking).count(), claims - 2, "{name}");
        }
    }
}
