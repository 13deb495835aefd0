//! The little of DER that is written here.

pub const OCTETS: u8 = 0x04;
pub const OBJECT: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;

/// The tag of an explicitly tagged part.
pub const fn explicit(number: u8) -> u8 {
    0xa0 | number
}

/// A value of parts that follow each other.
pub fn tagged(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let len = content.len().to_be_bytes();
    let zeros = len.iter().take_while(|&&octet| octet == 0).count();
    let mut der = vec![tag];
    if content.len() >= 0x80 {
        der.push(0x80 | (len.len() - zeros) as u8);
    }
    der.extend(&len[zeros.min(len.len() - 1)..]);
    der.extend(content);
    der
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_as_short_as_can_be() {
        for (len, start) in [
            (0, &[4, 0][..]),
            (127, &[4, 127]),
            (128, &[4, 0x81, 128]),
            (255, &[4, 0x81, 255]),
            (256, &[4, 0x82, 1, 0]),
            (65_536, &[4, 0x83, 1, 0, 0]),
        ] {
            let der = tagged(OCTETS, &[&vec![7; len]]);
            assert!(der.starts_with(start) && der.len() == start.len() + len);
        }
    }
}
