//! One page about one machine: what is fastest, by how much, against whom, and what was published.
//!
//! [`suite`] measures, one record an experiment in a folder; [`Folder`] reads such a folder, and [`Folder::page`] turns
//! it into one HTML file that needs nothing else. [`diff`] compares two folders, [`bars`] draws one task of several, and
//! [`performance`] tells of several in one document.

mod answers;
pub mod bars;
mod chart;
pub mod diff;
pub mod html;
mod page;
mod panel;
pub mod performance;
pub mod published;
mod styles;
pub mod suite;

use crate::record::{Head, Row, read_csv};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The records of one machine.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// Every record, in the order of the experiments.
    pub records: Vec<Record>,
    /// The plan that `tune` wrote, if it is there.
    pub plan: Option<String>,
}

/// One record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its file, less the ending.
    pub name: String,
    /// Where and when it was measured.
    pub head: Head,
    /// What was measured.
    pub rows: Vec<Row>,
}

impl Folder {
    /// Reads every `.csv` of a folder, or one such file, and `plan.toml` if it is there.
    ///
    /// # Errors
    /// A folder that cannot be read, a file in it that is no record, or a folder without any.
    ///
    /// ```
    /// use carrysave_lab::report::Folder;
    /// assert!(Folder::read("no/such/folder".as_ref()).is_err());
    /// ```
    pub fn read(path: &Path) -> io::Result<Folder> {
        let mut files = vec![];
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                let file = entry?.path();
                let is_record = file.extension().is_some_and(|ending| ending == "csv");
                if is_record
                    && file
                        .file_stem()
                        .is_some_and(|name| name != published::RECORD)
                {
                    files.push(file);
                }
            }
        } else {
            files.push(path.to_owned());
        }
        let mut records = vec![];
        for file in files {
            let wrong = |e: io::Error| {
                io::Error::new(e.kind(), format!("{} is no record: {e}", file.display()))
            };
            let (head, rows) =
                read_csv(io::BufReader::new(fs::File::open(&file)?)).map_err(wrong)?;
            if head.0.is_empty() && rows.is_empty() {
                let nothing =
                    io::Error::new(io::ErrorKind::InvalidData, "it has no head and no row");
                return Err(wrong(nothing));
            }
            let name = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            records.push(Record { name, head, rows });
        }
        if records.is_empty() {
            let nothing = format!("there is no record in {}", path.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, nothing));
        }
        let place = |name: &str| {
            let experiments = crate::experiments::EXPERIMENTS;
            experiments
                .iter()
                .position(|e| e.name == name)
                .unwrap_or(experiments.len())
        };
        records.sort_by_key(|record| (place(&record.name), record.name.clone()));
        let plan = path.join("plan.toml");
        let plan = match fs::read_to_string(&plan) {
            Ok(text) => Some(text),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => {
                let wrong = format!("{} is no plan: {e}", plan.display());
                return Err(io::Error::new(e.kind(), wrong));
            }
            Err(_) => None,
        };
        Ok(Folder { records, plan })
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.records.iter().flat_map(|record| &record.rows)
    }

    /// The folders of records in this one, in the order of their names.
    ///
    /// # Errors
    /// Those of reading it.
    pub fn all(records: &Path) -> io::Result<Vec<PathBuf>> {
        let mut folders = vec![];
        for entry in fs::read_dir(records)? {
            folders.push(entry?.path());
        }
        folders.retain(|path| path.is_dir());
        folders.sort();
        Ok(folders)
    }

    /// The page: HTML that needs no other file and no network.
    pub fn page(&self) -> String {
        page::page(self)
    }
}

/// What records say of this in their heads, each value once.
fn values<'r>(records: impl Iterator<Item = &'r Record>, name: &str) -> Vec<&'r str> {
    let mut values: Vec<&str> = vec![];
    for value in records.filter_map(|record| record.head.get(name)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::Size;

    /// A row of a record.
    pub fn row(
        experiment: &str,
        operation: &str,
        bits: usize,
        implementation: &str,
        threads: usize,
        ns_median: f64,
    ) -> Row {
        let measured = crate::race::Measurement {
            name: implementation.to_owned(),
            ns_median,
            ns_spread: ns_median / 100.0,
            samples: 25,
            core_ghz: 3.7,
        };
        Row::new(experiment, operation, Size::Bits(bits), threads, &measured)
    }

    #[test]
    fn a_folder_is_read_in_the_order_of_the_experiments() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["modexp", "other", "rsa"] {
            let mut file = vec![];
            let head = Head(vec![("cpu".into(), name.into())]);
            crate::record::write_csv(&mut file, &head, &[row(name, "x", 64, "carrysave", 1, 1.0)])
                .unwrap();
            fs::write(folder.path().join(format!("{name}.csv")), file).unwrap();
        }
        fs::write(folder.path().join("plan.toml"), "plan").unwrap();
        let read = Folder::read(folder.path()).unwrap();
        let names: Vec<&str> = read.records.iter().map(|record| &record.name[..]).collect();
        assert_eq!(names, ["rsa", "modexp", "other"]);
        assert_eq!(read.plan.as_deref(), Some("plan"));
        assert_eq!(read.records[0].head.get("cpu"), Some("rsa"));
        fs::write(folder.path().join("plan.toml"), [0xff]).unwrap();
        let error = Folder::read(folder.path()).unwrap_err();
        assert!(
            error.to_string().contains("plan.toml is no plan"),
            "{error}"
        );
        for broken in ["1,2\n3\n", "garbage\n", ""] {
            fs::write(folder.path().join("broken.csv"), broken).unwrap();
            let error = Folder::read(folder.path()).unwrap_err();
            assert!(
                error.to_string().contains("broken.csv is no record"),
                "{error}"
            );
        }
    }
}
