//! Fields in use.

use super::{Field, Mersenne127};

crate::crandall_field! {
    /// Modulo 2^127 - 735.
    pub struct F127M735 = 2^127 - 735;
    /// Modulo 2^128 - 159.
    pub struct F128M159 = 2^128 - 159;
    /// Modulo 2^255 - 19 (Bernstein, Curve25519, 2006).
    pub struct F25519 = 2^255 - 19;
    /// Modulo 2^256 - 189.
    pub struct F256M189 = 2^256 - 189;
    /// Modulo 2^256 - 2^32 - 977: the field of secp256k1 (SEC 2, version 2, 2.4.1).
    pub struct Secp256k1Field = 2^256 - 4_294_968_273;
}

/// Modulo 2^127 - 1.
#[derive(Clone, Copy, Debug)]
pub struct F127;

impl Field for F127 {
    const NAME: &'static str = "2^127 - 1";
    type Residue = Mersenne127;
    type Bytes = [u8; 16];
    const ZERO_BYTES: [u8; 16] = [0; 16];
}
