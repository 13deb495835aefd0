//! Elements of ASN.1 as DER (X.690).

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
/// The bit of a tag for constructed elements.
pub const CONSTRUCTED: u8 = 0x20;

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

/// A whole element whose contents are the concatenated `parts`.
pub fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let len: usize = parts.iter().map(|p| p.len()).sum();
    let header = header(tag, len as u64);
    // Allocated at once: it may hold a secret, and a vector that grows leaves a copy behind.
    let mut out = Vec::with_capacity(header.len() + len);
    out.extend_from_slice(&header);
    parts.iter().for_each(|p| out.extend_from_slice(p));
    out
}

/// An INTEGER.
pub fn integer(value: u64) -> Vec<u8> {
    let bytes = [&[0][..], &value.to_be_bytes()].concat();
    // The fewest bytes, the first below 0x80.
    let skip = bytes
        .windows(2)
        .take_while(|pair| pair[0] == 0 && pair[1] < 0x80);
    element(INTEGER, &[&bytes[skip.count()..]])
}
