//! Passwords from the terminal, whose echo comes back however the program ends.

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// A terminal that does not show what is typed, and its modes before.
static SILENT: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// The time for which a terminal is silent.
struct Silence;

impl Silence {
    /// From now on.
    fn begin(terminal: &File) -> io::Result<Silence> {
        let mut silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
        let before = tcgetattr(terminal)?;
        let mut modes = before.clone();
        modes
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ECHONL);
        // A program that is suspended here would leave the terminal silent.
        modes.special_codes[SpecialCodeIndex::VSUSP] = 0;
        *silent = Some((terminal.try_clone()?, before));
        tcsetattr(terminal, OptionalActions::Now, &modes)?;
        Ok(Silence)
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        restore(&mut SILENT.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn restore(silent: &mut Option<(File, Termios)>) {
    if let Some((terminal, before)) = silent.take() {
        // A terminal that has gone away needs nothing.
        let _ = tcsetattr(terminal, OptionalActions::Now, &before);
    }
}

/// Shows again what is typed. The terminal is not silenced any more: the program ends.
pub fn restore_for_good() {
    let mut silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
    restore(&mut silent);
    std::mem::forget(silent);
}

/// Asks for a line that is not shown, on the terminal of this process, and gives it without its end.
///
/// # Errors
/// The system's, if there is no terminal; [`io::ErrorKind::UnexpectedEof`] if it ends instead.
pub fn ask(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let silence = Silence::begin(&terminal)?;
    terminal.write_all(prompt.as_bytes())?;
    let line = line(&mut terminal);
    drop(silence);
    terminal.write_all(b"\n")?;
    line
}

/// The terminal gives a line at a time, of 4095 bytes at most.
fn line(terminal: &mut impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    const ROOM: usize = 1 << 12;
    let mut line = Zeroizing::new(Vec::with_capacity(ROOM));
    let mut byte = Zeroizing::new([0]);
    loop {
        match terminal.read(&mut *byte) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) if *byte == *b"\n" => return Ok(line),
            Ok(_) if line.len() == ROOM => return Err(io::ErrorKind::FileTooLarge.into()),
            Ok(_) => line.push(byte[0]),
        }
    }
}
