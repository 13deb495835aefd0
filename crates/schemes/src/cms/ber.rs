//! BER in a stream: definite and indefinite lengths read with constant memory, DER written.

use super::Error;
use std::io::{self, Read};

/// SEQUENCE.
pub const SEQUENCE: u8 = 0x30;
/// SET.
pub const SET: u8 = 0x31;
/// INTEGER.
pub const INTEGER: u8 = 0x02;
/// BIT STRING.
pub const BIT_STRING: u8 = 0x03;
/// OCTET STRING.
pub const OCTET_STRING: u8 = 0x04;
/// NULL.
pub const NULL: u8 = 0x05;
/// OBJECT IDENTIFIER.
pub const OID: u8 = 0x06;
/// The bit of a tag that says: made of elements.
pub const CONSTRUCTED: u8 = 0x20;

/// How deep elements may nest where the depth is the sender's choice.
const MAX_DEPTH: usize = 16;

/// The context-specific, constructed tag `[n]`.
pub const fn context(n: u8) -> u8 {
    0xa0 | n
}

/// The context-specific, primitive tag `[n]`.
pub const fn context_primitive(n: u8) -> u8 {
    0x80 | n
}

/// Tag and definite length.
pub fn header(tag: u8, len: u64) -> Vec<u8> {
    let mut out = vec![tag];
    if len < 0x80 {
        out.push(len as u8);
    } else {
        let skip = len.leading_zeros() as usize / 8;
        out.push(0x80 | (8 - skip) as u8);
        out.extend_from_slice(&len.to_be_bytes()[skip..]);
    }
    out
}

/// A whole element whose contents are `parts` in a row.
pub fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut out = header(tag, parts.iter().map(|p| p.len() as u64).sum());
    parts.iter().for_each(|p| out.extend_from_slice(p));
    out
}

#[derive(Clone, Copy)]
struct Header {
    tag: u8,
    /// `None` for the indefinite form.
    len: Option<u64>,
}

/// An element that has been entered.
#[derive(Clone, Copy)]
struct Scope {
    /// Where it ends; `None` when an end-of-contents marker says so.
    end: Option<u64>,
    /// Where the innermost definite element around here ends.
    limit: u64,
}

/// An octet string on its way through a [`Reader`].
pub struct Octets {
    /// Of its primitive form.
    tag: u8,
    /// Whether its first header was read.
    begun: bool,
    /// How many elements it is in that are constructed of parts.
    depth: usize,
    /// What is left of the part.
    left: u64,
}

impl Octets {
    /// One that is next, in the primitive form with this tag, or constructed of OCTET STRINGs.
    pub fn new(tag: u8) -> Octets {
        Octets {
            tag,
            begun: false,
            depth: 0,
            left: 0,
        }
    }

    /// What the next part has, unless there is none.
    fn tag(&self) -> Option<u8> {
        match (self.begun, self.depth) {
            (false, _) => Some(self.tag),
            (true, 0) => None,
            _ => Some(OCTET_STRING),
        }
    }
}

/// Reads elements from a stream, never holding more than one small one.
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

    /// Goes into a constructed element.
    pub fn enter(&mut self, tag: u8) -> Result<(), Error> {
        let header = self.expect(tag)?;
        let end = header.len.map(|len| self.at + len);
        self.scopes.push(Scope {
            end,
            limit: end.unwrap_or(self.limit()),
        });
        Ok(())
    }

    /// Goes out of the element last entered, of which nothing may be left.
    pub fn leave(&mut self) -> Result<(), Error> {
        if self.peek()?.is_some() {
            return Err(Error::Malformed("an element where none is expected"));
        }
        self.peeked = None;
        self.scopes.pop();
        Ok(())
    }

    /// Skips what is left of the element last entered, and goes out of it.
    pub fn skip_out(&mut self) -> Result<(), Error> {
        while self.peek()?.is_some() {
            self.skip(0)?;
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
            return Err(Error::Malformed("an element is too long"));
        }
        let mut out = vec![0; len as usize];
        self.read_exact(&mut out)?;
        Ok(out)
    }

    /// An OBJECT IDENTIFIER's contents.
    pub fn oid(&mut self) -> Result<Vec<u8>, Error> {
        self.primitive(OID, 64)
    }

    /// The whole next element, with lengths in the definite form.
    pub fn whole(&mut self, max: usize) -> Result<Vec<u8>, Error> {
        self.whole_at(max, 0)
    }

    fn whole_at(&mut self, max: usize, depth: usize) -> Result<Vec<u8>, Error> {
        let tag = self
            .peek()?
            .ok_or(Error::Malformed("an element is missing"))?;
        if tag & CONSTRUCTED == 0 {
            return Ok(element(tag, &[&self.primitive(tag, max)?]));
        }
        if depth == MAX_DEPTH {
            return Err(Error::Malformed("elements nest too deeply"));
        }
        self.enter(tag)?;
        let mut contents = Vec::new();
        while self.peek()?.is_some() {
            contents.extend(self.whole_at(max - contents.len(), depth + 1)?);
            if contents.len() > max {
                return Err(Error::Malformed("an element is too long"));
            }
        }
        self.leave()?;
        Ok(element(tag, &[&contents]))
    }

    fn skip(&mut self, depth: usize) -> Result<(), Error> {
        let tag = self
            .peek()?
            .ok_or(Error::Malformed("an element is missing"))?;
        let header = self.expect(tag)?;
        if let Some(len) = header.len {
            let copied = io::copy(&mut (&mut self.src).take(len), &mut io::sink())?;
            self.at += copied;
            return if copied == len {
                Ok(())
            } else {
                Err(Error::Truncated)
            };
        }
        if depth == MAX_DEPTH {
            return Err(Error::Malformed("elements nest too deeply"));
        }
        self.scopes.push(Scope {
            end: None,
            limit: self.limit(),
        });
        while self.peek()?.is_some() {
            self.skip(depth + 1)?;
        }
        self.leave()
    }

    /// Reads more of the contents of an octet string, of as many parts as it takes: less than fits only at its end.
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
                    return Err(Error::Malformed("elements nest too deeply"));
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

    /// Checks that the stream ends here, with no element open, and gives it back.
    pub fn finish(mut self) -> Result<R, Error> {
        match self.src.read(&mut [0])? {
            0 if self.scopes.is_empty() => Ok(self.src),
            _ => Err(Error::Malformed("something follows the message")),
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
            (None, _) => Err(Error::Malformed("an element is missing")),
            _ => Err(Error::Malformed("an element of another type is expected")),
        }
    }

    fn read_header(&mut self) -> Result<Header, Error> {
        let tag = self.read_byte()?;
        if tag & 0x1f == 0x1f {
            return Err(Error::Malformed("a tag number above 30"));
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
    fn whole_makes_lengths_definite() {
        let indefinite = b"\x30\x80\x02\x01\x05\x30\x80\x05\x00\x00\x00\x00\x00";
        let mut reader = Reader::new(&indefinite[..]);
        assert_eq!(
            reader.whole(100).unwrap(),
            b"\x30\x07\x02\x01\x05\x30\x02\x05\x00"
        );
        reader.finish().unwrap();
        assert!(Reader::new(&indefinite[..]).whole(4).is_err());
    }
}
