//! Reading the parameters that OpenSSL passes, answering those that it asks for, and passing some to it.

use crate::abi::{Callback, Param, kind};
use crate::failure::Failure;
use core::ffi::{CStr, c_int, c_void};
use core::slice;
use zeroize::Zeroizing;

/// The parameters of a call.
#[derive(Clone, Copy)]
pub struct Params<'a>(&'a [Param]);

impl<'a> Params<'a> {
    /// # Safety
    /// `list` must be null or a list of OpenSSL's, which outlives the result.
    pub unsafe fn new(list: *const Param) -> Params<'a> {
        if list.is_null() {
            return Params(&[]);
        }
        // SAFETY: a list ends with a null key.
        let len = (0..).find(|&i| unsafe { (*list.add(i)).key.is_null() });
        // SAFETY: so many were read above.
        Params(unsafe { slice::from_raw_parts(list, len.unwrap_or(0)) })
    }

    /// The list, as OpenSSL reads it.
    pub fn as_ptr(&self) -> *const Param {
        static NONE: Param = Param::END;
        if self.0.is_empty() {
            &raw const NONE
        } else {
            self.0.as_ptr()
        }
    }

    /// The parameter of this name.
    pub fn find(&self, name: &CStr) -> Option<Value<'a>> {
        let found = self.0.iter().find(|param| key(param) == name);
        found.map(Value)
    }
}

fn key(param: &Param) -> &CStr {
    // SAFETY: keys of a list are C strings.
    unsafe { CStr::from_ptr(param.key) }
}

/// A parameter that is passed in.
#[derive(Clone, Copy)]
pub struct Value<'a>(&'a Param);

impl<'a> Value<'a> {
    pub fn is_text(&self) -> bool {
        matches!(self.0.kind, kind::UTF8 | kind::UTF8_POINTER)
    }

    /// The bytes of a value that is not behind a pointer of its own; none for one that is.
    fn bytes(&self) -> &'a [u8] {
        let is_pointer = matches!(self.0.kind, kind::UTF8_POINTER | kind::OCTETS_POINTER);
        if self.0.data.is_null() || is_pointer {
            return &[];
        }
        // SAFETY: it points to so many bytes.
        unsafe { slice::from_raw_parts(self.0.data.cast(), self.0.size) }
    }

    /// An unsigned number, in big-endian bytes. Secret, if the parameter is.
    pub fn natural(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let mut bytes = Zeroizing::new(self.bytes().to_vec());
        bytes.reverse();
        let negative = bytes.first().is_some_and(|&top| top >= 0x80);
        match self.0.kind {
            kind::UNSIGNED => Ok(bytes),
            kind::INTEGER if !negative => Ok(bytes),
            _ => Err(self.wrong("an unsigned integer")),
        }
    }

    /// A small number, signed or not.
    pub fn integer(&self) -> Result<i64, Failure> {
        let wrong = || self.wrong("an integer");
        let mut bytes = self.bytes().to_vec();
        let negative = match self.0.kind {
            kind::INTEGER => bytes.last().is_some_and(|&top| top >= 0x80),
            kind::UNSIGNED => false,
            _ => return Err(wrong()),
        };
        // It may have any length: OpenSSL passes a 0 from a command line in no bytes.
        let fill = if negative { 0xff } else { 0 };
        if bytes.iter().skip(8).any(|&byte| byte != fill) {
            return Err(wrong());
        }
        bytes.resize(8, fill);
        let number = i64::from_le_bytes(bytes.try_into().map_err(|_| wrong())?);
        if (number < 0) == negative {
            Ok(number)
        } else {
            Err(wrong())
        }
    }

    /// A text.
    pub fn text(&self) -> Result<&'a str, Failure> {
        let wrong = || self.wrong("a text");
        let bytes = match self.0.kind {
            kind::UTF8 => self.bytes(),
            kind::UTF8_POINTER if !self.0.data.is_null() => {
                // SAFETY: it points to a pointer to a C string.
                unsafe {
                    let text = *self.0.data.cast::<*const core::ffi::c_char>();
                    if text.is_null() {
                        return Err(wrong());
                    }
                    CStr::from_ptr(text).to_bytes()
                }
            }
            _ => return Err(wrong()),
        };
        // Some callers count the null at the end, some do not.
        let end = bytes.iter().position(|&byte| byte == 0);
        core::str::from_utf8(&bytes[..end.unwrap_or(bytes.len())]).map_err(|_| wrong())
    }

    /// Bytes.
    pub fn octets(&self) -> Result<&'a [u8], Failure> {
        match self.0.kind {
            kind::OCTETS => Ok(self.bytes()),
            _ => Err(self.wrong("octets")),
        }
    }

    fn wrong(&self, expected: &str) -> Failure {
        let name = key(self.0).to_string_lossy();
        Failure::new(format!(
            "the parameter \"{name}\" is not {expected} that fits"
        ))
    }
}

/// A parameter that is asked for.
pub struct Wanted<'a>(&'a mut Param);

/// The parameters that a call asks for.
///
/// # Safety
/// `list` must be null or a list of OpenSSL's, which outlives the result.
pub unsafe fn wanted<'a>(list: *mut Param) -> impl Iterator<Item = Wanted<'a>> {
    // SAFETY: as the caller says.
    let len = unsafe { Params::new(list) }.0.len();
    // SAFETY: each is given away once.
    (0..len).map(move |i| Wanted(unsafe { &mut *list.add(i) }))
}

impl Wanted<'_> {
    pub fn name(&self) -> &CStr {
        key(self.0)
    }

    pub fn wants_text(&self) -> bool {
        matches!(self.0.kind, kind::UTF8 | kind::UTF8_POINTER)
    }

    /// Fails unless the value is of one of these types.
    fn is(&self, kinds: &[core::ffi::c_uint]) -> Result<(), Failure> {
        if kinds.contains(&self.0.kind) {
            return Ok(());
        }
        let name = self.name().to_string_lossy();
        Err(Failure::new(format!(
            "\"{name}\" is asked for as a value of another type"
        )))
    }

    /// Answers with bytes, behind which the room is filled if there is a byte to fill it with. Asked without room, gives
    /// the length only.
    fn set(&mut self, bytes: &[u8], fill: Option<u8>) -> Result<(), Failure> {
        self.0.return_size = bytes.len();
        if self.0.data.is_null() {
            return Ok(());
        }
        if bytes.len() > self.0.size {
            let name = self.name().to_string_lossy();
            return Err(Failure::new(format!(
                "the room for \"{name}\" is too small: ask for its length first"
            )));
        }
        // SAFETY: there is room for `size` bytes.
        let room = unsafe { slice::from_raw_parts_mut(self.0.data.cast::<u8>(), self.0.size) };
        room[..bytes.len()].copy_from_slice(bytes);
        if let Some(fill) = fill {
            room[bytes.len()..].fill(fill);
            self.0.return_size = room.len();
        }
        Ok(())
    }

    /// Answers with a small number.
    pub fn set_integer(&mut self, number: i32) -> Result<(), Failure> {
        self.set_number(&number.to_le_bytes(), number < 0)
    }

    /// Answers with a count.
    pub fn set_count(&mut self, number: u64) -> Result<(), Failure> {
        self.set_number(&number.to_le_bytes(), false)
    }

    /// Answers with a number, given in little-endian bytes, in as much room as there is if it fits.
    fn set_number(&mut self, mut bytes: &[u8], negative: bool) -> Result<(), Failure> {
        let kinds = [kind::INTEGER, kind::UNSIGNED];
        self.is(&kinds[..if negative { 1 } else { 2 }])?;
        let fill = if negative { 0xff } else { 0 };
        // The sign of an integer is its highest bit.
        let signed = self.0.kind == kind::INTEGER;
        let has_sign = |top: &u8| !signed || (*top >= 0x80) == negative;
        if !self.0.data.is_null() {
            while let [rest @ .., top] = bytes
                && bytes.len() > self.0.size
                && *top == fill
                && (!signed || rest.last().is_some_and(has_sign))
            {
                bytes = rest;
            }
        }
        if bytes.last().is_none_or(has_sign) {
            return self.set(bytes, Some(fill));
        }
        self.set(&Zeroizing::new([bytes, &[fill]].concat()), Some(fill))
    }

    /// Answers with where bytes lie, which must live as long as what was asked.
    pub fn set_pointer(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.is(&[kind::OCTETS_POINTER])?;
        self.0.return_size = bytes.len();
        let at = if bytes.is_empty() {
            core::ptr::null()
        } else {
            bytes.as_ptr()
        };
        if !self.0.data.is_null() {
            // SAFETY: it points to room for a pointer.
            unsafe { *self.0.data.cast::<*const u8>() = at };
        }
        Ok(())
    }

    /// Answers with bytes, or with where they lie, as it is asked for.
    pub fn set_octets_or_pointer(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self.0.kind {
            kind::OCTETS_POINTER => self.set_pointer(bytes),
            _ => self.set_octets(bytes),
        }
    }

    pub fn set_octets(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.is(&[kind::OCTETS])?;
        self.set(bytes, None)
    }

    /// Answers with a text that is copied, with the null at its end where there is room for it, which is not counted.
    pub fn set_string(&mut self, text: &str) -> Result<(), Failure> {
        self.is(&[kind::UTF8])?;
        let mut bytes = text.as_bytes().to_vec();
        if self.0.size > bytes.len() {
            bytes.push(0);
        }
        self.set(&bytes, None)?;
        self.0.return_size = text.len();
        Ok(())
    }

    pub fn set_text(&mut self, text: &'static CStr) -> Result<(), Failure> {
        if self.0.kind != kind::UTF8_POINTER {
            return self.set_string(&text.to_string_lossy());
        }
        self.0.return_size = text.count_bytes();
        if !self.0.data.is_null() {
            // SAFETY: it points to room for a pointer.
            unsafe { *self.0.data.cast::<*const core::ffi::c_char>() = text.as_ptr() };
        }
        Ok(())
    }
}

/// Whether a program's name for something is its name or one of its other names; small and capital letters are alike.
pub fn names(stated: &str, name: &CStr, aliases: &[&str]) -> bool {
    let mut all = name.to_str().into_iter().chain(aliases.iter().copied());
    all.any(|own| own.eq_ignore_ascii_case(stated))
}

/// A list of parameters to pass to OpenSSL. Its bytes are wiped.
#[derive(Default)]
pub struct List(Vec<(&'static CStr, core::ffi::c_uint, Zeroizing<Vec<u8>>)>);

impl List {
    /// Adds an unsigned number in big-endian bytes.
    pub fn natural(&mut self, name: &'static CStr, be_bytes: &[u8]) {
        let mut bytes = Zeroizing::new(be_bytes.to_vec());
        bytes.reverse();
        self.0.push((name, kind::UNSIGNED, bytes));
    }

    pub fn integer(&mut self, name: &'static CStr, number: c_int) {
        let bytes = Zeroizing::new(number.to_ne_bytes().to_vec());
        self.0.push((name, kind::INTEGER, bytes));
    }

    pub fn octets(&mut self, name: &'static CStr, bytes: &[u8]) {
        let bytes = Zeroizing::new(bytes.to_vec());
        self.0.push((name, kind::OCTETS, bytes));
    }

    pub fn text(&mut self, name: &'static CStr, text: &'static CStr) {
        let bytes = Zeroizing::new(text.to_bytes_with_nul().to_vec());
        self.0.push((name, kind::UTF8, bytes));
    }

    /// Takes what parameters state of those that a list describes, in the place of what was stated before.
    pub fn take(
        &mut self,
        params: &Params<'_>,
        described: &'static [Param],
    ) -> Result<(), Failure> {
        for param in described.iter().filter(|param| !param.key.is_null()) {
            // SAFETY: keys of a description are C strings that live on.
            let name: &'static CStr = unsafe { CStr::from_ptr(param.key) };
            let Some(value) = params.find(name) else {
                continue;
            };
            let bytes = match value.0.kind {
                kind::UTF8 | kind::UTF8_POINTER => [value.text()?.as_bytes(), &[0]].concat(),
                kind::OCTETS_POINTER => value.octets()?.to_vec(),
                _ => value.bytes().to_vec(),
            };
            let kind = match value.0.kind {
                kind::UTF8_POINTER => kind::UTF8,
                kind => kind,
            };
            self.0.retain(|(own, ..)| *own != name);
            self.0.push((name, kind, Zeroizing::new(bytes)));
        }
        Ok(())
    }

    /// Answers those of this list that are asked for.
    pub fn answer(&self, wanted: &mut Wanted<'_>) -> Result<(), Failure> {
        let found = self.0.iter().find(|(name, ..)| *name == wanted.name());
        match found {
            Some((_, kind::UNSIGNED, bytes)) => wanted.set_number(bytes, false),
            Some((_, kind::UTF8, bytes)) => {
                wanted.set_string(&String::from_utf8_lossy(&bytes[..bytes.len() - 1]))
            }
            Some((_, kind::INTEGER, bytes)) => {
                let negative = bytes.last().is_some_and(|&top| top >= 0x80);
                wanted.set_number(bytes, negative)
            }
            Some((_, _, bytes)) => wanted.set_octets(bytes),
            None => Ok(()),
        }
    }

    /// The list as OpenSSL reads it, as long as this lives.
    pub fn params(&self) -> Vec<Param> {
        let param = |(name, kind, bytes): &(&'static CStr, _, Zeroizing<Vec<u8>>)| Param {
            data: bytes.as_ptr().cast_mut().cast::<c_void>(),
            size: len(*kind, bytes),
            ..Param::describe(name, *kind)
        };
        let params = self.0.iter().map(param);
        params.chain([Param::END]).collect()
    }

    /// Calls a callback of OpenSSL's with the list.
    ///
    /// # Safety
    /// The argument must be what belongs to the callback.
    pub unsafe fn pass(self, callback: Callback, argument: *mut c_void) -> Result<(), Failure> {
        let params = self.params();
        // SAFETY: as the caller says; the list lives until the callback returns.
        match unsafe { callback(params.as_ptr(), argument) } {
            1.. => Ok(()),
            _ => Err(Failure::new(
                "whoever asked for the parameters did not take them",
            )),
        }
    }
}

/// The length of a value: the null at the end of a text, which readers rely on, does not count.
fn len(of: core::ffi::c_uint, bytes: &[u8]) -> usize {
    bytes.len() - usize::from(of == kind::UTF8)
}

/// Big-endian bytes without zeros in front. The position is public: it follows from the length of a part.
pub fn significant(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| byte != 0);
    &bytes[start.unwrap_or(bytes.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_any_length() {
        let read = |kind, bytes: &'static [u8]| {
            let param = Param {
                data: bytes.as_ptr().cast_mut().cast(),
                size: bytes.len(),
                ..Param::describe(c"a", kind)
            };
            Value(&param).integer().ok()
        };
        assert_eq!(read(kind::UNSIGNED, &[]), Some(0));
        assert_eq!(read(kind::INTEGER, &[0xff]), Some(-1));
        assert_eq!(read(kind::UNSIGNED, &[0xff]), Some(255));
        assert_eq!(read(kind::INTEGER, &[0xfe; 9]), None);
        assert_eq!(read(kind::UNSIGNED, &[0xff; 8]), None);
        assert_eq!(read(kind::UTF8, b"1"), None);
    }

    /// The room after an answer, all of whose bytes were 0x55, and the length that the answer states.
    fn answer(
        kind: core::ffi::c_uint,
        size: usize,
        give: impl FnOnce(&mut Wanted<'_>) -> Result<(), Failure>,
    ) -> Option<(Vec<u8>, usize)> {
        let mut room = vec![0x55; size];
        let mut param = Param {
            data: room.as_mut_ptr().cast(),
            size,
            ..Param::describe(c"a", kind)
        };
        give(&mut Wanted(&mut param)).ok()?;
        let len = param.return_size;
        Some((room, len))
    }

    #[test]
    fn numbers_fill_the_room_and_keep_their_sign() {
        let integer = |kind, size, number| answer(kind, size, |wanted| wanted.set_integer(number));
        let filled = |bytes: &[u8]| Some((bytes.to_vec(), bytes.len()));
        let (signed, unsigned) = (kind::INTEGER, kind::UNSIGNED);
        assert_eq!(integer(signed, 1, -1), filled(&[0xff]));
        assert_eq!(
            integer(signed, 6, -2),
            filled(&[0xfe, 255, 255, 255, 255, 255])
        );
        assert_eq!(integer(signed, 1, 127), filled(&[127]));
        assert_eq!(integer(signed, 1, 128), None);
        assert_eq!(integer(signed, 1, -129), None);
        assert_eq!(integer(signed, 2, 128), filled(&[128, 0]));
        assert_eq!(integer(unsigned, 1, 128), filled(&[128]));
        assert_eq!(integer(unsigned, 1, 256), None);
        assert_eq!(integer(unsigned, 4, -1), None);
        assert_eq!(integer(kind::UTF8, 4, 1), None);
        // 2^64 - 1 as an integer has a byte for its sign.
        let count = |kind, size| answer(kind, size, |wanted| wanted.set_count(u64::MAX));
        assert_eq!(count(unsigned, 8), filled(&[255; 8]));
        assert_eq!(count(signed, 8), None);
        assert_eq!(
            count(signed, 9),
            filled(&[255, 255, 255, 255, 255, 255, 255, 255, 0])
        );
    }

    #[test]
    fn what_no_room_is_given_for_has_its_length() {
        let mut param = Param::describe(c"a", kind::UNSIGNED);
        Wanted(&mut param).set_count(1).unwrap();
        assert_eq!(param.return_size, 8);
        let mut param = Param::describe(c"a", kind::UTF8);
        Wanted(&mut param).set_string("abc").unwrap();
        assert_eq!(param.return_size, 3);
    }

    #[test]
    fn texts_have_a_null_where_there_is_room() {
        let text = |size| answer(kind::UTF8, size, |wanted| wanted.set_text(c"abc"));
        assert_eq!(text(2), None);
        assert_eq!(text(3), Some((b"abc".to_vec(), 3)));
        assert_eq!(text(5), Some((b"abc\0\x55".to_vec(), 3)));
    }

    #[test]
    fn values_behind_pointers() {
        let text = c"a text";
        let (at, none) = (text.as_ptr(), core::ptr::null::<core::ffi::c_char>());
        let read = |kind, at: &*const core::ffi::c_char| {
            let param = Param {
                data: (&raw const *at).cast_mut().cast(),
                size: text.count_bytes(),
                ..Param::describe(c"a", kind)
            };
            let value = Value(&param);
            (
                value.text().ok().map(str::to_owned),
                value.octets().is_ok(),
                value.integer().is_ok(),
            )
        };
        assert_eq!(
            read(kind::UTF8_POINTER, &at),
            (Some("a text".to_owned()), false, false)
        );
        assert_eq!(read(kind::UTF8_POINTER, &none), (None, false, false));
        assert_eq!(read(kind::OCTETS_POINTER, &at), (None, false, false));
        let given = answer(kind::OCTETS_POINTER, size_of::<usize>(), |wanted| {
            wanted.set_octets_or_pointer(text.to_bytes())
        });
        assert_eq!(
            given,
            Some((at.addr().to_ne_bytes().to_vec(), text.count_bytes()))
        );
    }

    #[test]
    fn zeros_in_front_do_not_count() {
        assert_eq!(significant(&[0, 0, 1, 0]), [1, 0]);
        assert!(significant(&[0, 0]).is_empty());
    }
}
