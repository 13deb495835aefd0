//! What the fuzzers and their seeds share.

use carrysave_schemes::ec::{AnyPrivateKey, PrivateKey as CurveKey, X25519PrivateKey};
use carrysave_schemes::rsa::PrivateKey;
use std::convert::Infallible;
use std::sync::LazyLock;

/// What opens messages for a password.
pub const PASSWORD: &[u8] = b"open sesame";

/// What the messages of the seeds say, which are all that anybody wrote to these keys.
pub const TEXT: [u8; 100] = [b'x'; 100];

/// Keys of curves whose owners get messages: P-256 and X25519.
pub static CURVES: LazyLock<[AnyPrivateKey; 2]> = LazyLock::new(|| {
    let on_p256 = CurveKey::from_be_bytes(&[7; 32]).expect("a number below the order");
    [
        AnyPrivateKey::P256(on_p256),
        X25519PrivateKey::from_bytes(&[7; 32]).into(),
    ]
});

/// The key whose owner gets what they make.
pub static KEY: LazyLock<PrivateKey> = LazyLock::new(|| {
    PrivateKey::from_pkcs8_der(include_bytes!("../../crates/lab/data/rsa-1024.p8"))
        .expect("the lab's key")
});

/// The octets of three numbers: their lengths come first. Together they have `most` at most, but for one input in 256.
pub fn three(data: &[u8], most: usize) -> Option<[&[u8]; 3]> {
    let [first, second, rest @ ..] = data else {
        return None;
    };
    let rest = match *second {
        0xff => rest,
        _ => &rest[..rest.len().min(most)],
    };
    let (a, rest) = rest.split_at(rest.len() * usize::from(*first) / 255);
    let (b, n) = rest.split_at(rest.len() * usize::from(*second) / 255);
    Some([a, b, n])
}

/// A generator whose numbers follow from the fuzzer's octets.
pub struct Octets<'a>(pub &'a mut carrysave_contract::Rng);

impl rand_core::TryRng for Octets<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for word in bytes.chunks_mut(8) {
            word.copy_from_slice(&self.0.next().to_le_bytes()[..word.len()]);
        }
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Octets<'_> {}
