//! Lines of a hash and a file, in the format of `sha256sum` and similar programs.

use crate::hex;
use carrysave::symmetric::skein::Tree;
use clap::ValueEnum;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The functions.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A state of 256 bits
    #[value(name = "skein-256")]
    Skein256,
    /// A state of 512 bits
    #[value(name = "skein-512")]
    Skein512,
    /// A state of 1024 bits
    #[value(name = "skein-1024")]
    Skein1024,
}

impl State {
    /// Its size.
    pub fn bits(self) -> u64 {
        match self {
            State::Skein256 => 256,
            State::Skein512 => 512,
            State::Skein1024 => 1024,
        }
    }
}

/// The hash parameters in a tagged line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    pub state: State,
    /// The bits of the hash.
    pub bits: u64,
    pub tree: Option<Tree>,
}

/// A line.
#[derive(Debug, PartialEq)]
pub struct Line {
    pub style: Style,
    /// Whether the line is tagged.
    pub tagged: bool,
    pub hash: Vec<u8>,
    pub file: PathBuf,
}

/// The line of a hash; with its style, if it is to be tagged.
pub fn write(tag: Option<&Style>, hash: &[u8], file: &Path) -> Vec<u8> {
    let digits = hex::encode(hash);
    let (mark, name) = escape(file);
    match tag {
        None => [mark, digits.as_bytes(), b"  ", &name, b"\n"].concat(),
        Some(style) => {
            let tag = style.tag();
            [
                mark,
                tag.as_bytes(),
                b" (",
                &name,
                b") = ",
                digits.as_bytes(),
                b"\n",
            ]
            .concat()
        }
    }
}

/// The message for a file whose hash was checked.
pub fn verdict(file: &Path, verdict: &str) -> Vec<u8> {
    let (mark, name) = escape(file);
    [mark, &name, b": ", verdict.as_bytes(), b"\n"].concat()
}

/// Reads a line without its end; `style` has the number of bits, and the parameters of untagged lines.
pub fn read(line: &[u8], style: Style) -> Option<Line> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (escaped, line) = match line.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (tag, digits, name) = if line.starts_with(b"Skein-") {
        let opening = line.windows(2).position(|two| two == b" (")?;
        let closing = line.windows(4).rposition(|four| four == b") = ")?;
        let name = line.get(opening + 2..closing)?;
        (Some(&line[..opening]), &line[closing + 4..], name)
    } else {
        let end = line.iter().position(|&byte| byte == b' ')?;
        let name = line[end + 1..].strip_prefix(b" ");
        let name = name.or_else(|| line[end + 1..].strip_prefix(b"*"))?;
        (None, &line[..end], name)
    };
    let hash = hex::decode(digits).filter(|_| !name.is_empty())?;
    let bits = 8 * hash.len() as u64;
    let tagged = tag.is_some();
    let style = match tag {
        Some(tag) => Style::of(tag).filter(|style| style.bits == bits)?,
        None => Style { bits, ..style },
    };
    let name = if escaped {
        unescape(name)?
    } else {
        name.to_vec()
    };
    let file = OsStr::from_bytes(&name).into();
    Some(Line {
        style,
        tagged,
        hash,
        file,
    })
}

impl Style {
    /// The algorithm's name in the Skein paper's form, then the tree's parameters: `Skein-512-256-tree-6-6-255`.
    fn tag(&self) -> String {
        let Style { state, bits, tree } = self;
        let tree = tree.map(|tree| tree.parameters());
        let tree = tree.map(|[leaf, fan, height]| format!("-tree-{leaf}-{fan}-{height}"));
        format!("Skein-{}-{bits}{}", state.bits(), tree.unwrap_or_default())
    }

    fn of(tag: &[u8]) -> Option<Style> {
        let text = std::str::from_utf8(tag).ok()?;
        let fields: Vec<&str> = text.split('-').collect();
        let (&[_, state, bits], tree) = fields.split_first_chunk()?;
        let states = State::value_variants();
        let tree = match tree {
            [] => None,
            ["tree", leaf, fan, height] => {
                let [leaf, fan, height] = [leaf, fan, height].map(|digits| digits.parse().ok());
                Some(Tree::new(leaf?, fan?, height?)?)
            }
            _ => return None,
        };
        let style = Style {
            state: *states
                .iter()
                .find(|known| known.bits().to_string() == state)?,
            bits: bits.parse().ok()?,
            tree,
        };
        (style.tag() == text).then_some(style)
    }
}

/// A name, and the mark of lines with an escaped name.
fn escape(file: &Path) -> (&'static [u8], Vec<u8>) {
    let name = file.as_os_str().as_bytes();
    let code = |&byte: &u8| match byte {
        b'\n' => b"\\n".to_vec(),
        b'\r' => b"\\r".to_vec(),
        b'\\' => b"\\\\".to_vec(),
        byte => vec![byte],
    };
    let escaped: Vec<u8> = name.iter().flat_map(code).collect();
    if escaped == name {
        (b"", escaped)
    } else {
        (b"\\", escaped)
    }
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = name.iter();
    let mut plain = vec![];
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style {
        state: State::Skein512,
        bits: 512,
        tree: None,
    };

    #[test]
    fn lines_are_read_as_they_are_written() {
        let tree = Some(Tree::new(1, 48, 7).unwrap());
        let styles = [
            Style { bits: 16, ..PLAIN },
            Style {
                bits: 16,
                state: State::Skein1024,
                tree,
            },
        ];
        for name in [
            "a",
            " a  b",
            "*",
            "a\nb\\\r",
            "(x) = ab (y) = 00",
            "Skein-512 (",
            "\u{e4}",
        ] {
            for style in styles {
                let line = write(Some(&style), &[0xab, 0], name.as_ref());
                let line = read(line.strip_suffix(b"\n").unwrap(), PLAIN).unwrap();
                assert_eq!((line.style, &line.hash[..]), (style, &[0xab, 0][..]));
                assert_eq!(line.file, Path::new(name));
                let line = write(None, &[0xab, 0], name.as_ref());
                let line =
                    read(line.strip_suffix(b"\n").unwrap(), Style { tree, ..style }).unwrap();
                assert_eq!(
                    (line.style, &line.hash[..]),
                    (Style { tree, ..style }, &[0xab, 0][..])
                );
                assert_eq!(line.file, Path::new(name));
            }
        }
    }

    #[test]
    fn lines_of_other_programs() {
        let read = |line: &str| read(line.as_bytes(), PLAIN).map(|line| line.file);
        assert_eq!(read("00ff *a"), Some("a".into()));
        assert_eq!(read("00FF  a\r"), Some("a".into()));
        assert_eq!(read("Skein-256-8 (a) = 00"), Some("a".into()));
    }

    #[test]
    fn what_is_no_line() {
        let lines = [
            "",
            "00",
            "00 a",
            "00  ",
            "0  a",
            "0g  a",
            "  a",
            "Skein-512-8 (a) = 0000",
            "Skein-512-08 (a) = 00",
            "Skein-128-8 (a) = 00",
            "Skein-512-8-tree-0-1-2 (a) = 00",
            "Skein-512-8-tree-1-1-2-3 (a) = 00",
            "Skein-512-8 (a) =00",
            "Skein-512-8) = (a",
            "\\00  \\x",
            "\\00  a\\",
            "\\",
        ];
        for line in lines {
            assert_eq!(read(line.as_bytes(), PLAIN), None, "{line}");
        }
    }
}
