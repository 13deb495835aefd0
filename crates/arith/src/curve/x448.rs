//! X448 (RFC 7748, section 5).

use super::Curve448Field;
use crate::Limb;
use crate::field::Fe;
use zeroize::Zeroize;

/// The u-coordinate of the base point: 5.
pub const X448_BASE: [u8; 56] = {
    let mut base = [0; 56];
    base[0] = 5;
    base
};

/// (A - 2) / 4
const A24: u32 = 39_081;

/// The function X448 of the RFC: the u-coordinate of k times a point with u-coordinate u, after two bits of k are cleared
/// and one is set. Any u is valid.
///
/// An all-zero result means that the point has small order: a key agreement must refuse it.
///
/// # Timing
/// Depends on nothing.
///
/// ```
/// use carrysave_arith::curve::{X448_BASE, x448};
/// let (alice, bob) = ([0x11; 56], [0x22; 56]);
/// let (of_alice, of_bob) = (x448(&alice, &X448_BASE), x448(&bob, &X448_BASE));
/// assert_eq!(x448(&alice, &of_bob), x448(&bob, &of_alice));
/// ```
pub fn x448(k: &[u8; 56], u: &[u8; 56]) -> [u8; 56] {
    let mut k = decode_scalar(k);
    let mut x_1 = Fe::<Curve448Field>::reduce_le_bytes(u);
    let (mut x_2, mut z_2, mut x_3, mut z_3) = (Fe::one(), Fe::zero(), x_1, Fe::one());
    let mut swap = 0;
    for t in (0..448).rev() {
        let k_t = Limb::from(k[t / 8] >> (t % 8) & 1);
        Fe::swap(&mut x_2, &mut x_3, swap ^ k_t);
        Fe::swap(&mut z_2, &mut z_3, swap ^ k_t);
        swap = k_t;
        let (a, b) = (x_2 + z_2, x_2 - z_2);
        let (da, cb) = ((x_3 - z_3) * a, (x_3 + z_3) * b);
        let (aa, bb) = (a.sqr(), b.sqr());
        let e = aa - bb;
        x_2 = aa * bb;
        z_2 = e * (aa + e.mul_small(A24));
        x_3 = (da + cb).sqr();
        z_3 = x_1 * (da - cb).sqr();
    }
    // The lowest bit of k is 0, so no exchange is left.
    let shared = (x_2 * z_2.inv()).to_le_bytes();
    k.zeroize();
    // Apart they reveal more of k than the quotient does.
    [&mut x_1, &mut x_2, &mut z_2, &mut x_3, &mut z_3]
        .into_iter()
        .for_each(Zeroize::zeroize);
    shared
}

/// The scalar of X448 of these octets.
pub(super) fn decode_scalar(k: &[u8; 56]) -> [u8; 56] {
    let mut k = *k;
    k[0] &= 252;
    k[55] |= 128;
    k
}
