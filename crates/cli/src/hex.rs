//! Bytes as hexadecimal digits.

/// The digits, two a byte.
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes; `None` if there are none, half of one, or something else than digits.
pub fn decode(digits: &[u8]) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| Some((value(pair[0])? << 4 | value(pair[1])?) as u8);
    digits.chunks(2).map(byte).collect()
}
