//! The text forms of a message, decoded and encoded in a stream: PEM (RFC 7468) and S/MIME (RFC 8551).

use super::ber::TRAILING;
use super::{Error, mime};
use crate::formats::base64::Decoder;
use base64ct::{Base64, Encoding};
use std::io::{self, BufRead, Chain, Cursor, Read, Write};

const LINE: usize = 64;

/// The form of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Binary.
    Der,
    /// PEM with this label.
    Pem(String),
    /// MIME headers, then base64.
    Smime,
    /// Base64 alone.
    Base64,
}

/// A stream of DER or BER, decoded from any form.
pub struct Dearmored<R> {
    src: Decoder<Chain<Cursor<Vec<u8>>, R>>,
    form: Form,
    done: bool,
}

impl<R: BufRead> Dearmored<R> {
    /// Detects the form, and reads up to the start of the contents.
    pub fn new(mut src: R) -> Result<Dearmored<R>, Error> {
        let mut ahead = Vec::new();
        (&mut src)
            .take(mime::AHEAD as u64)
            .read_to_end(&mut ahead)?;
        if ahead.is_empty() {
            return Err(Error::Empty);
        }
        let form = mime::at_once(&ahead);
        if form == Some(Form::Base64) && ahead.starts_with(mime::MARK) {
            ahead.drain(..mime::MARK.len());
        }
        let mut src = Cursor::new(ahead).chain(src);
        let form = match form {
            Some(form) => form,
            None => mime::head(&mut src)?,
        };
        Ok(Dearmored {
            src: Decoder::new(src),
            form,
            done: false,
        })
    }

    /// The form.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Checks that nothing follows the message, except text after the last line of PEM, a mail, or bare base64.
    pub fn finish(mut self) -> Result<(), Error> {
        let text_may_follow = matches!(self.form, Form::Smime | Form::Base64);
        if text_may_follow || self.read(&mut [0])? == 0 {
            Ok(())
        } else {
            Err(TRAILING)
        }
    }

    /// Whether the text ended in its form: PEM with its label, other forms not at a line that begins like PEM's last.
    fn is_closed(&mut self) -> io::Result<bool> {
        let Form::Pem(label) = &self.form else {
            return Ok(self.src.source().fill_buf()?.is_empty());
        };
        let end = format!("-----END {label}-----");
        let mut tail = Vec::new();
        let src = self.src.source();
        src.take(end.len() as u64).read_to_end(&mut tail)?;
        Ok(tail == end.as_bytes())
    }
}

impl<R: BufRead> Read for Dearmored<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.form == Form::Der {
            return self.src.source().read(out);
        }
        if self.done || out.is_empty() {
            return Ok(0);
        }
        let read = self.src.read(out)?;
        if read == 0 {
            self.done = true;
            if !self.is_closed()? {
                let why = "the base64 text is damaged or cut short";
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
        }
        Ok(read)
    }
}

/// Encodes the bytes written to it as PEM.
pub struct PemWriter<'a> {
    out: &'a mut (dyn Write + Send),
    label: &'static str,
    /// Bytes that do not fill a line yet.
    line: Vec<u8>,
}

impl<'a> PemWriter<'a> {
    /// Writes the first line.
    pub fn new(out: &'a mut (dyn Write + Send), label: &'static str) -> io::Result<PemWriter<'a>> {
        writeln!(out, "-----BEGIN {label}-----")?;
        Ok(PemWriter {
            out,
            label,
            line: Vec::new(),
        })
    }

    /// Writes the remaining bytes, and the last line.
    pub fn finish(self) -> io::Result<()> {
        if !self.line.is_empty() {
            self.out.write_all(&encode_line(&self.line))?;
        }
        writeln!(self.out, "-----END {}-----", self.label)
    }
}

impl Write for PemWriter<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(data);
        let lines = self.line.chunks_exact(LINE / 4 * 3);
        let text: Vec<u8> = lines.flat_map(encode_line).collect();
        self.out.write_all(&text)?;
        self.line.drain(..text.len() / (LINE + 1) * (LINE / 4 * 3));
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn encode_line(bytes: &[u8]) -> Vec<u8> {
    let mut line = Base64::encode_string(bytes).into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(data: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        let mut pem = PemWriter::new(&mut text, "CMS").unwrap();
        for part in data.chunks(7) {
            pem.write_all(part).unwrap();
        }
        pem.finish().unwrap();
        text
    }

    fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
        let mut reader = Dearmored::new(text)?;
        if *reader.form() != Form::Pem("CMS".into()) {
            return Err(Error::Malformed("form"));
        }
        let mut out = Vec::new();
        loop {
            let mut part = [0; 5];
            match reader.read(&mut part)? {
                0 => return Ok(out),
                n => out.extend_from_slice(&part[..n]),
            }
        }
    }

    #[test]
    fn pem_there_and_back() {
        for len in 0..200u8 {
            let data: Vec<u8> = (0..len).map(|i| i.wrapping_mul(91)).collect();
            let text = encode(&data);
            assert!(text.split(|c| *c == b'\n').all(|line| line.len() <= LINE));
            assert_eq!(decode(&text).unwrap(), data, "{len} bytes");
            let crlf = String::from_utf8(text).unwrap().replace('\n', "\r\n");
            assert_eq!(decode(crlf.as_bytes()).unwrap(), data, "{len} bytes, CRLF");
        }
        assert_eq!(
            encode(b"Man!"),
            b"-----BEGIN CMS-----\nTWFuIQ==\n-----END CMS-----\n"
        );
    }

    #[test]
    fn no_damage_passes() {
        let data = b"\x30sixteen bytes ...";
        let text = encode(data);
        for len in 0..text.len() - 1 {
            assert!(decode(&text[..len]).is_err(), "{len} bytes are enough");
        }
        // The last byte ends a line behind the block, where anything may be.
        for bit in 0..8 * (text.len() - 1) {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(
                decode(&flipped).map_or(true, |out| out != data),
                "bit {bit} does not matter"
            );
        }
    }

    #[test]
    fn text_around_is_passed_over() {
        let text = [b"some text\n\n", &encode(b"Man!")[..], b"-- \nbye"].concat();
        assert_eq!(decode(&text).unwrap(), b"Man!");
    }

    /// A reader that asks for no more than the message does not reach what follows.
    #[test]
    fn text_behind_a_mail_or_base64_alone_is_not_read() {
        for text in [
            &b"Content-Transfer-Encoding: base64\n\nTWFu\n-- \nbye\n"[..],
            b"Content-Transfer-Encoding: base64\n\nTWFuRegards,\n",
        ] {
            let mut reader = Dearmored::new(text).unwrap();
            let mut out = [0; 3];
            reader.read_exact(&mut out).unwrap();
            assert_eq!(&out, b"Man");
            reader.finish().unwrap();
        }
        let alone = ["MWFu".repeat(30), "\n-- \nbye\n".to_owned()].concat();
        let mut reader = Dearmored::new(alone.as_bytes()).unwrap();
        assert_eq!(*reader.form(), Form::Base64);
        let mut out = [0; 90];
        reader.read_exact(&mut out).unwrap();
        assert_eq!(out[..], b"1an".repeat(30));
        assert!(reader.read(&mut [0]).is_err());
        reader.finish().unwrap();
    }

    #[test]
    fn smime_is_read() {
        let text =
            b"MIME-Version: 1.0\r\nContent-Transfer-Encoding: base64\r\n\r\nTWFuIQ==\r\n\r\n";
        let mut out = Vec::new();
        Dearmored::new(&text[..])
            .unwrap()
            .read_to_end(&mut out)
            .unwrap();
        assert_eq!(out, b"Man!");
    }
}
