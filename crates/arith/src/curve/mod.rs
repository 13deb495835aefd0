//! Elliptic curves over prime fields.

mod base_rows;
mod counting;
mod curves;
mod digits;
mod edwards25519;
mod edwards448;
mod endomorphism;
mod formulas;
// Copying an element in memory costs more than a sum.
#[allow(clippy::op_ref)]
mod jacobian;
mod joint;
mod lanes;
mod multiple;
mod spread;
mod weierstrass;
mod x25519;
mod x448;

pub use curves::*;
pub use edwards448::{Curve448Field, Edwards448Order, Edwards448Point, Edwards448Table};
pub use edwards25519::{
    Edwards25519Affine, Edwards25519Order, Edwards25519Point, Edwards25519Table,
};
pub use lanes::lanes_from;
pub use multiple::{BaseTable, Points};
pub use weierstrass::{A, Affine, Curve, Endomorphism, Point};
pub use x448::{X448_BASE, x448};
pub use x25519::{X25519_BASE, x25519, x25519_batch, x25519_in_lanes};
