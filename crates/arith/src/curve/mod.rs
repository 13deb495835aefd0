//! Elliptic curves over prime fields.

mod curves;
mod endomorphism;
mod formulas;
mod multiple;
mod weierstrass;
mod x25519;

pub use curves::*;
pub use endomorphism::Endomorphism;
pub use multiple::{BaseTable, Points};
pub use weierstrass::{A, Affine, Curve, Point};
pub use x25519::{X25519_BASE, x25519, x25519_batch};
