//! Deterministic nonces (RFC 6979).

use crate::hash::Hash;
use crate::hmac::Hmac;
use core::array;
use zeroize::Zeroizing;

/// The leftmost bits of the octets, at most `bits`, as a number in big-endian octets (`bits2int`, RFC 6979, 2.3.2).
pub(crate) fn leftmost(octets: &[u8], bits: usize) -> Zeroizing<Vec<u8>> {
    let octets = &octets[..octets.len().min(bits.div_ceil(8))];
    let excess = (8 * octets.len()).saturating_sub(bits);
    let mut number = Zeroizing::new(Vec::with_capacity(octets.len()));
    number.extend_from_slice(octets);
    if excess > 0 {
        for i in (0..number.len()).rev() {
            let above = if i == 0 { 0 } else { number[i - 1] };
            number[i] = (u16::from_be_bytes([above, number[i]]) >> excess) as u8;
        }
    }
    number
}

/// What a nonce is derived from: the key (`int2octets`) and the digest as a number below the order (`bits2octets`), each in
/// as many octets as the order has, and additional data of any length (RFC 6979, 3.6), which may be empty.
pub(crate) type Input<'a> = [&'a [u8]; 3];

/// `N` derivations of nonces, each from a digest and a key (RFC 6979, 3.2), which take each step side by side.
///
/// Two of one digest make sure of it: a wrong nonce together with the right one reveals the key.
pub(crate) struct Nonces<const N: usize> {
    hmac: Box<Hmac<N>>,
    /// The bits of the order.
    bits: usize,
    k: [Zeroizing<Vec<u8>>; N],
    v: [Zeroizing<Vec<u8>>; N],
    started: bool,
}

impl<const N: usize> Nonces<N> {
    /// For an order of `bits` bits.
    pub(crate) fn new(hash: Hash, bits: usize, inputs: [Input<'_>; N]) -> Self {
        // b. c.
        let filled = |octet| [(); N].map(|()| Zeroizing::new(vec![octet; hash.len()]));
        let k = filled(0);
        let mut nonces = Nonces {
            hmac: Box::new(Hmac::new(hash, k.each_ref().map(|k| &***k))),
            bits,
            k,
            v: filled(1),
            started: false,
        };
        // d. to g.
        nonces.update(0, &inputs);
        nonces.update(1, &inputs);
        nonces
    }

    /// `K = HMAC_K(V || octet || seed)`, `V = HMAC_K(V)`
    fn update(&mut self, octet: u8, seeds: &[Input<'_>; N]) {
        let octet = [octet];
        let messages = array::from_fn::<_, N, _>(|i| {
            let [x, h1, more] = seeds[i];
            [&self.v[i], &octet[..], x, h1, more]
        });
        let out = self.k.each_mut().map(|k| &mut ***k);
        self.hmac
            .codes(messages.each_ref().map(|parts| &parts[..]), out);
        self.hmac.rekey(self.k.each_ref().map(|k| &***k));
        self.advance();
    }

    /// `V = HMAC_K(V)`
    fn advance(&mut self) {
        self.hmac.replace(self.v.each_mut().map(|v| &mut ***v));
    }

    /// The next nonces: of each derivation the first candidate, a number in big-endian octets, that `accept` takes.
    ///
    /// # Timing
    /// The number of rejected candidates is made public; the nonce is independent of it.
    pub(crate) fn next<T>(&mut self, mut accept: impl FnMut(&[u8]) -> Option<T>) -> [T; N] {
        let mut accepted = [(); N].map(|()| None);
        while accepted.iter().any(Option::is_none) {
            let candidates = self.candidates();
            for (accepted, octets) in accepted.iter_mut().zip(&candidates) {
                *accepted = accepted.take().or_else(|| accept(octets));
            }
        }
        accepted.map(|nonce| nonce.expect("all are"))
    }

    /// Step h.
    fn candidates(&mut self) -> [Zeroizing<Vec<u8>>; N] {
        if self.started {
            self.update(0, &[[&[]; 3]; N]);
        }
        self.started = true;
        let len = self.bits.div_ceil(8);
        let room = || Zeroizing::new(Vec::with_capacity(len + self.v[0].len()));
        let mut t = [(); N].map(|()| room());
        while t[0].len() < len {
            self.advance();
            let each = t.iter_mut().zip(&self.v);
            each.for_each(|(t, v)| t.extend_from_slice(v));
        }
        t.map(|t| leftmost(&t, self.bits))
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
