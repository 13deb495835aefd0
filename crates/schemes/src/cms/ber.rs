//! Streaming BER: reads definite and indefinite lengths in constant memory.

use super::Error;
pub use crate::formats::asn1::*;
use std::io::Read;

/// The deepest nesting where the sender chooses the depth.
const MAX_DEPTH: usize = 16;

const MISSING: Error = Error::Malformed("an element is missing");
const WRONG: Error = Error::Malformed("an element of another type is expected");
const TOO_LONG: Error = Error::Malformed("an element is too long");
/// Bytes behind a message.
pub const TRAILING: Error = Error::Malformed("something follows the message");
const TOO_DEEP: Error = Error::Malformed("elements nest too deeply");

#[derive(Clone, Copy)]
struct Header {
    tag: u8,
    /// `None` for the indefinite form.
    len: Option<u64>,
}

/// An element that has been entered.
#[derive(Clone, Copy)]
struct Scope {
    /// Where it ends; `None` if an end-of-contents marker ends it.
    end: Option<u64>,
    /// Where the innermost enclosing definite element ends.
    limit: u64,
}

/// An octet string on its way through a [`Reader`].
pub struct Octets {
    /// The tag of its primitive form.
    tag: u8,
    /// Whether its first header was read.
    begun: bool,
    /// The number of enclosing elements that are constructed of parts.
    depth: usize,
    /// The remaining length of the part.
    left: u64,
}

impl Octets {
    /// The next octet string, in the primitive form with this tag, or constructed of OCTET STRINGs.
    pub fn new(tag: u8) -> Octets {
        Octets {
            tag,
            begun: false,
            depth: 0,
            left: 0,
        }
    }

    /// The length of the next part, unless there is none.
    fn tag(&self) -> Option<u8> {
        match (self.begun, self.depth) {
            (false, _) => Some(self.tag),
            (true, 0) => None,
            _ => Some(OCTET_STRING),
        }
    }
}

/// Reads elements from a stream; holds at most one small element.
pub struct Reader<R> {
    src: R,
    at: u64,
    peeked: Option<Header>,
    scopes: Vec<Scope>,
}

impl<R: Read> Reader<R> {
    pub fn new(src: R) -> Reader<R> {
        Reader {
            src,
            at: 0,
            peeked: None,
            scopes: Vec::new(),
        }
    }

    /// The tag of the next element, or `None` at the end of the one that was entered.
    pub fn peek(&mut self) -> Result<Option<u8>, Error> {
        let scope = self.scopes.last().copied();
        if self.peeked.is_none() {
            if scope.is_some_and(|s| s.end == Some(self.at)) {
                return Ok(None);
            }
            self.peeked = Some(self.read_header()?);
        }
        match self.peeked {
            Some(Header {
                tag: 0,
                len: Some(0),
            }) if scope.is_some_and(|s| s.end.is_none()) => Ok(None),
            Some(Header { tag: 0, .. }) | None => {
                Err(Error::Malformed("a stray end-of-contents marker"))
            }
            Some(Header { tag, .. }) => Ok(Some(tag)),
        }
    }

    /// Enters a constructed element.
    pub fn enter(&mut self, tag: u8) -> Result<(), Error> {
        let header = self.expect(tag)?;
        let end = header.len.map(|len| self.at + len);
        self.scopes.push(Scope {
            end,
            limit: end.unwrap_or(self.limit()),
        });
        Ok(())
    }

    /// Leaves the element last entered, which must have been read to its end.
    pub fn leave(&mut self) -> Result<(), Error> {
        if self.peek()?.is_some() {
            return Err(Error::Malformed("an element where none is expected"));
        }
        self.peeked = None;
        self.scopes.pop();
        Ok(())
    }

    /// Skips the rest of the element last entered, and leaves it.
    pub fn skip_out(&mut self) -> Result<(), Error> {
        while self.peek()?.is_some() {
            self.pass(&mut |_| ())?;
        }
        self.leave()
    }

    /// The contents of a primitive element of at most `max` bytes.
    pub fn primitive(&mut self, tag: u8, max: usize) -> Result<Vec<u8>, Error> {
        let header = self.expect(tag)?;
        let len = header.len.ok_or(Error::Malformed(
            "an indefinite length on a primitive element",
        ))?;
        if len > max as u64 {
            return Err(TOO_LONG);
        }
        let mut out = vec![0; len as usize];
        self.read_exact(&mut out)?;
        Ok(out)
    }

    /// An OBJECT IDENTIFIER's contents.
    pub fn oid(&mut self) -> Result<Vec<u8>, Error> {
        self.primitive(OID, 64)
    }

    /// A number that is not negative.
    pub fn number(&mut self) -> Result<u64, Error> {
        let bytes = self.primitive(INTEGER, 9)?;
        if bytes.first().is_none_or(|first| *first >= 0x80) {
            return Err(Error::Malformed("a number that is negative or missing"));
        }
        let value = bytes.iter().fold(0, |v, b| v << 8 | u128::from(*b));
        u64::try_from(value).map_err(|_| TOO_LONG)
    }

    /// The contents of an octet string of at most `max` bytes, in one piece or in parts.
    pub fn octets(&mut self, tag: u8, max: usize) -> Result<Vec<u8>, Error> {
        const STEP: usize = 4096;
        let (mut string, mut out) = (Octets::new(tag), Vec::new());
        loop {
            let at = out.len();
            out.resize(at + STEP, 0);
            let filled = self.fill(&mut string, &mut out[at..])?;
            out.truncate(at + filled);
            if out.len() > max {
                return Err(TOO_LONG);
            }
            if filled < STEP {
                // A message may have many short ones.
                out.shrink_to_fit();
                return Ok(out);
            }
        }
    }

    /// The whole next element in DER: definite lengths, octet strings in one piece, sets in order (X.690, 11.6).
    pub fn der(&mut self, max: usize) -> Result<Vec<u8>, Error> {
        self.der_at(max, 0)
    }

    /// The whole next element in DER, with an implicit tag.
    pub fn der_as(&mut self, tag: u8, max: usize) -> Result<Vec<u8>, Error> {
        let found = self.peek()?.ok_or(MISSING)?;
        self.peeked = self.peeked.map(|header| Header { tag, ..header });
        if (found ^ tag) & CONSTRUCTED != 0 {
            return Err(WRONG);
        }
        self.der(max)
    }

    fn der_at(&mut self, max: usize, depth: usize) -> Result<Vec<u8>, Error> {
        let tag = self.peek()?.ok_or(MISSING)?;
        if tag & CONSTRUCTED == 0 {
            return Ok(element(tag, &[&self.primitive(tag, max)?]));
        }
        if tag == OCTET_STRING | CONSTRUCTED {
            return Ok(element(OCTET_STRING, &[&self.octets(OCTET_STRING, max)?]));
        }
        if depth == MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.enter(tag)?;
        let (mut parts, mut len) = (Vec::new(), 0);
        while self.peek()?.is_some() {
            let part = self.der_at(max - len, depth + 1)?;
            len += part.len();
            if len > max {
                return Err(TOO_LONG);
            }
            parts.push(part);
        }
        self.leave()?;
        if tag == SET {
            parts.sort();
        }
        Ok(element(tag, &[&parts.concat()]))
    }

    /// The whole next element, with lengths in their shortest form; skips one longer than `max` and returns nothing. Of tags
    /// above 30, which nothing here has, only the first octet is kept.
    pub fn raw(&mut self, max: usize) -> Result<Option<Vec<u8>>, Error> {
        let mut kept = Some(Vec::new());
        self.pass(&mut |bytes| match &mut kept {
            Some(all) if all.len() + bytes.len() <= max => all.extend_from_slice(bytes),
            _ => kept = None,
        })?;
        Ok(kept)
    }

    /// Passes the bytes of the next element on, however deep it is, without storing them.
    fn pass(&mut self, each: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        self.peek()?.ok_or(MISSING)?;
        let mut open = 0u64;
        loop {
            let Header { tag, len } = match self.peeked.take() {
                Some(header) => header,
                None => self.read_header()?,
            };
            match len {
                Some(len) => each(&header(tag, len)),
                None => each(&[tag, 0x80]),
            }
            match (tag, len) {
                (0, Some(0)) if open > 0 => open -= 1,
                (0, _) => return Err(Error::Malformed("a stray end-of-contents marker")),
                (_, None) => open += 1,
                (_, Some(mut left)) => {
                    let mut buf = [0; 4096];
                    while left > 0 {
                        let some = left.min(buf.len() as u64) as usize;
                        self.read_exact(&mut buf[..some])?;
                        each(&buf[..some]);
                        left -= some as u64;
                    }
                }
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Reads more of the contents of an octet string, from several parts if needed; short only at its end.
    pub fn fill(&mut self, string: &mut Octets, buf: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buf.len() {
            if string.left == 0 && !self.next_part(string)? {
                break;
            }
            let some = string.left.min((buf.len() - filled) as u64) as usize;
            self.read_exact(&mut buf[filled..filled + some])?;
            string.left -= some as u64;
            filled += some;
        }
        Ok(filled)
    }

    /// Goes to the next primitive part, if there is one.
    fn next_part(&mut self, string: &mut Octets) -> Result<bool, Error> {
        while let Some(tag) = string.tag() {
            match self.peek()? {
                Some(found) if found == tag => {
                    let len = self.expect(tag)?.len;
                    string.left = len.ok_or(Error::Malformed(
                        "an indefinite length on a primitive element",
                    ))?;
                    string.begun = true;
                    return Ok(true);
                }
                None if string.depth > 0 => {
                    self.leave()?;
                    string.depth -= 1;
                }
                _ if string.depth == MAX_DEPTH => {
                    return Err(TOO_DEEP);
                }
                _ => {
                    self.enter(tag | CONSTRUCTED)?;
                    if self.scopes.last().is_some_and(|s| s.end == Some(self.at)) {
                        return Err(Error::Malformed("a constructed string without parts"));
                    }
                    string.begun = true;
                    string.depth += 1;
                }
            }
        }
        Ok(false)
    }

    /// Checks that no element is open, and returns the stream.
    pub fn into_inner(self) -> Result<R, Error> {
        match self.scopes.is_empty() && self.peeked.is_none() {
            true => Ok(self.src),
            false => Err(Error::Malformed("an element is open")),
        }
    }

    /// Checks that the stream ends here, with no element open.
    pub fn finish(self) -> Result<(), Error> {
        match self.into_inner()?.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(TRAILING),
        }
    }

    fn limit(&self) -> u64 {
        self.scopes.last().map_or(u64::MAX, |s| s.limit)
    }

    fn expect(&mut self, tag: u8) -> Result<Header, Error> {
        match (self.peek()?, self.peeked) {
            (Some(found), Some(header)) if found == tag => {
                self.peeked = None;
                Ok(header)
            }
            (None, _) => Err(MISSING),
            _ => Err(WRONG),
        }
    }

    fn read_header(&mut self) -> Result<Header, Error> {
        let tag = self.read_byte()?;
        // A tag number above 30 is never expected here, so it is skipped or an error.
        if tag & 0x1f == 0x1f {
            while self.read_byte()? & 0x80 != 0 {}
        }
        let len = match self.read_byte()? {
            short @ 0..0x80 => Some(u64::from(short)),
            0x80 if tag & CONSTRUCTED != 0 => None,
            long @ 0x81..=0x88 => {
                let mut len = 0;
                for _ in 0x80..long {
                    len = len << 8 | u64::from(self.read_byte()?);
                }
                Some(len)
            }
            _ => return Err(Error::Malformed("a length that BER does not allow")),
        };
        if len.is_some_and(|len| len > self.limit() - self.at) {
            return Err(Error::Malformed(
                "an element is longer than the one around it",
            ));
        }
        Ok(Header { tag, len })
    }

    fn read_byte(&mut self) -> Result<u8, Error> {
        let mut byte = [0];
        self.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn read_exact(&mut self, buf: &mut [u8]) -> Result<(), Error> {
        if buf.len() as u64 > self.limit() - self.at {
            return Err(Error::Malformed(
                "an element is longer than the one around it",
            ));
        }
        self.src.read_exact(buf)?;
        self.at += buf.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let mut reader = Reader::new(bytes);
        let mut out = Vec::new();
        let (mut string, mut buf) = (Octets::new(OCTET_STRING), [0; 3]);
        loop {
            let filled = reader.fill(&mut string, &mut buf)?;
            out.extend_from_slice(&buf[..filled]);
            if filled < buf.len() {
                break;
            }
        }
        reader.finish()?;
        Ok(out)
    }

    #[test]
    fn short_strings_take_little_memory() {
        for bytes in [
            &b"\x04\x00"[..],
            b"\x04\x01x",
            b"\x24\x06\x04\x01x\x04\x01y",
        ] {
            let octets = Reader::new(bytes).octets(OCTET_STRING, 256).unwrap();
            assert!(octets.len() <= 2 && octets.capacity() <= 16);
        }
    }

    #[test]
    fn headers_are_minimal() {
        assert_eq!(header(0x04, 0x7f), [0x04, 0x7f]);
        assert_eq!(header(0x04, 0x80), [0x04, 0x81, 0x80]);
        assert_eq!(header(0x04, 0x1_0000), [0x04, 0x83, 1, 0, 0]);
        assert_eq!(header(0x04, u64::MAX)[1], 0x88);
    }

    #[test]
    fn a_string_in_parts_is_the_string() {
        let whole = b"\x04\x04abcd";
        let parts = b"\x24\x80\x04\x01a\x24\x80\x04\x02bc\x00\x00\x04\x01d\x00\x00";
        let definite = b"\x24\x06\x04\x01a\x04\x01b";
        assert_eq!(collect(whole).unwrap(), b"abcd");
        assert_eq!(collect(parts).unwrap(), b"abcd");
        assert_eq!(collect(definite).unwrap(), b"ab");
        for len in 0..parts.len() {
            assert!(collect(&parts[..len]).is_err(), "{len} bytes are enough");
        }
    }

    #[test]
    fn what_ber_forbids_is_refused() {
        let cases: [&[u8]; 7] = [
            b"\x04\x80a\x00\x00",                        // indefinite and primitive
            b"\x24\x00",                                 // no parts
            b"\x24\x03\x04\x02a",                        // a part longer than the whole
            b"\x04\x01ab",                               // trailing byte
            b"\x1f\x01a",                                // long tag
            b"\x04\xff",                                 // reserved length
            b"\x04\x88\xff\xff\xff\xff\xff\xff\xff\xff", // 2^64 - 1 bytes
        ];
        for case in cases {
            assert!(collect(case).is_err(), "{case:02x?} is accepted");
        }
        let deep = [0x24, 0x80].repeat(100);
        assert!(matches!(collect(&deep), Err(Error::Malformed(_))));
    }

    #[test]
    fn der_has_definite_lengths_and_whole_strings_and_sets_in_order() {
        let ber = b"\x30\x80\x02\x01\x05\x31\x80\x24\x80\x04\x01b\x04\x01c\x00\x00\x02\x01\x07\x00\x00\x00\x00";
        let mut reader = Reader::new(&ber[..]);
        assert_eq!(
            reader.der(100).unwrap(),
            b"\x30\x0c\x02\x01\x05\x31\x07\x02\x01\x07\x04\x02bc"
        );
        reader.finish().unwrap();
        assert!(Reader::new(&ber[..]).der(9).is_err());
    }

    /// Lengths and depths up to each limit are read, and beyond it refused.
    #[test]
    fn elements_are_read_up_to_their_limits() {
        let string = element(OCTET_STRING, &[&[7; 9]]);
        let sequence = element(SEQUENCE, &[&string]);
        for (max, right) in [(9, true), (8, false)] {
            let read = Reader::new(&string[..]).primitive(OCTET_STRING, max);
            assert_eq!(read.is_ok(), right);
            let read = Reader::new(&string[..]).octets(OCTET_STRING, max);
            assert_eq!(read.is_ok(), right);
            // With the header of the string inside.
            let read = Reader::new(&sequence[..]).der(max + 2);
            assert_eq!(read.is_ok(), right);
        }
        for (depth, right) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let nested = |tag| (0..depth).fold(string.clone(), |inner, _| element(tag, &[&inner]));
            assert_eq!(collect(&nested(OCTET_STRING | CONSTRUCTED)).is_ok(), right);
            let read = Reader::new(&nested(SEQUENCE)[..]).der(1024);
            assert_eq!(read.is_ok(), right);
        }
        for (len, right) in [(64, true), (65, false)] {
            let oid = element(OID, &[&vec![0x2a; len]]);
            assert_eq!(Reader::new(&oid[..]).oid().is_ok(), right);
        }
    }

    #[test]
    fn raw_is_what_was_there() {
        let deep = [
            [0x30, 0x80].repeat(1000),
            b"\x04\x81\x80".to_vec(),
            vec![7; 0x80],
            vec![0; 2000],
        ]
        .concat();
        let both = [&deep[..], b"\x02\x01\x05"].concat();
        for (max, found) in [(deep.len(), Some(deep.clone())), (deep.len() - 1, None)] {
            let mut reader = Reader::new(&both[..]);
            assert_eq!(reader.raw(max).unwrap(), found);
            assert_eq!(reader.number().unwrap(), 5);
            reader.finish().unwrap();
        }
        for cut in 0..deep.len() {
            assert!(Reader::new(&deep[..cut]).raw(1 << 20).is_err(), "{cut}");
        }
        // A tag of several bytes is skipped.
        let mut reader = Reader::new(&b"\x30\x80\x1f\x82\x01\x01a\x00\x00\x02\x01\x05"[..]);
        reader.raw(0).unwrap();
        assert_eq!(reader.number().unwrap(), 5);
    }

    #[test]
    fn numbers_are_not_negative() {
        let read = |bytes: &[u8]| Reader::new(bytes).number();
        for (value, bytes) in [
            (0, &b"\x02\x01\x00"[..]),
            (127, b"\x02\x01\x7f"),
            (128, b"\x02\x02\x00\x80"),
            (600_000, b"\x02\x03\x09\x27\xc0"),
            (u64::MAX, b"\x02\x09\x00\xff\xff\xff\xff\xff\xff\xff\xff"),
        ] {
            assert_eq!(integer(value), bytes);
            assert_eq!(read(bytes).unwrap(), value);
        }
        assert_eq!(read(b"\x02\x01\x7f").unwrap(), 127);
        assert_eq!(read(b"\x02\x02\x00\xff").unwrap(), 255);
        assert_eq!(
            read(&[&b"\x02\x09\x00"[..], &[0xff; 8]].concat()).unwrap(),
            u64::MAX
        );
        assert!(read(b"\x02\x00").is_err());
        assert!(read(b"\x02\x01\x80").is_err());
        assert!(read(&[&b"\x02\x09\x01"[..], &[0; 8]].concat()).is_err());
    }
}
