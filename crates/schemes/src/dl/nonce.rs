//! Deterministic nonces (RFC 6979).

use super::PrivateKey;
use crate::hash::{Hash, Hmac};
use carrysave_arith::{Modulus, Nat};
use zeroize::Zeroizing;

/// `bits2int` (RFC 6979, 2.3.2): the leftmost bits of the octets, at most `bits`.
pub(crate) fn bits2int(octets: &[u8], bits: usize) -> Nat {
    let excess = (8 * octets.len()).saturating_sub(bits);
    Nat::from_be_bytes(octets).shr(excess)
}

/// The nonces for one digest: numbers from 1 to below q, derived from the digest and the key (RFC 6979, 3.2).
pub(crate) struct Nonces<'a> {
    hmac: Hmac,
    q: &'a Modulus,
    k: Zeroizing<Vec<u8>>,
    v: Zeroizing<Vec<u8>>,
    started: bool,
}

impl<'a> Nonces<'a> {
    /// With additional data of any length (section 3.6), which may be empty.
    pub(crate) fn new(key: &'a PrivateKey, hash: Hash, digest: &[u8], more: &[u8]) -> Nonces<'a> {
        let q = key.group().order();
        // a. bits2octets(h1)
        let h1 = q.reduce(&bits2int(digest, q.bits()));
        let h1 = h1.to_be_bytes(key.group().order_size()).expect("below q");
        let x = key.to_be_bytes();
        // b. c.
        let mut nonces = Nonces {
            hmac: Hmac::new(hash),
            q,
            k: Zeroizing::new(vec![0; hash.len()]),
            v: Zeroizing::new(vec![1; hash.len()]),
            started: false,
        };
        // d. to g.
        nonces.update(&[&[0], &x, &h1, more]);
        nonces.update(&[&[1], &x, &h1, more]);
        nonces
    }

    /// `K = HMAC_K(V || seed)`, `V = HMAC_K(V)`
    fn update(&mut self, seed: &[&[u8]]) {
        self.hmac.start(&self.k);
        self.hmac.update(&self.v);
        seed.iter().for_each(|part| self.hmac.update(part));
        self.hmac.finish_into(&mut self.k);
        self.advance();
    }

    /// `V = HMAC_K(V)`
    fn advance(&mut self) {
        self.hmac.start(&self.k);
        self.hmac.update(&self.v);
        self.hmac.finish_into(&mut self.v);
    }

    /// The next nonce, as wide as q.
    ///
    /// # Timing
    /// The number of rejected candidates is made public; the nonce is independent of it.
    pub(crate) fn next(&mut self) -> Nat {
        // h.
        loop {
            if self.started {
                self.update(&[&[0]]);
            }
            self.started = true;
            let len = self.q.bits().div_ceil(8);
            let mut t = Zeroizing::new(Vec::with_capacity(len + self.v.len()));
            while t.len() < len {
                self.advance();
                t.extend_from_slice(&self.v);
            }
            let k = bits2int(&t[..len], self.q.bits());
            if k.lt(self.q.nat()) && !k.is_zero() {
                return k.resize(self.q.width()).expect("below q");
            }
        }
    }
}
