//! Curves in use, and one from old measurements.

pub use super::digits::P521Digits;
use super::weierstrass::{A, Affine, Curve, Endomorphism, Point};
use crate::field::{Fe, Field, Mersenne521, Secp256k1Field, limbs_from_hex};
use crate::{Cpu, Limb};

crate::prime_field! {
    /// The field of the coordinates of P-256.
    pub struct P256Field = "p of P-256", 4 limbs, 32 bytes,
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
    /// The field of the scalars of P-256.
    pub struct P256Order = "n of P-256", 4 limbs, 32 bytes,
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    /// The field of the coordinates of P-384.
    pub struct P384Field = "p of P-384", 6 limbs, 48 bytes,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff";
    /// The field of the scalars of P-384.
    pub struct P384Order = "n of P-384", 6 limbs, 48 bytes,
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973";
    /// The field of the scalars of P-521.
    pub struct P521Order = "n of P-521", 9 limbs, 66 bytes,
        "00000000000001fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409";
    /// The field of the scalars of secp256k1.
    pub struct Secp256k1Order = "n of secp256k1", 4 limbs, 32 bytes,
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    /// The field of the coordinates of [`CryptoPP168`].
    pub struct CryptoPP168Field = "p of the 168-bit curve of Crypto++'s benchmarks", 3 limbs, 21 bytes,
        "00000088d8762bf324cd0fa587fa5b0cf9291a63371b32b1";
    /// The field of the scalars of [`CryptoPP168`].
    pub struct CryptoPP168Order = "n of the 168-bit curve of Crypto++'s benchmarks", 3 limbs, 21 bytes,
        "000000446c3b15f9926687d2c40534fdb564000000000097";
}

/// The field of the coordinates of P-521: modulo 2^521 - 1.
#[derive(Clone, Copy, Debug)]
pub struct P521Field;

impl Field for P521Field {
    const NAME: &'static str = "p of P-521";
    type Residue = Mersenne521;
    type Bytes = [u8; 66];
    const ZERO_BYTES: [u8; 66] = [0; 66];
}

/// A constant of a curve.
fn constant<F: Field>(hex: &str) -> Fe<F> {
    let mut bytes = F::ZERO_BYTES;
    let bytes = bytes.as_mut();
    let digit = |i: usize| {
        (hex.as_bytes()[i] as char)
            .to_digit(16)
            .expect("hexadecimal") as u8
    };
    assert_eq!(hex.len(), 2 * bytes.len());
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = digit(2 * i) << 4 | digit(2 * i + 1);
    }
    Fe::from_be_bytes(bytes).expect("below the prime")
}

macro_rules! curves {
    ($($(#[$doc:meta])* $name:ident = $title:literal, $base:ty, $scalar:ty, $kind:expr, $prime_order:literal, $a:expr, $b:expr, $x:expr, $y:expr
        $(, $endomorphism:expr)? $(=> $on_vectors:path)?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Curve for $name {
            const NAME: &'static str = $title;
            type Base = $base;
            type Scalar = $scalar;
            const A: A = $kind;
            const PRIME_ORDER: bool = $prime_order;
            fn a() -> Fe<$base> {
                $a
            }
            fn b() -> Fe<$base> {
                $b
            }
            fn g() -> Affine<$name> {
                (constant($x), constant($y))
            }
            $(fn endomorphism() -> Option<Endomorphism<$name>> {
                Some($endomorphism)
            })?
            $(fn mul_on_vectors(p: &Point<$name>, scalar: &[Limb], cpu: Cpu) -> Option<Point<$name>> {
                $on_vectors(p, scalar, cpu)
            })?
        }
    )*};
}

curves! {
    /// P-256 (SP 800-186, 3.2.1.3; secp256r1).
    P256 = "P-256", P256Field, P256Order, A::MinusThree, true, -Fe::from_limb(3),
        constant("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
    /// P-384 (SP 800-186, 3.2.1.4; secp384r1).
    P384 = "P-384", P384Field, P384Order, A::MinusThree, true, -Fe::from_limb(3),
        constant("b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"),
        "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
        "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f";
    /// P-521 (SP 800-186, 3.2.1.5; secp521r1).
    P521 = "P-521", P521Field, P521Order, A::MinusThree, true, -Fe::from_limb(3),
        constant("0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00"),
        "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
        "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650" => super::digits::mul;
    /// secp256k1 (SEC 2, version 2, 2.4.1).
    Secp256k1 = "secp256k1", Secp256k1Field, Secp256k1Order, A::Zero { b3: 21 }, true, Fe::zero(),
        Fe::from_limb(7),
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
        Endomorphism {
            beta: constant("7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee"),
            lambda: constant("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72"),
            b: [
                constant("000000000000000000000000000000003086d221a7d46bcde86c90e49284eb15"),
                constant("00000000000000000000000000000000e4437ed6010e88286f547fa90abfe4c3"),
            ],
            g: [
                limbs_from_hex("3086d221a7d46bcde86c90e49284eb153daa8a1471e8ca7fe893209a45dbb031"),
                limbs_from_hex("e4437ed6010e88286f547fa90abfe4c4221208ac9df506c61571b4ae8ac47f71"),
            ],
        };
    /// The curve over a 168-bit prime in the benchmarks of Crypto++, versions 3 to 5: for comparison with published
    /// figures, not for use. Its base point generates a subgroup of odd order, with half of the points.
    CryptoPP168 = "Crypto++ 168", CryptoPP168Field, CryptoPP168Order, A::Any, false, constant("659942b7261b249174c86bd5e2a65b45fe0737d110"),
        constant("3ece7d09473d6660005baef5d4e00e30159d2df49a"),
        "16dc4d339d35a0f0bc0585efce77e93d7dbf8314ce",
        "52f6e3047c5de0601a3496239129a5fd2a8fb8fb33";
}
