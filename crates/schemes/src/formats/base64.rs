//! Streaming base64 (RFC 4648, section 4), without branches on the decoded data.

use base64ct::{Base64, Encoding};
use std::io::{self, BufRead, Read};
use zeroize::{Zeroize, Zeroizing};

/// Characters decoded at a time: whole groups of four.
const TEXT: usize = 4096;

/// The bytes decoded from base64 text. White space is skipped. The text ends where the source ends, or before a `-`,
/// which begins the line after a PEM block. All bytes before an invalid character are returned before the error, so a
/// caller that knows where to stop never reaches it.
pub(crate) struct Decoder<R> {
    src: R,
    /// Characters that wait for the rest of their group and for the next one: only the last group is padded.
    text: Zeroizing<Vec<u8>>,
    /// Decoded bytes, and the number of them taken.
    plain: Zeroizing<Vec<u8>>,
    taken: usize,
    ended: bool,
    damaged: bool,
}

impl<R: BufRead> Decoder<R> {
    pub(crate) fn new(src: R) -> Decoder<R> {
        Decoder {
            src,
            text: Zeroizing::new(Vec::with_capacity(TEXT)),
            plain: Zeroizing::new(vec![0; TEXT / 4 * 3]),
            taken: TEXT / 4 * 3,
            ended: false,
            damaged: false,
        }
    }

    /// The source, positioned after the text once [`Read::read`] has returned 0 bytes.
    pub(crate) fn source(&mut self) -> &mut R {
        &mut self.src
    }

    /// Takes characters until there are [`TEXT`] of them or the text ends.
    fn gather(&mut self) -> io::Result<()> {
        while !self.ended && self.text.len() < TEXT {
            let some = self.src.fill_buf()?;
            // No more than is taken is looked at, or text with many blanks would be looked at again and again.
            let some = &some[..some.len().min(TEXT - self.text.len())];
            let dash = some.iter().position(|&c| c == b'-');
            let line = &some[..dash.unwrap_or(some.len())];
            self.ended = some.is_empty() || dash.is_some();
            append(&mut self.text, line);
            let used = line.len();
            self.src.consume(used);
        }
        Ok(())
    }

    /// Decodes all at the end of the text, else all but the last group.
    fn decode(&mut self) -> io::Result<()> {
        self.gather()?;
        let ready = match self.ended {
            true => self.text.len(),
            false => self.text.len() - 4,
        };
        let mut decoded = Base64::decode(&self.text[..ready], &mut self.plain).map(<[u8]>::len);
        if decoded.is_err() {
            (self.ended, self.damaged) = (true, true);
            decoded = self.whole_groups();
        }
        let decoded = decoded.unwrap_or(0);
        let ready = if self.damaged { self.text.len() } else { ready };
        // Aligned to the end of the buffer, so that one number tells how much is left.
        let room = self.plain.len();
        self.plain.copy_within(..decoded, room - decoded);
        self.taken = room - decoded;
        self.text.copy_within(ready.., 0);
        let left = self.text.len() - ready;
        self.text[left..].zeroize();
        self.text.truncate(left);
        Ok(())
    }
}

impl<R> Decoder<R> {
    /// Decodes the groups before the first invalid character. The last group may be padded.
    fn whole_groups(&mut self) -> Result<usize, base64ct::Error> {
        let whole = self.text.iter().take_while(|&&c| digit(c) == 1).count() / 4 * 4;
        let padded = self.text.get(..whole + 4);
        if let Some(Ok(decoded)) = padded.map(|text| Base64::decode(text, &mut self.plain)) {
            return Ok(decoded.len());
        }
        Ok(Base64::decode(&self.text[..whole], &mut self.plain)?.len())
    }
}

/// Appends all but white space. The positions of white space are public, the other characters are not.
fn append(text: &mut Vec<u8>, line: &[u8]) {
    let from = text.len();
    text.resize(from + line.len(), 0);
    let mut at = from;
    for &c in line {
        text[at] = c;
        at += usize::from(1 ^ white(c));
    }
    text.truncate(at);
}

/// 1 for a blank or a line end, else 0.
fn white(c: u8) -> u8 {
    [b' ', b'\t', b'\r', b'\n']
        .iter()
        .fold(0, |any, &white| any | within(c, white, white))
}

/// 1 for a digit of base64, else 0.
fn digit(c: u8) -> u8 {
    [
        (b'A', b'Z'),
        (b'a', b'z'),
        (b'0', b'9'),
        (b'+', b'+'),
        (b'/', b'/'),
    ]
    .iter()
    .fold(0, |any, &(first, last)| any | within(c, first, last))
}

/// 1 for a character from the first to the last of these, else 0.
fn within(c: u8, first: u8, last: u8) -> u8 {
    (u16::from(c.wrapping_sub(first)).wrapping_sub(u16::from(last - first) + 1) >> 15) as u8
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.plain.len() {
            if self.damaged {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "not base64 text",
                ));
            }
            if out.is_empty() || (self.ended && self.text.is_empty()) {
                return Ok(0);
            }
            self.decode()?;
        }
        let some = out.len().min(self.plain.len() - self.taken);
        out[..some].copy_from_slice(&self.plain[self.taken..][..some]);
        self.taken += some;
        Ok(some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn decode(text: &[u8], at_a_time: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Decoder::new(BufReader::with_capacity(at_a_time, text)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn text_of_every_length_is_read_in_every_cut() {
        let bytes: Vec<u8> = (0..10_000_u32).map(|i| ((i * i) >> 3) as u8).collect();
        for len in (0..40).chain(3060..3090).chain([6143, 6144, 6145, 10_000]) {
            let text = Base64::encode_string(&bytes[..len]);
            let folded = text
                .as_bytes()
                .chunks(61)
                .collect::<Vec<_>>()
                .join(&b"\r\n \t"[..]);
            for at_a_time in [1, 2, 3, 61, 4096, 1 << 20] {
                assert_eq!(decode(&folded, at_a_time).unwrap(), bytes[..len], "{len}");
            }
        }
    }

    #[test]
    fn characters_are_of_one_class() {
        for c in 0..=255_u8 {
            let is_digit = c.is_ascii_alphanumeric() || b"+/".contains(&c);
            assert_eq!(digit(c) == 1, is_digit, "{c}");
            assert_eq!(white(c) == 1, b" \t\r\n".contains(&c), "{c}");
        }
    }

    /// A reader that counts how often it is looked into.
    struct Counted<'a>(&'a [u8], usize);

    impl Read for Counted<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0.read(out)
        }
    }

    impl BufRead for Counted<'_> {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            self.1 += 1;
            Ok(self.0)
        }

        fn consume(&mut self, used: usize) {
            self.0.consume(used);
        }
    }

    /// Blanks that come one short of a full buffer are taken one by one, and nothing behind them is read for that.
    #[test]
    fn blanks_are_passed_over() {
        let text = [&b"A".repeat(TEXT - 1)[..], &b"\n".repeat(10_000), b"A"].concat();
        let mut decoder = Decoder::new(Counted(&text, 0));
        let mut bytes = Vec::new();
        decoder.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, [0; TEXT / 4 * 3]);
        assert!(decoder.source().1 < 10_010);
    }

    #[test]
    fn what_is_no_base64_is_refused() {
        for text in [
            "A",
            "AA",
            "AAA",
            "AA=",
            "AA==AAAA",
            "AB==",
            "A===",
            "====",
            "AA*A",
            "AAAA=",
            "\u{e4}AAA",
        ] {
            assert!(decode(text.as_bytes(), 2).is_err(), "{text:?} is accepted");
        }
    }

    #[test]
    fn the_source_is_left_before_a_dash() {
        let mut decoder = Decoder::new(&b"TWFu\n-----END X-----\nrest"[..]);
        let mut bytes = Vec::new();
        decoder.read_to_end(&mut bytes).unwrap();
        assert_eq!(
            (&bytes[..], *decoder.source()),
            (&b"Man"[..], &b"-----END X-----\nrest"[..])
        );
    }
}
