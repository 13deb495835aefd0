//! Edwards25519 (Bernstein, Duif, Lange, Schwabe, Yang, CHES 2011; RFC 8032, 5.1): `-x^2 + y^2 = 1 + d x^2 y^2` modulo
//! 2^255 - 19, for Ed25519, and for the public keys of X25519: a point has the u-coordinate `(1 + y) / (1 - y)` on
//! Curve25519 (RFC 7748, 4.1).
//!
//! The group has 8 L elements. Its base point B has the prime order L; a multiple of B plus a point of order 1, 2, 4 or 8
//! is what the other points are.

mod base;
mod encoding;
mod formulas;
mod lanes;
mod naf;
mod point;
mod scalar;
mod spread;
mod sum;

pub use base::Edwards25519Table;
pub use encoding::Edwards25519Affine;
pub use point::Edwards25519Point;
pub use scalar::Edwards25519Order;

use crate::Limb;
use crate::field::{F25519, Fe, Multiply, limbs_from_hex};
use carrysave_kernels::fp::MAX_LIMBS;

/// Limbs of a coordinate, and of a scalar.
const LIMBS: usize = 4;

/// d, -121665/121666.
const D: [Limb; LIMBS] =
    limbs_from_hex("52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3");
/// 2 d
const TWICE_D: [Limb; LIMBS] =
    limbs_from_hex("2406d9dc56dffce7198e80f2eef3d13000e0149a8283b156ebd69b9426b2f159");
/// A square root of -1.
const ROOT: [Limb; LIMBS] =
    limbs_from_hex("2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0");
/// The coordinates of B: y is 4/5, and x even.
const BASE: [[Limb; LIMBS]; 2] = [
    limbs_from_hex("216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a"),
    limbs_from_hex("6666666666666666666666666666666666666666666666666666666666666658"),
];

/// An element of these limbs.
#[inline(always)]
fn element<M: Multiply>(m: M, limbs: &[Limb]) -> Fe<F25519, M> {
    let mut wide = [0; MAX_LIMBS];
    wide[..LIMBS].copy_from_slice(limbs);
    Fe::below_power(&wide).by(m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Portable;

    #[test]
    fn constants_are_what_they_are_called() {
        let of = |limbs: &[Limb]| element(Portable, limbs);
        let small = Fe::<F25519>::from_limb;
        let d = of(&D);
        assert_eq!(d * small(121_666), -small(121_665));
        assert_eq!(d + d, of(&TWICE_D));
        assert_eq!(of(&ROOT).sqr(), -small(1));
        let [x, y] = BASE.map(|limbs| of(&limbs));
        assert_eq!(y * small(5), small(4));
        assert_eq!(y.sqr() - x.sqr(), small(1) + d * x.sqr() * y.sqr());
        assert!(!x.is_odd());
    }
}
