//! Conversion of BER (X.690) to DER: lengths in their shortest form, octet strings in one piece.

use crate::formats::asn1::{CONSTRUCTED, OCTET_STRING, header};
use zeroize::Zeroizing;

/// The deepest nesting of elements.
const MAX_DEPTH: usize = 32;

/// The single element in `bytes`, as DER; `None` if they are no element, or something follows it.
pub(crate) fn to_der(bytes: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let mut rest = bytes;
    let (tag, contents) = element(&mut rest, 0)?;
    rest.is_empty().then(|| joined(tag, &contents))
}

fn joined(tag: u8, contents: &[u8]) -> Zeroizing<Vec<u8>> {
    let header = header(tag, contents.len() as u64);
    // Allocated in full: a vector that grows leaves a copy behind.
    let mut whole = Zeroizing::new(Vec::with_capacity(header.len() + contents.len()));
    whole.extend_from_slice(&header);
    whole.extend_from_slice(contents);
    whole
}

/// Takes an element, and returns its tag and contents in DER.
fn element(rest: &mut &[u8], depth: usize) -> Option<(u8, Zeroizing<Vec<u8>>)> {
    let tag = *rest.split_off_first()?;
    if depth == MAX_DEPTH || tag & 0x1f == 0x1f || tag == 0 {
        return None;
    }
    let length = match *rest.split_off_first()? {
        short @ 0..0x80 => Some(usize::from(short)),
        0x80 if tag & CONSTRUCTED != 0 => None,
        long @ 0x81..=0x88 => Some(
            rest.split_off(..usize::from(long - 0x80))?
                .iter()
                .try_fold(0_usize, |length, &octet| {
                    Some(length.checked_mul(256)? | usize::from(octet))
                })?,
        ),
        _ => return None,
    };
    if tag & CONSTRUCTED == 0 {
        let contents = rest.split_off(..length?)?;
        return Some((tag, Zeroizing::new(contents.to_vec())));
    }
    let mut inner = match length {
        Some(length) => rest.split_off(..length)?,
        None => rest,
    };
    let mut parts = Vec::new();
    let string = tag == OCTET_STRING | CONSTRUCTED;
    loop {
        match (length, inner) {
            (Some(_), []) => break,
            (None, [0, 0, behind @ ..]) => {
                *rest = behind;
                break;
            }
            _ => {}
        }
        let (tag, contents) = element(&mut inner, depth + 1)?;
        match (string, tag) {
            (true, OCTET_STRING) => parts.push(contents),
            (true, _) => return None,
            (false, _) => parts.push(joined(tag, &contents)),
        }
    }
    let all = parts.iter().map(|part| part.len()).sum();
    let mut contents = Zeroizing::new(Vec::with_capacity(all));
    parts
        .iter()
        .for_each(|part| contents.extend_from_slice(part));
    Some((if string { OCTET_STRING } else { tag }, contents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_become_the_shortest_and_strings_whole() {
        let cases: [(&[u8], &[u8]); 5] = [
            (b"\x30\x80\x02\x01\x05\x00\x00", b"\x30\x03\x02\x01\x05"),
            (b"\x30\x81\x03\x02\x01\x05", b"\x30\x03\x02\x01\x05"),
            (b"\x30\x83\x00\x00\x03\x02\x01\x05", b"\x30\x03\x02\x01\x05"),
            (b"\x24\x80\x04\x01a\x24\x03\x04\x01b\x00\x00", b"\x04\x02ab"),
            (b"\x30\x00", b"\x30\x00"),
        ];
        for (ber, der) in cases {
            assert_eq!(to_der(ber).unwrap().as_slice(), der, "{ber:02x?}");
        }
    }

    #[test]
    fn what_is_no_element_is_refused() {
        let cases: [&[u8]; 9] = [
            b"",
            b"\x30",
            b"\x30\x01",
            b"\x30\x00\x00",
            b"\x04\x80a\x00\x00",
            b"\x1f\x01a",
            b"\x30\x88\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x30\x80\x02\x01\x05",
            b"\x24\x03\x02\x01a",
        ];
        for case in cases {
            assert!(to_der(case).is_none(), "{case:02x?} is accepted");
        }
        assert!(to_der(&[0x30, 0x80].repeat(10_000)).is_none());
    }
}
