//! The primes of curves of the NIST, by which products are reduced with fewer multiplications than by others (SP 800-186,
//! 3.2.1).

use crate::Limb;

/// `2^256 - 2^224 + 2^192 + 2^96 - 1`
pub(super) const P256: [Limb; 4] = [0xffff_ffff_ffff_ffff, 0xffff_ffff, 0, 0xffff_ffff_0000_0001];

/// `-p^-1 mod 2^64` for it.
pub(super) const P256_N0: Limb = 1;

/// `2^384 - 2^128 - 2^96 + 2^32 - 1`
pub(super) const P384: [Limb; 6] = [
    0xffff_ffff,
    0xffff_ffff_0000_0000,
    Limb::MAX - 1,
    Limb::MAX,
    Limb::MAX,
    Limb::MAX,
];

/// `-p^-1 mod 2^64` for it.
pub(super) const P384_N0: Limb = 0x1_0000_0001;

/// Whether two primes are equal.
#[cfg(target_arch = "x86_64")]
pub(super) const fn is<const N: usize, const M: usize>(p: &[Limb; N], known: &[Limb; M]) -> bool {
    let mut i = 0;
    while i < N && i < M && p[i] == known[i] {
        i += 1;
    }
    i == N && i == M
}
