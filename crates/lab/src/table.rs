//! Reporters: a text table for people, JSON lines for programs.

use crate::{
    bench::{Refused, Reporter},
    experiments::Experiment,
    record::Row,
};
pub use carrysave_measure::table::{heading, lines};
use std::io::Write;

/// Writes an aligned table, race by race; the last column compares with the first contender of the race.
///
/// A line that cannot be written is dropped: a writer that has to tell of errors keeps the first.
pub struct Text<W>(pub W);

impl<W: Write> Reporter for Text<W> {
    fn begin(&mut self, experiment: &Experiment) {
        let _ = write!(
            self.0,
            "\n{}: {}\n\n{}\n",
            experiment.name,
            experiment.about,
            heading()
        );
        let _ = self.0.flush();
    }

    fn race(&mut self, rows: &[Row]) {
        for line in lines(rows) {
            let _ = writeln!(self.0, "{line}");
        }
        let _ = self.0.flush();
    }

    fn refused(&mut self, refused: &Refused) {
        let _ = writeln!(self.0, "{refused}");
    }
}

/// Writes each row as a JSON object on a line of its own.
///
/// A line that cannot be written is dropped, as with [`Text`]; refusals go to the outcome only.
pub struct JsonLines<W>(pub W);

impl<W: Write> Reporter for JsonLines<W> {
    fn race(&mut self, rows: &[Row]) {
        for row in rows {
            let _ = writeln!(self.0, "{}", row.to_json());
        }
        let _ = self.0.flush();
    }
}
