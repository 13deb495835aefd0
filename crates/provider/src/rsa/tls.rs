//! The premaster secret of TLS in PKCS #1 v1.5 (RFC 5246, 7.4.7.1): a wrong block gives a random secret, and nothing
//! tells one from the other.

use crate::failure::Failure;
use ctutils::{CtAssign, CtEq};
use zeroize::Zeroizing;

/// The length of a premaster secret, in bytes.
pub const LEN: usize = 48;

/// The last 48 bytes of `em` if it is a block of PKCS #1 v1.5 with a secret that starts with the client's version, or
/// with the negotiated one that old clients send there; otherwise `random`.
///
/// # Timing
/// Depends on the length of `em` only.
pub fn premaster(
    em: &[u8],
    client: u16,
    negotiated: Option<u16>,
    mut random: Zeroizing<[u8; LEN]>,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let start = em.len().checked_sub(LEN).filter(|&start| start >= 11);
    let start = start.ok_or_else(|| Failure::new("the key is too small for a premaster secret"))?;
    let (padding, secret) = em.split_at(start);
    let mut good = padding[0].ct_eq(&0) & padding[1].ct_eq(&2) & padding[start - 1].ct_eq(&0);
    for byte in &padding[2..start - 1] {
        good &= !byte.ct_eq(&0);
    }
    let is = |version: u16| {
        let [major, minor] = version.to_be_bytes();
        secret[0].ct_eq(&major) & secret[1].ct_eq(&minor)
    };
    let mut version = is(client);
    if let Some(negotiated) = negotiated {
        version |= is(negotiated);
    }
    good &= version;
    for (to, from) in random.iter_mut().zip(secret) {
        to.ct_assign(from, good);
    }
    Ok(Zeroizing::new(random.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(change: impl FnOnce(&mut [u8])) -> Vec<u8> {
        let mut em = vec![9; 128];
        (em[0], em[1], em[79], em[80], em[81]) = (0, 2, 0, 3, 3);
        change(&mut em);
        premaster(&em, 0x303, None, Zeroizing::new([7; LEN]))
            .unwrap()
            .to_vec()
    }

    #[test]
    fn a_wrong_block_gives_the_random_secret() {
        assert_eq!(block(|_| ())[..3], [3, 3, 9]);
        for wrong in [0, 1, 50, 79, 80, 81] {
            assert_eq!(
                block(|em| em[wrong] ^= if wrong == 50 { 9 } else { 1 }),
                [7; LEN]
            );
        }
        let old = premaster(
            &block_of(0x301),
            0x303,
            Some(0x301),
            Zeroizing::new([7; LEN]),
        );
        assert_eq!(old.unwrap()[..2], [3, 1]);
        assert!(premaster(&[0; 58], 0x303, None, Zeroizing::new([7; LEN])).is_err());
    }

    fn block_of(version: u16) -> Vec<u8> {
        let mut em = vec![9; 128];
        (em[0], em[1], em[79]) = (0, 2, 0);
        em[80..82].copy_from_slice(&version.to_be_bytes());
        em
    }
}
