//! Where pointers of the caller become references: null, misaligned and overlong ones are refused here.

use crate::error::{Outcome, cs_error::*};
use carrysave::arith::Nat;
use carrysave::symmetric::Text;
use core::ops::Range;
use core::ptr::copy_nonoverlapping;
use core::slice;

/// Refuses a pointer that cannot lead to `len` elements.
fn check<T>(at: *const T, len: usize) -> Outcome {
    #[cfg(test)]
    crate::tests::panics::here();
    if at.is_null() || !at.is_aligned() {
        return Err(CS_ERROR_NULL);
    }
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(CS_ERROR_LENGTH),
    }
}

/// An input of `len` elements. It may be null if there are none.
///
/// # Safety
/// A pointer that is not null leads to as many elements, which stay as they are while the slice is used.
pub unsafe fn input<'a, T>(at: *const T, len: usize) -> Outcome<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    check(at, len)?;
    // SAFETY: as the caller says.
    Ok(unsafe { slice::from_raw_parts(at, len) })
}

/// An array of structures, which is read and written.
///
/// # Safety
/// A pointer that is not null leads to as many elements, which nobody else uses while the slice is used.
pub unsafe fn array<'a, T>(at: *mut T, len: usize) -> Outcome<&'a mut [T]> {
    if len == 0 {
        return Ok(&mut []);
    }
    check(at, len)?;
    // SAFETY: as the caller says.
    Ok(unsafe { slice::from_raw_parts_mut(at, len) })
}

/// An input that is a number, as limbs, the least significant first.
///
/// # Safety
/// As for [`input`].
pub unsafe fn number(at: *const u64, len: usize) -> Outcome<Nat> {
    // SAFETY: as the caller says.
    Ok(Nat::from_limbs(unsafe { input(at, len) }?))
}

/// One object of the caller or of a handle.
///
/// # Safety
/// A pointer that is not null leads to an object, which nobody changes while it is used.
pub unsafe fn object<'a, T>(at: *const T) -> Outcome<&'a T> {
    check(at, 1)?;
    // SAFETY: as the caller says.
    Ok(unsafe { &*at })
}

/// One object that changes.
///
/// # Safety
/// A pointer that is not null leads to an object, which nobody else uses meanwhile.
pub unsafe fn changed<'a, T>(at: *mut T) -> Outcome<&'a mut T> {
    check(at, 1)?;
    // SAFETY: as the caller says.
    Ok(unsafe { &mut *at })
}

/// A place for output. It is written after all inputs have been read, so it may be one of them.
pub struct Output<T> {
    at: *mut T,
    len: usize,
}

impl<T: Copy + Default> Output<T> {
    /// A place of `len` elements.
    ///
    /// # Safety
    /// A pointer that is not null leads to as many elements, to which nobody refers when it is written.
    pub unsafe fn new(at: *mut T, len: usize) -> Outcome<Output<T>> {
        if len > 0 {
            check(at, len)?;
        }
        Ok(Output { at, len })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The elements from `at` on, `len` of them.
    pub fn part(&self, at: usize, len: usize) -> Output<T> {
        assert!(at + len <= self.len, "a part is inside");
        Output {
            at: self.at.wrapping_add(at),
            len,
        }
    }

    /// Writes elements, and zeros behind them.
    pub fn write(&self, elements: &[T]) -> Outcome {
        if elements.len() > self.len {
            return Err(CS_ERROR_ROOM);
        }
        if self.len > 0 {
            // SAFETY: `new` had a place for as many, to which nobody refers now.
            unsafe {
                copy_nonoverlapping(elements.as_ptr(), self.at, elements.len());
                for i in elements.len()..self.len {
                    self.at.add(i).write(T::default());
                }
            }
        }
        Ok(())
    }
}

impl Output<u64> {
    /// Writes a number, with zeros above it.
    pub fn number(&self, number: &Nat) -> Outcome {
        let fits = number.resize(self.len).ok_or(CS_ERROR_ROOM)?;
        self.write(&fits.limbs()[..self.len])
    }
}

/// A place for one value.
///
/// # Safety
/// A pointer that is not null leads to a value, to which nobody refers.
pub unsafe fn place<T: Copy + Default>(at: *mut T) -> Outcome<Output<T>> {
    // SAFETY: as the caller says.
    unsafe { Output::new(at, 1) }
}

/// A place for bytes whose number is known late.
pub struct Bytes {
    bytes: Output<u8>,
    len: Output<usize>,
}

impl Bytes {
    /// A place of `size` bytes, and a place for how many are used.
    ///
    /// # Safety
    /// As for [`Output::new`].
    pub unsafe fn new(at: *mut u8, size: usize, len: *mut usize) -> Outcome<Bytes> {
        // SAFETY: as the caller says.
        let len = unsafe { place(len) }?;
        if at.is_null() && size == 0 {
            // The caller asks for the length alone.
            return Ok(Bytes {
                bytes: Output { at, len: 0 },
                len,
            });
        }
        Ok(Bytes {
            // SAFETY: as the caller says.
            bytes: unsafe { Output::new(at, size) }?,
            len,
        })
    }

    /// Refuses less room than for `most` bytes, and says so: before a result is known whose length is a secret.
    pub fn need(&self, most: usize) -> Outcome {
        if self.bytes.len < most {
            self.len.write(&[most])?;
            return Err(CS_ERROR_ROOM);
        }
        Ok(())
    }

    /// Writes the bytes and their number. What lies behind them stays.
    pub fn write(&self, bytes: &[u8]) -> Outcome {
        self.need(bytes.len())?;
        self.bytes.part(0, bytes.len()).write(bytes)?;
        self.len.write(&[bytes.len()])
    }
}

/// Where an input lies.
pub fn addresses<T>(input: &[T]) -> Range<usize> {
    let Range { start, end } = input.as_ptr_range();
    start.addr()..end.addr()
}

/// The data of a cipher, from `from` to `to`, which may be the same place, and lies apart from the inputs `beside`.
///
/// # Safety
/// Pointers that are not null lead to `len` bytes, which nobody else uses while the text is used, but to read the inputs
/// `beside`.
pub unsafe fn text<'a>(
    to: *mut u8,
    from: *const u8,
    len: usize,
    beside: &[Range<usize>],
) -> Outcome<Text<'a>> {
    let (start, end) = (to.addr(), to.addr().saturating_add(len));
    if beside
        .iter()
        .any(|input| start < input.end && input.start < end)
    {
        return Err(CS_ERROR_OVERLAP);
    }
    // SAFETY: as the caller says.
    let place = unsafe { array(to, len) }?;
    if core::ptr::eq(to, from) || len == 0 {
        return Ok(place.into());
    }
    check(from, len)?;
    let apart = to.addr().abs_diff(from.addr());
    if apart < len {
        return Err(CS_ERROR_OVERLAP);
    }
    // SAFETY: as the caller says; they do not overlap.
    Ok((unsafe { input(from, len) }?, place).into())
}

/// Gives an object to the caller, who frees it with [`free`].
///
/// # Safety
/// A pointer that is not null leads to a place for a pointer.
pub unsafe fn give<T>(place: *mut *mut T, make: impl FnOnce() -> Outcome<T>) -> Outcome {
    check(place, 1)?;
    // SAFETY: as the caller says.
    unsafe { place.write(core::ptr::null_mut()) };
    let object = Box::new(make()?);
    // SAFETY: as the caller says.
    unsafe { place.write(Box::into_raw(object)) };
    Ok(())
}

/// Frees what [`give`] gave; null is nothing.
///
/// # Safety
/// The pointer is null or one of [`give`], which nobody uses any more.
pub unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: as the caller says.
        let object = unsafe { Box::from_raw(object) };
        crate::error::guard(|| {
            drop(object);
            Ok(())
        });
    }
}
