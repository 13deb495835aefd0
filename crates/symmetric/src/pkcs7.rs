//! The padding of PKCS #7 (RFC 5652, section 6.3): fills the last block with at least one byte, each equal to their
//! number.

use carrysave_kernels::publish;
use core::fmt;
use zeroize::Zeroize;

/// The padding is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpadding;

impl fmt::Display for Unpadding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no padding")
    }
}

impl std::error::Error for Unpadding {}

/// Pads to whole blocks of `block` bytes. Where there is no room behind the data, they are moved, and wiped where they were.
///
/// # Panics
/// If a block has no byte, or more than 255.
///
/// ```
/// use carrysave_symmetric::pkcs7::{pad, unpad};
/// let mut data = vec![7, 8, 9];
/// pad(&mut data, 8);
/// assert_eq!(data, [7, 8, 9, 5, 5, 5, 5, 5]);
/// unpad(&mut data, 8)?;
/// assert_eq!(data, [7, 8, 9]);
/// # Ok::<(), carrysave_symmetric::pkcs7::Unpadding>(())
/// ```
pub fn pad(data: &mut Vec<u8>, block: usize) {
    assert!((1..=255).contains(&block));
    let missing = block - data.len() % block;
    let len = data.len() + missing;
    if len > data.capacity() {
        let mut longer = Vec::with_capacity(len);
        longer.extend_from_slice(data);
        data.zeroize();
        *data = longer;
    }
    data.resize(len, missing as u8);
}

/// Removes the padding and wipes it.
///
/// # Errors
/// If `data` is not whole blocks, one or more, or does not end in a padding; all of it is wiped then, and it is left empty.
///
/// # Panics
/// If a block has no byte, or more than 255.
///
/// # Timing
/// Always reads the whole last block. The result and the remaining length are public. A receiver that reveals to
/// senders whether a padding was right decrypts for them (Vaudenay 2002): authenticate first.
pub fn unpad(data: &mut Vec<u8>, block: usize) -> Result<(), Unpadding> {
    assert!((1..=255).contains(&block));
    let whole = !data.is_empty() && data.len().is_multiple_of(block);
    let kept = match whole {
        true => padding(&data[data.len() - block..]).map(|padding| data.len() - padding),
        false => None,
    };
    let from = kept.unwrap_or(0);
    data[from..].zeroize();
    data.truncate(from);
    kept.map(drop).ok_or(Unpadding)
}

/// The length of the padding of a last block. Always reads the whole block.
fn padding(block: &[u8]) -> Option<usize> {
    let length = block[block.len() - 1];
    // All ones if a is below b, both at most 255.
    let below = |a: u8, b: u8| ((i16::from(a) - i16::from(b)) >> 15) as u8;
    let mut wrong = below(length, 1) | below(block.len() as u8, length);
    for (i, byte) in block.iter().rev().enumerate() {
        wrong |= below(i as u8, length) & (byte ^ length);
    }
    (publish(wrong.into()) == 0).then(|| publish(length.into()) as usize)
}
