//! Secrets for checks: octets, random numbers, and what is secret within a file.

use carrysave_schemes::ec::Algorithm;
use carrysave_secrets::valgrind::{poison, reveal, secret};
use getrandom::SysRng;
use rand_core::{TryCryptoRng, TryRng};
use std::hint::black_box;

/// The octets 0, 1, 2 and so on.
pub fn octets(len: usize) -> Vec<u8> {
    black_box((0..len).map(|i| i as u8).collect())
}

/// The octets 0, 1, 2 and so on, which are secret.
pub fn secrets(len: usize) -> Vec<u8> {
    let octets = octets(len);
    poison(&octets);
    octets
}

/// As many secret octets as an array has.
pub fn array<const N: usize>() -> [u8; N] {
    secrets(N).try_into().expect("that many")
}

/// Checks that secret octets are 0, 1, 2 and so on, and makes them public.
pub fn assert_octets(found: &[u8]) {
    reveal(found);
    assert!(found == octets(found.len()), "other octets came back");
}

/// Makes parts of a file secret, wherever they occur, but for the first two octets of each, which tell its length.
///
/// # Panics
/// If one of them does not occur.
pub fn hide<P: AsRef<[u8]>>(file: &[u8], parts: &[P]) {
    let mut secret = vec![];
    for part in parts.iter().map(|part| &part.as_ref()[2..]) {
        let before = secret.len();
        let ends = (part.len()..=file.len()).filter(|&end| file[..end].ends_with(part));
        secret.extend(ends.map(|end| end - part.len()..end));
        assert!(secret.len() > before, "the file does not hold it");
    }
    secret.into_iter().for_each(|range| poison(&file[range]));
}

/// The system's random numbers, all of them secret.
pub struct SecretRng;

impl TryRng for SecretRng {
    type Error = <SysRng as TryRng>::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(secret(SysRng.try_next_u64()?) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(secret(SysRng.try_next_u64()?))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        SysRng.try_fill_bytes(bytes)?;
        poison(bytes);
        Ok(())
    }
}

impl TryCryptoRng for SecretRng {}

/// The algorithms of curves: all, or in Miri one of each kind of curve that has 256 bits.
pub fn algorithms() -> impl Iterator<Item = Algorithm> {
    let short = [
        Algorithm::P256,
        Algorithm::BrainpoolP256r1,
        Algorithm::X25519,
        Algorithm::Ed25519,
    ];
    let all = Algorithm::ALL.iter().copied();
    all.filter(move |algorithm| !cfg!(miri) || short.contains(algorithm))
}
