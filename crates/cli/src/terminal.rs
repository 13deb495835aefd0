//! Passwords from the terminal, whose echo is restored however the program ends.

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// A terminal with its echo off, and its previous modes.
static SILENT: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Turns the echo off until dropped.
struct Silence;

impl Silence {
    /// Turns the echo off.
    fn begin(terminal: &File) -> io::Result<Silence> {
        let mut silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
        let before = tcgetattr(terminal)?;
        let mut modes = before.clone();
        modes
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ECHONL);
        // A program that is suspended here would leave the echo off.
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
        // A closed terminal needs nothing.
        let _ = tcsetattr(terminal, OptionalActions::Now, &before);
    }
}

/// Restores the echo for good, as the program ends.
pub fn restore_for_good() {
    let mut silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
    restore(&mut silent);
    std::mem::forget(silent);
}

/// Asks for a line without echo, on the terminal of this process, and returns it without its end.
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

/// The terminal returns a line at a time, at most 4095 bytes.
fn line(terminal: &mut impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    const MAX_LINE: usize = 1 << 12;
    let mut line = Zeroizing::new(Vec::with_capacity(MAX_LINE));
    let mut byte = Zeroizing::new([0]);
    loop {
        match terminal.read(&mut *byte) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) if *byte == *b"\n" => return Ok(line),
            Ok(_) if line.len() == MAX_LINE => return Err(io::ErrorKind::FileTooLarge.into()),
            Ok(_) => line.push(byte[0]),
        }
    }
}
