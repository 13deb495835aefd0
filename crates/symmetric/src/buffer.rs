//! Room for bytes that come from elsewhere.

use core::fmt;
use zeroize::Zeroizing;

/// The bytes of a line of a cache.
const LINE: usize = 64;

/// Bytes that begin where a line of a cache does, wiped when they are dropped.
///
/// A system copies to such addresses up to four times as fast as to others: long vectors begin 16 bytes behind a page's
/// first.
///
/// ```
/// use carrysave_symmetric::Buffer;
/// let mut buffer = Buffer::default();
/// let bytes = buffer.of(1000);
/// assert_eq!((bytes.len(), bytes.as_ptr().addr() % 64), (1000, 0));
/// ```
#[derive(Default)]
pub struct Buffer(Zeroizing<Vec<u8>>);

impl Buffer {
    /// So many bytes: those of the last call that fit, or zeros.
    pub fn of(&mut self, len: usize) -> &mut [u8] {
        if self.0.len() < len + LINE {
            self.0 = Zeroizing::new(vec![0; len + LINE]);
        }
        // A vector that is at no known address, as in an interpreter, begins anywhere.
        let start = self.0.as_ptr().align_offset(LINE).min(LINE);
        &mut self.0[start..][..len]
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room for {} bytes", self.0.len().saturating_sub(LINE))
    }
}
