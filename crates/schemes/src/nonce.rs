//! Deterministic nonces (RFC 6979).

use crate::hash::{Hash, Hmac};
use zeroize::Zeroizing;

/// The leftmost bits of the octets, at most `bits`, as a number in big-endian octets (`bits2int`, RFC 6979, 2.3.2).
pub(crate) fn leftmost(octets: &[u8], bits: usize) -> Zeroizing<Vec<u8>> {
    let octets = &octets[..octets.len().min(bits.div_ceil(8))];
    let excess = (8 * octets.len()).saturating_sub(bits);
    let mut above = 0;
    let shifted = octets.iter().map(|&octet| {
        let pair = u16::from_be_bytes([above, octet]) >> excess;
        above = octet;
        pair as u8
    });
    let mut number = Zeroizing::new(Vec::with_capacity(octets.len()));
    number.extend(shifted);
    number
}

/// The nonces for one digest, derived from the digest and the key (RFC 6979, 3.2).
pub(crate) struct Nonces {
    hmac: Hmac,
    /// The bits of the order.
    bits: usize,
    k: Zeroizing<Vec<u8>>,
    v: Zeroizing<Vec<u8>>,
    started: bool,
}

impl Nonces {
    /// For an order of `bits` bits, from the key (`int2octets`), the digest as a number below the order
    /// (`bits2octets`), each in as many octets as the order has, and additional data of any length (section 3.6), which
    /// may be empty.
    pub(crate) fn new(hash: Hash, bits: usize, [x, h1, more]: [&[u8]; 3]) -> Nonces {
        // b. c.
        let mut nonces = Nonces {
            hmac: Hmac::new(hash),
            bits,
            k: Zeroizing::new(vec![0; hash.len()]),
            v: Zeroizing::new(vec![1; hash.len()]),
            started: false,
        };
        nonces.hmac.rekey(&nonces.k);
        // d. to g.
        nonces.update(&[&[0], x, h1, more]);
        nonces.update(&[&[1], x, h1, more]);
        nonces
    }

    /// `K = HMAC_K(V || seed)`, `V = HMAC_K(V)`
    fn update(&mut self, seed: &[&[u8]]) {
        self.hmac.update(&self.v);
        seed.iter().for_each(|part| self.hmac.update(part));
        self.hmac.finish_into(&mut self.k);
        self.hmac.rekey(&self.k);
        self.advance();
    }

    /// `V = HMAC_K(V)`
    fn advance(&mut self) {
        self.hmac.update(&self.v);
        self.hmac.finish_into(&mut self.v);
    }

    /// The next nonce: the first candidate, a number in big-endian octets, that `accept` takes.
    ///
    /// # Timing
    /// The number of rejected candidates is made public; the nonce is independent of it.
    pub(crate) fn next<T>(&mut self, mut accept: impl FnMut(&[u8]) -> Option<T>) -> T {
        loop {
            if let Some(nonce) = accept(&self.candidate()) {
                return nonce;
            }
        }
    }

    /// Step h.
    fn candidate(&mut self) -> Zeroizing<Vec<u8>> {
        if self.started {
            self.update(&[&[0]]);
        }
        self.started = true;
        let len = self.bits.div_ceil(8);
        let mut t = Zeroizing::new(Vec::with_capacity(len + self.v.len()));
        while t.len() < len {
            self.advance();
            t.extend_from_slice(&self.v);
        }
        leftmost(&t, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::leftmost;
    use carrysave_arith::Nat;

    /// For orders of any number of bits, also such as do not end with an octet.
    #[test]
    fn the_leftmost_bits_are_those_of_the_number() {
        let octets: Vec<u8> = (0..40_u8).map(|i| i.wrapping_mul(37) ^ 0xb5).collect();
        for len in [0, 1, 20, 32, 40] {
            let whole = Nat::from_be_bytes(&octets[..len]);
            for bits in 1..=330 {
                let found = Nat::from_be_bytes(&leftmost(&octets[..len], bits));
                let wanted = whole.shr((8 * len).saturating_sub(bits));
                assert!(found == wanted, "{bits} of {len} octets");
            }
        }
    }
}
