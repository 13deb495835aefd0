//! What a call encrypts or decrypts, and where to.

use crate::failure::{Failure, bytes};
use carrysave::symmetric::Text;
use core::marker::PhantomData;
use core::slice;
use zeroize::Zeroizing;

/// Bytes to read, and room to write, which may be the same or overlap.
pub struct Data<'a> {
    out: *mut u8,
    size: usize,
    from: *const u8,
    len: usize,
    lives: PhantomData<&'a mut [u8]>,
}

impl Data<'_> {
    /// # Safety
    /// `size` bytes at `out` must be writable and `len` bytes at `from` readable as long as the result lives; either may be
    /// null with nothing there.
    pub unsafe fn new(out: *mut u8, size: usize, from: *const u8, len: usize) -> Self {
        Data {
            out,
            size: if out.is_null() { 0 } else { size },
            from,
            len: if from.is_null() { 0 } else { len },
            lives: PhantomData,
        }
    }

    /// The number of bytes to read.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the room and what is to be read have no byte in common.
    pub fn is_apart(&self) -> bool {
        let (out, from) = (self.out.addr(), self.from.addr());
        out.saturating_add(self.size) <= from || from.saturating_add(self.len) <= out
    }

    /// Fails unless there is room for so many bytes.
    pub fn has_room(&self, len: usize) -> Result<(), Failure> {
        match self.size < len {
            true => Err(Failure::new(format!(
                "there is room for {} bytes, and the result has {len}: make room for the input and a block more",
                self.size
            ))),
            false => Ok(()),
        }
    }

    /// Takes so many bytes from what is to be read, or all that there are.
    pub fn take(&mut self, len: usize) -> Zeroizing<Vec<u8>> {
        let len = len.min(self.len);
        // SAFETY: so many are readable.
        let taken = unsafe { bytes(self.from, len) }.to_vec();
        // SAFETY: as above; nothing moves on from null.
        self.from = unsafe { self.from.add(len) };
        self.len -= len;
        Zeroizing::new(taken)
    }

    /// The last bytes that are to be read.
    pub fn tail(&self, len: usize) -> Zeroizing<Vec<u8>> {
        // SAFETY: all are readable.
        let all = unsafe { bytes(self.from, self.len) };
        Zeroizing::new(all[all.len() - len..].to_vec())
    }

    /// Writes bytes.
    ///
    /// # Panics
    /// If there is no room for them: see [`Data::has_room`].
    pub fn put(&mut self, written: &[u8]) {
        assert!(written.len() <= self.size);
        // SAFETY: there is room, and what is written is none of it.
        unsafe { core::ptr::copy_nonoverlapping(written.as_ptr(), self.out, written.len()) };
        self.wrote(written.len());
    }

    fn wrote(&mut self, len: usize) {
        // SAFETY: there was room for them.
        self.out = unsafe { self.out.add(len) };
        self.size -= len;
    }

    /// Passes so many bytes and the room for as many to a function, and moves on.
    ///
    /// # Panics
    /// If there are not so many, or there is no room for them.
    pub fn apply(&mut self, len: usize, function: impl FnOnce(Text<'_>)) {
        assert!(len <= self.size && len <= self.len);
        if len == 0 {
            return;
        }
        let apart = self.out.addr().abs_diff(self.from.addr()) >= len;
        let mut copy = Zeroizing::new(vec![]);
        if !apart && self.out.cast_const() != self.from {
            // SAFETY: so many bytes are readable.
            copy.extend_from_slice(unsafe { bytes(self.from, len) });
        }
        // SAFETY: so many bytes are writable, and readable. Nothing refers to them twice: what is worked on in place is one
        // slice, and what overlaps otherwise was copied.
        let text = unsafe {
            let to = slice::from_raw_parts_mut(self.out, len);
            match (apart, copy.is_empty()) {
                (true, _) => Text::from((bytes(self.from, len), to)),
                (false, false) => Text::from((&copy[..], to)),
                (false, true) => Text::from(to),
            }
        };
        function(text);
        // SAFETY: so many were there.
        self.from = unsafe { self.from.add(len) };
        self.len -= len;
        self.wrote(len);
    }
}
