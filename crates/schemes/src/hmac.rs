//! HMAC (RFC 2104), several codes side by side.

use crate::chain::{Chain, Hashes, Words};
use crate::hash::Hash;
use carrysave_kernels::sha512::MOST;
use core::array;
use zeroize::Zeroizing;

/// `N` keys for codes by one hash, which can be replaced.
///
/// Codes by SHA-2 go block by block side by side (see [`chain`](crate::chain)).
pub(crate) struct Hmac<const N: usize> {
    hash: Hash,
    keyed: Keyed<N>,
}

enum Keyed<const N: usize> {
    Words32(SideBySide<[u32; 8]>),
    Words64(SideBySide<[u64; 8]>),
    /// A block each: the key, padded.
    OneByOne([Zeroizing<Vec<u8>>; N]),
}

/// What a key is added to, before the message and before its digest.
const PADS: [u8; 2] = [0x36, 0x5c];

impl<const N: usize> Hmac<N> {
    pub(crate) fn new(hash: Hash, keys: [&[u8]; N]) -> Hmac<N> {
        let keyed = match Words::of(hash) {
            Some(Words::Of32Bits) => Keyed::Words32(SideBySide::new(hash, N)),
            Some(Words::Of64Bits) => Keyed::Words64(SideBySide::new(hash, N)),
            None => Keyed::OneByOne(array::from_fn(|_| {
                Zeroizing::new(vec![0; hash.block_len()])
            })),
        };
        let mut hmac = Hmac { hash, keyed };
        hmac.rekey(keys);
        hmac
    }

    /// Takes these keys for what follows.
    pub(crate) fn rekey(&mut self, keys: [&[u8]; N]) {
        let long = |key: &[u8]| key.len() > self.hash.block_len();
        let digests = keys.map(|key| long(key).then(|| Zeroizing::new(self.hash.digest(key))));
        let keys: [&[u8]; N] = array::from_fn(|lane| match &digests[lane] {
            Some(digest) => digest.as_slice(),
            None => keys[lane],
        });
        match &mut self.keyed {
            Keyed::Words32(all) => all.rekey(keys),
            Keyed::Words64(all) => all.rekey(keys),
            Keyed::OneByOne(padded) => {
                for (padded, key) in padded.iter_mut().zip(keys) {
                    padded.fill(0);
                    padded[..key.len()].copy_from_slice(key);
                }
            }
        }
    }

    /// Writes the codes of messages, each the concatenation of its parts.
    pub(crate) fn codes(&mut self, messages: [&[&[u8]]; N], out: [&mut [u8]; N]) {
        match &mut self.keyed {
            Keyed::Words32(all) => all.codes(messages, out),
            Keyed::Words64(all) => all.codes(messages, out),
            Keyed::OneByOne(padded) => {
                for ((padded, parts), out) in padded.iter().zip(messages).zip(out) {
                    out.copy_from_slice(&code(self.hash, padded, parts));
                }
            }
        }
    }

    /// Replaces octets, as many as a digest has, by their codes.
    pub(crate) fn replace(&mut self, mut values: [&mut [u8]; N]) {
        match &mut self.keyed {
            Keyed::Words32(all) => all.replace(&mut values),
            Keyed::Words64(all) => all.replace(&mut values),
            Keyed::OneByOne(padded) => {
                for (padded, value) in padded.iter().zip(values) {
                    let code = code(self.hash, padded, &[value]);
                    value.copy_from_slice(&code);
                }
            }
        }
    }
}

/// The code of a message in parts, with a key that is padded to a block.
fn code(hash: Hash, padded: &Zeroizing<Vec<u8>>, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let [mut inner, mut outer] = PADS.map(|pad| {
        let mut block = padded.clone();
        block.iter_mut().for_each(|octet| *octet ^= pad);
        let mut hasher = hash.hasher();
        hasher.update(&block);
        hasher
    });
    parts.iter().for_each(|part| inner.update(part));
    let mut digest = Zeroizing::new(inner.finish());
    outer.update(&digest);
    outer.finish_into(&mut digest);
    digest
}

/// Codes by a hash of SHA-2 (FIPS 180-4).
struct SideBySide<S: Chain> {
    /// What the hash begins with.
    initial: S,
    /// After the keys with each of the pads.
    keyed: [Zeroizing<Vec<S>>; 2],
    hashes: Hashes<S>,
}

impl<S: Chain> SideBySide<S> {
    fn new(hash: Hash, keys: usize) -> Self {
        let initial = S::initial(hash.len());
        // Two codes are two derivations of one nonce: each executes instructions of its own, so that a fault in one shows.
        let lanes = match keys {
            ..=2 => None,
            _ => S::lanes(keys.min(MOST)),
        };
        let hashes = Hashes::new(keys, initial, lanes);
        SideBySide {
            initial,
            keyed: array::from_fn(|_| hashes.values.clone()),
            hashes,
        }
    }

    fn rekey<const N: usize>(&mut self, keys: [&[u8]; N]) {
        self.hashes.take_blocks(keys.into_iter());
        let mut added = 0;
        for (keyed, pad) in self.keyed.iter_mut().zip(PADS) {
            self.hashes.xor(added ^ pad);
            added = pad;
            self.hashes.values.fill(self.initial);
            self.hashes.compress();
            keyed.copy_from_slice(&self.hashes.values);
        }
    }

    fn codes<const N: usize>(&mut self, messages: [&[&[u8]]; N], mut out: [&mut [u8]; N]) {
        self.hashes.take(1, &messages);
        self.digests(0, &mut out);
        self.hash(1, &mut out);
    }

    fn replace<const N: usize>(&mut self, values: &mut [&mut [u8]; N]) {
        self.hash(0, values);
        self.hash(1, values);
    }

    /// Replaces values by the digests of the keys with a pad, followed by them.
    fn hash<const N: usize>(&mut self, pad: usize, values: &mut [&mut [u8]; N]) {
        let messages = values.each_ref().map(|value| [&**value]);
        self.hashes.take(1, &messages);
        self.digests(pad, values);
    }

    /// Writes the digests of the keys with a pad, followed by what was taken.
    fn digests(&mut self, pad: usize, out: &mut [&mut [u8]]) {
        self.hashes.values.copy_from_slice(&self.keyed[pad]);
        self.hashes.compress();
        let each = self.hashes.values.iter().zip(out);
        each.for_each(|(value, out)| value.write(out));
    }
}

#[cfg(test)]
mod tests {
    use super::{Hmac, PADS};
    use crate::hash::Hash;

    /// RFC 4231, test cases 2 and 6: a short key, and one longer than a block.
    #[test]
    fn codes_of_rfc_4231() {
        let start = |key: &[u8], parts: &[&[u8]]| Hash::Sha256.hmac(key, parts)[..4].to_vec();
        let short = start(b"Jefe", &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(short, [0x5b, 0xdc, 0xc1, 0x46]);
        let long = start(
            &[0xaa; 131],
            &[b"Test Using Larger Than Block-Size Key - Hash Key First"],
        );
        assert_eq!(long, [0x60, 0xe4, 0x31, 0x59]);
    }

    /// Sixteen, of messages with other numbers of blocks in each lane.
    #[test]
    fn codes_of_many_are_those_of_one() {
        let octets: Vec<u8> = (0..700_u32).map(|i| ((i * 167) >> 3) as u8).collect();
        for hash in [Hash::Sha256, Hash::Sha384, Hash::Sha512] {
            let keys: [&[u8]; 16] = core::array::from_fn(|i| &octets[i..4 * i]);
            let messages: [[&[u8]; 1]; 16] =
                core::array::from_fn(|i| [&octets[3 * i..][..i * i * 2]]);
            let mut codes = [(); 16].map(|()| vec![0; hash.len()]);
            let mut hmac = Hmac::<16>::new(hash, keys);
            hmac.codes(
                messages.each_ref().map(|parts| &parts[..]),
                codes.each_mut().map(|code| &mut code[..]),
            );
            for ((key, parts), code) in keys.iter().zip(&messages).zip(&codes) {
                assert_eq!(code[..], hash.hmac(key, parts)[..]);
            }
        }
    }

    /// By every hash, for keys and messages of every length around those of blocks, of other lengths in the lanes.
    #[test]
    fn codes_are_as_defined() {
        let octets: Vec<u8> = (0..420_u32).map(|i| ((i * 167) >> 3) as u8).collect();
        for &hash in Hash::ALL {
            let defined = |key: &[u8], message: &[u8]| {
                let mut block = vec![0; hash.block_len()];
                match key.len() > block.len() {
                    true => block[..hash.len()].copy_from_slice(&hash.digest(key)),
                    false => block[..key.len()].copy_from_slice(key),
                }
                let [inner, outer] =
                    PADS.map(|pad| block.iter().map(|it| it ^ pad).collect::<Vec<u8>>());
                hash.digest(&[outer, hash.digest(&[&inner, message].concat())].concat())
            };
            let mut hmac = Hmac::<2>::new(hash, [&[]; 2]);
            for key_len in [
                0,
                1,
                hash.len(),
                hash.block_len(),
                hash.block_len() + 1,
                300,
            ] {
                let keys = [&octets[..key_len], &octets[5..][..key_len / 2]];
                hmac.rekey(keys);
                for len in (0..300).step_by(7).chain(100..140) {
                    let messages = [&octets[..len], &octets[9..][..len + len / 3]];
                    let [mut one, mut other] = [(); 2].map(|()| vec![0; hash.len()]);
                    let (head, tail) = messages[0].split_at(len / 2);
                    hmac.codes([&[head, tail], &[messages[1]]], [&mut one, &mut other]);
                    let at = format!("{hash}, key of {key_len}, message of {len}");
                    assert_eq!(one, defined(keys[0], messages[0]), "{at}");
                    assert_eq!(other, defined(keys[1], messages[1]), "{at}");
                    let expected = [defined(keys[0], &one), defined(keys[1], &other)];
                    hmac.replace([&mut one, &mut other]);
                    assert_eq!([one, other], expected, "{at}");
                }
            }
        }
    }
}
