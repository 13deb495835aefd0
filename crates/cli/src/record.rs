//! Records of the laboratory as files.

use crate::exit::{Failure, Result};
use crate::io::{self, Access};
use carrysave_lab::Row;
use carrysave_lab::record::{Head, write_csv};
use std::path::Path;

/// Writes a record.
pub fn write(path: &Path, head: &Head, rows: &[Row]) -> Result<()> {
    let mut csv = Vec::new();
    write_csv(&mut csv, head, rows)
        .map_err(|e| Failure::io(format_args!("cannot write {}", path.display()), &e))?;
    io::write(path, Access::Umask, &csv)
}
