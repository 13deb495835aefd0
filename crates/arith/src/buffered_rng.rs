//! Random bytes for many short requests, requested together.

use core::convert::Infallible;
use rand_core::{CryptoRng, TryCryptoRng, TryRng};
use zeroize::Zeroizing;

/// Bytes requested at once: eight salts of 32 bytes.
const BYTES: usize = 256;

/// A generator that buffers another one's bytes for short requests: a call to the system's takes a microsecond, a third of a
/// key on P-256 among many. Unused bytes are wiped when it is dropped.
///
/// ```
/// use carrysave_arith::{BufferedRng, field::{F25519, Fe}};
/// use getrandom::SysRng;
/// use rand_core::UnwrapErr;
/// let mut system = UnwrapErr(SysRng);
/// let mut rng = BufferedRng::new(&mut system);
/// // One call to the system for both.
/// let numbers = [(); 2].map(|()| Fe::<F25519>::random(&mut rng));
/// assert_ne!(numbers[0], numbers[1]);
/// ```
pub struct BufferedRng<'a, R: ?Sized> {
    rng: &'a mut R,
    bytes: Zeroizing<[u8; BYTES]>,
    used: usize,
}

impl<R: CryptoRng + ?Sized> BufferedRng<'_, R> {
    /// A generator with an empty buffer.
    pub fn new(rng: &mut R) -> BufferedRng<'_, R> {
        BufferedRng {
            rng,
            bytes: Zeroizing::new([0; BYTES]),
            used: BYTES,
        }
    }
}

impl<R: CryptoRng + ?Sized> TryRng for BufferedRng<'_, R> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        if 2 * out.len() > BYTES {
            self.rng.fill_bytes(out);
            return Ok(());
        }
        if BYTES - self.used < out.len() {
            self.rng.fill_bytes(&mut *self.bytes);
            self.used = 0;
        }
        out.copy_from_slice(&self.bytes[self.used..][..out.len()]);
        self.used += out.len();
        Ok(())
    }
}

impl<R: CryptoRng + ?Sized> TryCryptoRng for BufferedRng<'_, R> {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use rand_core::Rng;

    /// Consecutive bytes, and the number of requests.
    struct Counter(u8, usize);

    impl TryRng for Counter {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            unreachable!("bytes are asked for")
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            unreachable!("bytes are asked for")
        }

        fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
            self.1 += 1;
            for byte in out {
                *byte = self.0;
                self.0 = self.0.wrapping_add(1);
            }
            Ok(())
        }
    }

    impl TryCryptoRng for Counter {}

    #[test]
    fn no_byte_is_given_twice() {
        let mut counter = Counter(0, 0);
        let mut buffered = BufferedRng::new(&mut counter);
        for salt in 0..7 {
            let mut out = [0; 32];
            buffered.fill_bytes(&mut out);
            assert!(out.into_iter().eq(32 * salt..32 * salt + 32));
        }
        assert_eq!(buffered.next_u32().to_le_bytes(), [224, 225, 226, 227]);
        assert_eq!(buffered.next_u64().to_le_bytes()[0], 228);
        // A request longer than the rest gets new bytes only. One longer than half the buffer bypasses it.
        let (mut few, mut many) = ([0; 21], [0; BYTES]);
        buffered.fill_bytes(&mut few);
        buffered.fill_bytes(&mut many);
        buffered.fill_bytes(&mut many[..BYTES / 2 + 1]);
        assert_eq!((few[0], many[0]), (0, 0));
        buffered.fill_bytes(&mut few);
        assert_eq!((few[0], counter.1), (21, 4), "the rest is still there");
    }

    #[test]
    fn nothing_is_asked_for_what_needs_nothing() {
        let mut counter = Counter(0, 0);
        drop(BufferedRng::new(&mut counter));
        assert_eq!(counter.1, 0);
    }
}
