//! What the records of a page lack, and why.

use super::{experiments, listed};
use crate::experiments::EXPERIMENTS;
use crate::report::published::{Measured, coverage};
use crate::report::suite::Level;
use crate::report::{Folder, Record};
use carrysave_kernels::{Isa, REGISTRY};
use maud::{Markup, html};

/// What these records lack, and why.
pub(super) fn not_measured(folder: &Folder) -> Markup {
    let absent = EXPERIMENTS
        .iter()
        .filter(|e| !folder.records.iter().any(|record| record.name == e.name));
    let of_level = |level: Level| {
        listed(experiments(folder).filter(|record| record.head.level() == Some(level)))
    };
    let levels = [Level::Quick, Level::Standard].map(|level| (level.name(), of_level(level)));
    let without = |name: &str| {
        let lacks = |record: &&Record| {
            let rivals = record.head.get("rivals").unwrap_or_default();
            !rivals.to_lowercase().contains(&name.to_lowercase())
        };
        listed(experiments(folder).filter(lacks))
    };
    let peers = peers().map(|(name, more)| (name, more, without(name)));
    html! {
        section id="not-measured" {
            h2 { "What was not measured" }
            ul {
                @for (isa, kernels) in lacking(folder) {
                    li {
                        details {
                            summary { (kernels.len()) " kernels: this processor lacks " (isa.join(" and ")) }
                            p { (kernels.join(", ")) }
                        }
                    }
                }
                @for e in absent {
                    li {
                        "Experiment " (e.name) ": not part of this run ("
                        code { "carrysave-lab report --only " (e.name) } ")"
                    }
                }
                @for (level, names) in levels.iter().filter(|(_, names)| !names.is_empty()) {
                    li {
                        "Some sizes of " (names) ", as the level was " (level) " ("
                        code { "carrysave-lab report --full" } ")"
                    }
                }
                @for (name, more, records) in peers.iter().filter(|(.., records)| !records.is_empty()) {
                    li {
                        (name) ", when these were measured: " (records) "; the program was built without "
                        code { "--features peers" } (more)
                    }
                }
                @for table in coverage(&[Measured::from(folder)]).iter().filter(|table| table.lacking > 0) {
                    li {
                        (table.lacking) " of " (table.counts()[0]) " published figures of the table " (table.title)
                        ": no row of these records stands beside them"
                    }
                }
            }
        }
    }
}

/// The rivals that a build may lack, and what else it may lack them for.
fn peers() -> [(&'static str, Markup); 4] {
    let cryptopp = html! {
        ", or found no C++ compiler or no Crypto++ (Debian: " code { "g++" } " and " code { "libcrypto++-dev" }
        "); it is the only rival for Rabin, Rabin-Williams, ESIGN, Nyberg-Rueppel, MQV and DLIES in schemes"
    };
    let botan = html! {
        ", or found no library of it (Debian: " code { "libbotan-2-dev" } "); it is a rival for Threefish-512 in \
         symmetric"
    };
    let nothing = || html! {};
    [
        ("OpenSSL", nothing()),
        ("AWS-LC", nothing()),
        ("Crypto++", cryptopp),
        ("Botan", botan),
    ]
}

/// What the processor lacks, and the kernels that need it.
fn lacking(folder: &Folder) -> Vec<(Vec<&'static str>, Vec<String>)> {
    let features = folder.records[0].head.get("features").unwrap_or_default();
    let has = |name: &str| {
        features
            .split([' ', '+', ','])
            .any(|feature| feature == name)
    };
    let mut lacking: Vec<(Vec<&str>, Vec<String>)> = vec![];
    for op in REGISTRY {
        for (kernel, needs) in op.kernels {
            let wanted = Isa::ALL.iter().filter(|(part, _)| needs.contains(*part));
            let names = wanted.map(|(_, name)| *name);
            let missing: Vec<&str> = names.filter(|name| !has(name)).collect();
            if missing.is_empty() {
                continue;
            }
            let name = format!("{}/{kernel}", op.name);
            match lacking.iter_mut().find(|(isa, _)| *isa == missing) {
                Some((_, names)) => names.push(name),
                None => lacking.push((missing, vec![name])),
            }
        }
    }
    lacking
}
