//! A lax reader of PEM (RFC 7468). It accepts text around and between the blocks, lines of any length, trailing blanks,
//! empty lines, any line end, and a byte order mark.

use super::FormatError;
use super::base64::Decoder;
use der::SecretDocument;
use der::pem::LineEnding;
use std::io::Read;
use zeroize::Zeroizing;

/// A block between its two boundary lines.
pub(crate) struct Block<'a> {
    pub(crate) label: &'a str,
    /// The number of its first line, from 1.
    pub(crate) line: usize,
    /// Names and values before the text (RFC 1421), of an old encryption.
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) der: Zeroizing<Vec<u8>>,
}

/// A block that cannot be read.
pub(crate) struct Damaged {
    /// The number of its first line, from 1.
    pub(crate) line: usize,
    pub(crate) why: String,
}

/// The bytes without a leading UTF-8 byte order mark.
pub(crate) fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The label of a line `-----BEGIN label-----` or `-----END label-----`; `edge` says which.
pub(crate) fn label<'a>(line: &'a [u8], edge: &str) -> Option<&'a str> {
    let text = line.trim_ascii_end().strip_suffix(b"-----")?;
    let text = text.strip_prefix(b"-----")?.strip_prefix(edge.as_bytes())?;
    let label = str::from_utf8(text.strip_prefix(b" ")?).ok()?;
    label.is_ascii().then_some(label)
}

/// The first line without its end, and what follows.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|&c| c == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

/// All blocks of a file, in their order.
pub(crate) fn blocks(bytes: &[u8]) -> Vec<Result<Block<'_>, Damaged>> {
    let (mut blocks, mut rest, mut number) = (Vec::new(), unmarked(bytes), 0);
    while !rest.is_empty() {
        let (first, behind) = line(rest);
        (rest, number) = (behind, number + 1);
        let Some(label) = label(first, "BEGIN") else {
            continue;
        };
        let before = rest.len();
        let found = block(label, number, &mut rest);
        number += bytes[bytes.len() - before..bytes.len() - rest.len()]
            .iter()
            .filter(|&&c| c == b'\n')
            .count();
        blocks.push(found);
    }
    blocks
}

/// Reads a block whose first line was taken from `rest`, up to and including its last line.
fn block<'a>(label: &'a str, number: usize, rest: &mut &'a [u8]) -> Result<Block<'a>, Damaged> {
    let damaged = |why: &str| Damaged {
        line: number,
        why: format!("the PEM block \"{label}\" {why}"),
    };
    let headers = headers(rest);
    // The most that there can be before the last line, as a vector that grows leaves a copy behind.
    let most = rest.iter().position(|&c| c == b'-').unwrap_or(rest.len());
    let mut der = Zeroizing::new(Vec::with_capacity(most / 4 * 3 + 3));
    let mut decoder = Decoder::new(*rest);
    let read = decoder.read_to_end(&mut der);
    *rest = decoder.source();
    read.map_err(|_| damaged("holds text that is not base64"))?;
    let (last, behind) = line(rest);
    match self::label(last, "END") {
        Some(end) if end == label => *rest = behind,
        Some(_) => return Err(damaged("ends with another label than it begins with")),
        None => return Err(damaged("has no end")),
    }
    Ok(Block {
        label,
        line: number,
        headers,
        der,
    })
}

/// Takes the headers of an old block, if any, and the empty line after them.
fn headers<'a>(rest: &mut &'a [u8]) -> Vec<(&'a str, &'a str)> {
    let (mut headers, mut at) = (Vec::new(), *rest);
    loop {
        let (first, behind) = line(at);
        let text = str::from_utf8(first.trim_ascii()).unwrap_or_default();
        match text.split_once(':') {
            Some((name, value)) => headers.push((name.trim_end(), value.trim_start())),
            None if text.is_empty() && headers.is_empty() && !behind.is_empty() => {}
            None => break,
        }
        at = behind;
    }
    if !headers.is_empty() {
        *rest = at;
    }
    headers
}

/// DER as PEM text.
pub(crate) fn encode(label: &'static str, der: &[u8]) -> Zeroizing<String> {
    let document = SecretDocument::try_from(der).expect("DER that was just written");
    document
        .to_pem(label, LineEnding::LF)
        .expect("a label of our own")
}

/// The DER in the first PEM block that has this label.
pub(crate) fn labelled(
    text: &str,
    wanted: &'static str,
    expected: &'static str,
) -> Result<Zeroizing<Vec<u8>>, FormatError> {
    let mut other = None;
    for block in blocks(text.as_bytes()) {
        match block {
            Ok(block) if block.label == wanted && block.headers.is_empty() => return Ok(block.der),
            Ok(block) if block.label == wanted => {
                other = Some("it has OpenSSL's old PEM encryption".to_owned());
            }
            Ok(Block { label, .. }) => {
                other = other.or(Some(format!("its label is \"{label}\", not \"{wanted}\"")));
            }
            Err(damaged) => other = other.or(Some(damaged.why)),
        }
    }
    let detail = other.unwrap_or_else(|| "it has no PEM block".to_owned());
    Err(FormatError::new(expected, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<(usize, Result<String, String>)> {
        let blocks = blocks(text.as_bytes()).into_iter();
        blocks
            .map(|block| match block {
                Ok(Block {
                    label, line, der, ..
                }) => (
                    line,
                    Ok(format!("{label} {}", String::from_utf8_lossy(&der))),
                ),
                Err(Damaged { line, why }) => (line, Err(why)),
            })
            .collect()
    }

    #[test]
    fn many_blocks_take_no_more_memory_than_their_text() {
        let text = "-----BEGIN A-----\nTWFu\n-----END A-----\n".repeat(1000);
        for block in blocks(text.as_bytes()) {
            let block = block.unwrap_or_else(|damaged| panic!("{}", damaged.why));
            assert!(block.der.capacity() <= 16);
        }
    }

    #[test]
    fn blocks_are_found_among_text() {
        let text = "\u{feff}-----BEGIN A-----\nTW\n Fu \n\n-----END A----- \t\nsome text\r\n\
                    -----BEGIN B C-----\r\n\r\n  TWFu\r\n-----END B C-----\n\nmore";
        let found = [(1, Ok("A Man".to_owned())), (7, Ok("B C Man".to_owned()))];
        assert_eq!(labels(text), found);
    }

    #[test]
    fn a_damaged_block_does_not_hide_the_next_one() {
        let text = "-----BEGIN A-----\nTW?u\n-----END A-----\n-----BEGIN B-----\nTWFu\n-----END C-----\n\
                    -----BEGIN D-----\nTWFu\n-----END D-----\n-----BEGIN E-----\nTWFu";
        let found = labels(text);
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 4, 7, 10]);
        assert_eq!(found[2].1, Ok("D Man".to_owned()));
        for i in [0, 1, 3] {
            assert!(found[i].1.is_err(), "{:?}", found[i]);
        }
    }

    #[test]
    fn headers_go_before_the_text() {
        let text = b"-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nDEK-Info:DES-CBC,00\n\nTWFu\n-----END A-----";
        let block = blocks(text).remove(0).ok().unwrap();
        assert_eq!(
            block.headers,
            [("Proc-Type", "4,ENCRYPTED"), ("DEK-Info", "DES-CBC,00")]
        );
        assert_eq!(**block.der, *b"Man");
    }
}
