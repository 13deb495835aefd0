//! Octet strings and hexadecimal text.

use super::Nat;
use carrysave_kernels::{Limb, publish};
use zeroize::Zeroizing;

const LIMB_BYTES: usize = size_of::<Limb>();

impl Nat {
    /// OS2IP (RFC 8017, 4.2): decodes octets, most significant first, to a number wide enough for all of them.
    pub fn from_be_bytes(bytes: &[u8]) -> Nat {
        let limbs = bytes
            .rchunks(LIMB_BYTES)
            .map(|chunk| match chunk.try_into() {
                Ok(whole) => Limb::from_be_bytes(whole),
                Err(_) => chunk.iter().fold(0, |limb, &b| limb << 8 | Limb::from(b)),
            })
            .collect();
        Nat::from_vec(limbs)
    }

    /// I2OSP (RFC 8017, 4.1): `len` octets, most significant first; `None` if the value needs more.
    ///
    /// # Timing
    /// Reveals only whether it fits.
    pub fn to_be_bytes(&self, len: usize) -> Option<Zeroizing<Vec<u8>>> {
        let mut bytes = Zeroizing::new(vec![0; len]);
        let mut limbs = self.limbs().iter();
        let mut lost = 0;
        for chunk in bytes.rchunks_mut(LIMB_BYTES) {
            let octets = limbs
                .next()
                .map_or([0; LIMB_BYTES], |limb| limb.to_be_bytes());
            if let Ok(whole) = <&mut [u8; LIMB_BYTES]>::try_from(&mut *chunk) {
                *whole = octets;
                continue;
            }
            let (above, fit) = octets.split_at(LIMB_BYTES - chunk.len());
            chunk.copy_from_slice(fit);
            lost |= above.iter().fold(0, |all, octet| all | octet);
        }
        let lost = limbs.fold(Limb::from(lost), |all, limb| all | limb);
        (publish(lost) == 0).then_some(bytes)
    }

    /// The fewest octets that hold the value, most significant first; none for 0.
    pub fn to_be_bytes_vartime(&self) -> Vec<u8> {
        let bytes = self
            .to_be_bytes(self.bits_vartime().div_ceil(8))
            .expect("sized by its bits");
        bytes.to_vec()
    }

    /// Parses hexadecimal digits; `None` for other characters or an empty text.
    pub fn from_hex(text: &str) -> Option<Nat> {
        // Full capacity from the start, so that no reallocation leaves unwiped memory.
        let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
        let values = text.bytes().map(|c| char::from(c).to_digit(16));
        digits.extend(values.map(|digit| digit.map_or(u8::MAX, |digit| digit as u8)));
        if digits.is_empty() || digits.contains(&u8::MAX) {
            return None;
        }
        let limbs = digits
            .rchunks(2 * LIMB_BYTES)
            .map(|chunk| chunk.iter().fold(0, |limb, &d| limb << 4 | Limb::from(d)))
            .collect();
        Some(Nat::from_vec(limbs))
    }

    /// Lower-case hexadecimal digits without leading zeros; `0` for 0.
    pub fn to_hex_vartime(&self) -> String {
        let text: String = self
            .limbs()
            .iter()
            .rev()
            .map(|x| format!("{x:016x}"))
            .collect();
        match text.trim_start_matches('0') {
            "" => "0".into(),
            digits => digits.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_and_back() {
        for len in 0..40 {
            let bytes: Vec<u8> = (0..len).map(|i| i as u8 + 1).collect();
            let n = Nat::from_be_bytes(&bytes);
            assert_eq!(*n.to_be_bytes(len).unwrap(), bytes);
            assert_eq!(n.to_be_bytes_vartime(), bytes);
            assert_eq!(n.to_be_bytes(len + 3).unwrap()[3..], bytes[..]);
            assert_eq!(n.to_be_bytes(len.saturating_sub(1)).is_none(), len > 0);
            assert_eq!(Nat::from_hex(&n.to_hex_vartime()).unwrap(), n);
        }
    }

    #[test]
    fn only_digits_are_hexadecimal() {
        assert!(Nat::from_hex("").is_none());
        assert!(Nat::from_hex("12g").is_none());
        assert_eq!(Nat::from_hex("000").unwrap().to_hex_vartime(), "0");
    }
}
