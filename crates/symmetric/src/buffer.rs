//! An aligned buffer for input.

use core::fmt;
use std::io::{self, Read};
use zeroize::optimization_barrier;

/// The bytes of a cache line.
const LINE: usize = 64;

/// Bytes aligned to a cache line, wiped when dropped.
///
/// A system copies to such addresses up to four times as fast as to others: long vectors begin 16 bytes after a page's
/// start.
///
/// ```
/// use carrysave_symmetric::Buffer;
/// let mut buffer = Buffer::default();
/// let bytes = buffer.of(1000);
/// assert_eq!((bytes.len(), bytes.as_ptr().addr() % 64), (1000, 0));
/// ```
#[derive(Default)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    /// `len` bytes of the buffer, with the contents of the last call, or zeros.
    pub fn of(&mut self, len: usize) -> &mut [u8] {
        if self.0.len() < len + LINE {
            *self = Buffer(vec![0; len + LINE]);
        }
        let start = self.start();
        &mut self.0[start..][..len]
    }

    /// Where the aligned bytes begin. A vector without a known address, as in an interpreter, begins anywhere.
    fn start(&self) -> usize {
        self.0.as_ptr().align_offset(LINE).min(LINE)
    }
}

/// The contents, at an aligned address again.
impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let mut copy = Buffer::default();
        if let Some(len) = self.0.len().checked_sub(LINE) {
            copy.of(len).copy_from_slice(&self.0[self.start()..][..len]);
        }
        copy
    }
}

/// Wipes the bytes by vectors: byte by byte it takes a fortieth of the time of a tree over these bytes.
impl Drop for Buffer {
    fn drop(&mut self) {
        self.0.fill(0);
        optimization_barrier(&*self.0);
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room for {} bytes", self.0.len().saturating_sub(LINE))
    }
}

/// Reads until `bytes` is full or the input ends; returns the number of bytes read.
///
/// # Errors
/// Those of the input, except for interruptions.
///
/// ```
/// let mut bytes = [0; 4];
/// assert_eq!(carrysave_symmetric::fill(&mut &b"abc"[..], &mut bytes)?, 3);
/// assert_eq!(&bytes, b"abc\0");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn fill(input: &mut (impl Read + ?Sized), bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match input.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}
