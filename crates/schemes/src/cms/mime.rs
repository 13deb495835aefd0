//! The text before a message: none, lines up to PEM's first (RFC 7468), or the header of an S/MIME mail (RFC 5322, RFC
//! 2045, RFC 8551).

use super::Error;
use super::armor::Form;
use crate::formats::pem;
use std::io::{BufRead, Read};

/// The number of bytes that distinguish binary and bare base64 from lines of text.
pub const AHEAD: usize = 64;
/// The most bytes of text before a message.
const MAX_HEAD: u64 = 1 << 20;

const FOREIGN: Error = Error::Malformed("neither DER nor PEM nor S/MIME");

/// The byte order mark that some programs put before text.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// The form of a stream that begins with these bytes: [`AHEAD`] of them, or all if there are fewer. `None` for lines of
/// text.
pub fn at_once(ahead: &[u8]) -> Option<Form> {
    match ahead {
        // A SEQUENCE: of a long form, or of a short one with an OBJECT IDENTIFIER in it.
        [0x30] | [0x30, 0x80..=0xff, ..] | [0x30, _, 0x06, ..] => return Some(Form::Der),
        _ => {}
    }
    let text = ahead.strip_prefix(MARK).unwrap_or(ahead).trim_ascii();
    // A SEQUENCE begins with M in base64.
    let base64 = |c: &u8| c.is_ascii_alphanumeric() || b"+/=\r\n".contains(c);
    (text.len() >= 4 && text[0] == b'M' && text.iter().all(base64)).then_some(Form::Base64)
}

/// Reads lines up to `-----BEGIN label-----`, or the empty line that ends a mail's header.
pub fn head(src: &mut impl BufRead) -> Result<Form, Error> {
    let mut left = src.take(MAX_HEAD);
    let mut header = Header::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        if left.read_until(b'\n', &mut line)? == 0 {
            return Err(FOREIGN);
        }
        // Characters outside ASCII match nothing.
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim_ascii_end();
        if let Some(label) = pem::label(text.as_bytes(), "BEGIN") {
            return Ok(Form::Pem(label.to_owned()));
        }
        if !text.is_empty() {
            header.take(text);
        } else if let Some(form) = std::mem::take(&mut header).form()? {
            return Ok(form);
        }
    }
}

/// The fields of a mail's header that describe how it contains a message.
#[derive(Default)]
struct Header {
    /// The current field, unfolded.
    field: String,
    content_type: Option<String>,
    encoding: Option<String>,
}

impl Header {
    /// Adds a line that is not empty; a line that begins with a blank continues the one before.
    fn take(&mut self, line: &str) {
        if !line.starts_with([' ', '\t']) {
            self.end_field();
        }
        self.field.push_str(line);
    }

    fn end_field(&mut self) {
        let field = std::mem::take(&mut self.field);
        let Some((name, value)) = field.split_once(':') else {
            return;
        };
        match name.trim_ascii().to_ascii_lowercase().as_str() {
            "content-type" => self.content_type = Some(first_word(value)),
            "content-transfer-encoding" => self.encoding = Some(first_word(value)),
            _ => {}
        }
    }

    /// The form of the message in the body, if there is one.
    fn form(mut self) -> Result<Option<Form>, Error> {
        self.end_field();
        let content_type = self.content_type.as_deref().unwrap_or_default();
        if content_type.starts_with("multipart/") {
            return Err(Error::Malformed(
                "a mail of several parts; save the one that is encrypted, smime.p7m, and take that",
            ));
        }
        let message = content_type.contains("pkcs7-mime");
        match self.encoding.as_deref() {
            Some("base64") => Ok(Some(Form::Smime)),
            Some("binary") if message => Ok(Some(Form::Der)),
            Some("quoted-printable") if message => {
                Err(Error::Unsupported("a mail in quoted-printable".to_owned()))
            }
            _ => Ok(message.then_some(Form::Smime)),
        }
    }
}

/// The first word of a field's value in small letters: without quotes, comments and parameters.
fn first_word(value: &str) -> String {
    let mut value = value.trim_ascii_start();
    while let Some((_, rest)) = value
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
    {
        value = rest.trim_ascii_start();
    }
    let word = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([' ', '\t', ';', '(']).next(),
    };
    word.unwrap_or_default().trim_ascii().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_rfc_5322_and_2045_have_them() {
        let long = format!(
            "X: {}\nContent-Transfer-Encoding: base64\n\n",
            "y".repeat(100_000)
        );
        for text in [
            &b"Content-Transfer-Encoding: base64\r\n\r\n"[..],
            b"content-transfer-ENCODING:BASE64\n\n",
            b"Content-Transfer-Encoding:   base64  \n\n",
            b"Content-Transfer-Encoding:\r\n\tbase64\r\n\r\n",
            b"Content-Transfer-Encoding: \"base64\"\n\n",
            b"Content-Transfer-Encoding: (of old) base64 (really)\n\n",
            b"Content-Transfer-Encoding : base64\n\n",
            b"Subject: na\xefve\nContent-Transfer-Encoding: base64\n\n",
            b"Some text.\n\nContent-Transfer-Encoding: base64\n\n",
            b"Content-Type: application/pkcs7-mime; name=x\n\n",
            long.as_bytes(),
        ] {
            assert_eq!(head(&mut &text[..]).unwrap(), Form::Smime, "{text:?}");
        }
        let binary =
            b"Content-Type: application/x-pkcs7-mime\nContent-Transfer-Encoding: binary\n\n";
        assert_eq!(head(&mut &binary[..]).unwrap(), Form::Der);
        for text in [
            &b"Content-Transfer-Encoding: base64"[..],
            b"X: base64\n\n",
            b"Content-Transfer-Encoding: 7bit\n\n",
            b"Content-Type: multipart/mixed; boundary=x\n\n",
            b"Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: quoted-printable\n\n",
            &[b'x'; 2 << 20],
        ] {
            assert!(head(&mut &text[..]).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_head_has_up_to_1_mib() {
        let end = "\nContent-Transfer-Encoding: base64\n\n";
        let of_size = |len: usize| {
            let text = format!("X: {}{end}", "y".repeat(len - 3 - end.len()));
            head(&mut text.as_bytes())
        };
        assert_eq!(of_size(1 << 20).unwrap(), Form::Smime);
        assert!(of_size((1 << 20) + 1).is_err());
    }

    #[test]
    fn the_form_is_told_by_structure() {
        let text = |text: &[u8]| at_once(text).is_none();
        assert_eq!(at_once(b"\x30\x82\x01\x00\x06\x09"), Some(Form::Der));
        assert_eq!(at_once(b"\x30\x80\x06\x09"), Some(Form::Der));
        assert_eq!(at_once(b"\x30\x10\x06\x09"), Some(Form::Der));
        assert_eq!(at_once(b"MIIB+/09\r\nAAAA"), Some(Form::Base64));
        assert_eq!(at_once(b"\n  MIIB"), Some(Form::Base64));
        assert!(text(b"0 recipients\n-----BEGIN CMS-----\n"));
        assert!(text(b"MIME-Version: 1.0"));
        assert!(text(b"Message-ID: 1"));
        assert!(text(b"-----BEGIN CMS-----"));
        let pem = b"000\n-----BEGIN CMS-----\n";
        assert!(text(pem));
        assert_eq!(head(&mut &pem[..]).unwrap(), Form::Pem("CMS".into()));
    }
}
