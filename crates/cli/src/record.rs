//! Records as files.

use crate::exit::{Failure, Result};
use crate::io::Output;
use carrysave_measure::record::{Head, Row, write_csv};
use std::path::Path;

/// Writes a record.
pub fn write(path: &Path, head: &Head, rows: &[Row]) -> Result<()> {
    fill(Output::text(path)?, head, rows)
}

/// Writes a record whose output was opened before the measurements, so that an unwritable path fails early.
pub fn fill(mut output: Output, head: &Head, rows: &[Row]) -> Result<()> {
    let mut csv = Vec::new();
    write_csv(&mut csv, head, rows).map_err(|e| Failure::io("cannot make a record", &e))?;
    output.put(&csv)?;
    output.commit()
}
