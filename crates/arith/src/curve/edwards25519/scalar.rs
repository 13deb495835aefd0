//! Numbers modulo the order of the base point.

crate::prime_field! {
    /// The field of the scalars of Edwards25519: modulo L = 2^252 + 27742317777372353535851937790883648493 (RFC 8032, 5.1).
    pub struct Edwards25519Order = "L of Edwards25519", 4 limbs, 32 bytes,
        "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";
}
