//! Bytes as hexadecimal digits.

use zeroize::Zeroizing;

// Allocated in full: bytes may be secret, and a vector that grows leaves copies behind.

/// The digits, two a byte.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("below 16");
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        digits.extend([digit(byte >> 4), digit(byte & 15)]);
    }
    digits
}

/// The bytes; `None` for no digits, an odd number, or other characters.
pub fn decode(digits: &[u8]) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| Some((value(pair[0])? << 4 | value(pair[1])?) as u8);
    let mut bytes = Zeroizing::new(Vec::with_capacity(digits.len() / 2));
    for pair in digits.chunks(2) {
        bytes.push(byte(pair)?);
    }
    Some(std::mem::take(&mut *bytes))
}
