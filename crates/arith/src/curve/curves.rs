//! Curves in use, and one from old measurements.

pub use super::digits::P521Digits;
use super::lanes::lanes_from;
use super::multiple::BaseTable;
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
    /// The field of the coordinates of secp256k1 in Montgomery form, as vector lanes have it.
    pub struct Secp256k1LaneField = "p of secp256k1 in lanes", 4 limbs, 32 bytes,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    /// The field of the scalars of secp256k1.
    pub struct Secp256k1Order = "n of secp256k1", 4 limbs, 32 bytes,
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    /// The field of the coordinates of P-224.
    pub struct P224Field = "p of P-224", 4 limbs, 28 bytes,
        "00000000ffffffffffffffffffffffffffffffff000000000000000000000001";
    /// The field of the scalars of P-224.
    pub struct P224Order = "n of P-224", 4 limbs, 28 bytes,
        "00000000ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d";
    /// The field of the coordinates of brainpoolP256r1.
    pub struct BrainpoolP256r1Field = "p of brainpoolP256r1", 4 limbs, 32 bytes,
        "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377";
    /// The field of the scalars of brainpoolP256r1.
    pub struct BrainpoolP256r1Order = "n of brainpoolP256r1", 4 limbs, 32 bytes,
        "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7";
    /// The field of the coordinates of brainpoolP384r1.
    pub struct BrainpoolP384r1Field = "p of brainpoolP384r1", 6 limbs, 48 bytes,
        "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d1a71874700133107ec53";
    /// The field of the scalars of brainpoolP384r1.
    pub struct BrainpoolP384r1Order = "n of brainpoolP384r1", 6 limbs, 48 bytes,
        "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b31f166e6cac0425a7cf3ab6af6b7fc3103b883202e9046565";
    /// The field of the coordinates of brainpoolP512r1.
    pub struct BrainpoolP512r1Field = "p of brainpoolP512r1", 8 limbs, 64 bytes,
        "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc66842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3";
    /// The field of the scalars of brainpoolP512r1.
    pub struct BrainpoolP512r1Order = "n of brainpoolP512r1", 8 limbs, 64 bytes,
        "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870553e5c414ca92619418661197fac10471db1d381085ddaddb58796829ca90069";
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

/// What a curve has whose products are calculated in lanes.
macro_rules! in_lanes {
    ($name:ident, $scalar:ty, $base:ty) => {
        fn lanes_from(cpu: Cpu) -> Option<usize> {
            lanes_from(cpu)
        }
        fn base_product(
            table: &BaseTable<$name>,
            number: &Fe<$scalar>,
        ) -> Option<(Point<$name>, Limb)> {
            table.mul_in_all_lanes(number)
        }
        #[inline(never)]
        fn base_products(
            table: &BaseTable<$name>,
            numbers: &[Fe<$scalar>],
        ) -> (Vec<Point<$name>>, zeroize::Zeroizing<Vec<Limb>>) {
            table.mul_batch_counted(numbers)
        }
        #[inline(never)]
        fn products(
            cpu: Cpu,
            points: &[Point<$name>],
            numbers: &[Fe<$scalar>],
        ) -> Vec<Point<$name>> {
            Point::mul_batch(cpu, points, numbers)
        }
        #[inline(never)]
        fn sums_vartime(
            table: &BaseTable<$name>,
            u: &[Fe<$scalar>],
            points: &[Point<$name>],
            v: &[Fe<$scalar>],
        ) -> Vec<Point<$name>> {
            if lanes_from(table.cpu).is_some_and(|least| u.len() >= least) {
                return table.mul_add_batch(u, points, v);
            }
            table.mul_add_each_vartime(u, points, v)
        }
    };
}

/// The field of coordinates in lanes.
macro_rules! base_in_lanes {
    ($base:ty) => {
        $base
    };
    ($base:ty, $in_lanes:ty) => {
        $in_lanes
    };
}

macro_rules! curves {
    ($($(#[$doc:meta])* $name:ident $([$(tuned: $tuned:literal)? $(lanes: $lanes:ty)?])? = $title:literal, $base:ty, $scalar:ty, $kind:expr, $prime_order:literal, $a:expr, $b:expr, $x:expr, $y:expr
        $(, $endomorphism:expr)? $(=> $on_vectors:path)?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Curve for $name {
            const NAME: &'static str = $title;
            type Base = $base;
            type BaseInLanes = base_in_lanes!($base $($(, $lanes)?)?);
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
            #[inline(never)]
            fn mul_compiled(point: &Point<$name>, scalar: &[Limb], cpu: Cpu) -> Point<$name> {
                point.mul_generic(cpu, scalar)
            }
            #[inline(never)]
            fn table_compiled(cpu: Cpu) -> BaseTable<$name> {
                BaseTable::new_generic(cpu)
            }
            #[inline(never)]
            fn mul_base_compiled(
                table: &BaseTable<$name>,
                scalar: &Fe<$scalar>,
            ) -> (Point<$name>, Limb) {
                table.mul_counted_generic(scalar)
            }
            #[inline(never)]
            fn mul_add_compiled_vartime(
                table: &BaseTable<$name>,
                u: &Fe<$scalar>,
                point: &Point<$name>,
                v: &Fe<$scalar>,
            ) -> Point<$name> {
                table.mul_add_generic(u, point, v)
            }
            $($(const TUNED: bool = $tuned;)? $(in_lanes!($name, $scalar, $lanes);)?)?
        }
    )*};
}

curves! {
    /// P-256 (SP 800-186, 3.2.1.3; secp256r1).
    P256[lanes: P256Field] = "P-256", P256Field, P256Order, A::MinusThree, true, -Fe::from_limb(3),
        constant("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
    /// P-384 (SP 800-186, 3.2.1.4; secp384r1).
    P384[lanes: P384Field] = "P-384", P384Field, P384Order, A::MinusThree, true, -Fe::from_limb(3),
        constant("b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"),
        "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
        "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f";
    /// P-521 (SP 800-186, 3.2.1.5; secp521r1).
    P521[lanes: P521Field] = "P-521", P521Field, P521Order, A::MinusThree, true, -Fe::from_limb(3),
        constant("0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00"),
        "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
        "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650" => super::digits::mul;
    /// secp256k1 (SEC 2, version 2, 2.4.1).
    Secp256k1[lanes: Secp256k1LaneField] = "secp256k1", Secp256k1Field, Secp256k1Order, A::Zero { b3: 21 }, true, Fe::zero(),
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
    /// P-224 (SP 800-186, 3.2.1.2; secp224r1).
    P224[tuned: false] = "P-224", P224Field, P224Order, A::MinusThree, true, -Fe::from_limb(3),
        constant("b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4"),
        "b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
        "bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34";
    /// brainpoolP256r1 (RFC 5639, 3.4).
    BrainpoolP256r1[tuned: false] = "brainpoolP256r1", BrainpoolP256r1Field, BrainpoolP256r1Order, A::Any, true, constant("7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9"),
        constant("26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6"),
        "8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
        "547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997";
    /// brainpoolP384r1 (RFC 5639, 3.6).
    BrainpoolP384r1[tuned: false] = "brainpoolP384r1", BrainpoolP384r1Field, BrainpoolP384r1Order, A::Any, true, constant("7bc382c63d8c150c3c72080ace05afa0c2bea28e4fb22787139165efba91f90f8aa5814a503ad4eb04a8c7dd22ce2826"),
        constant("04a8c7dd22ce28268b39b55416f0447c2fb77de107dcd2a62e880ea53eeb62d57cb4390295dbc9943ab78696fa504c11"),
        "1d1c64f068cf45ffa2a63a81b7c13f6b8847a3e77ef14fe3db7fcafe0cbd10e8e826e03436d646aaef87b2e247d4af1e",
        "8abe1d7520f9c2a45cb1eb8e95cfd55262b70b29feec5864e19c054ff99129280e4646217791811142820341263c5315";
    /// brainpoolP512r1 (RFC 5639, 3.7).
    BrainpoolP512r1[tuned: false] = "brainpoolP512r1", BrainpoolP512r1Field, BrainpoolP512r1Order, A::Any, true, constant("7830a3318b603b89e2327145ac234cc594cbdd8d3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94ca"),
        constant("3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94cadc083e67984050b75ebae5dd2809bd638016f723"),
        "81aee4bdd82ed9645a21322e9c4c6a9385ed9f70b5d916c1b43b62eef4d0098eff3b1f78e2d0d48d50d1687b93b97d5f7c6d5047406a5e688b352209bcb9f822",
        "7dde385d566332ecc0eabfa9cf7822fdf209f70024a57b1aa000c55b881f8111b2dcde494a5f485e5bca4bd88a2763aed1ca2b2fa8f0540678cd1e0f3ad80892";
    /// The curve over a 168-bit prime in the benchmarks of Crypto++, versions 3 to 5: for comparison with published
    /// figures, not for use. Its base point generates a subgroup of odd order, with half of the points.
    CryptoPP168 = "Crypto++ 168", CryptoPP168Field, CryptoPP168Order, A::Any, false, constant("659942b7261b249174c86bd5e2a65b45fe0737d110"),
        constant("3ece7d09473d6660005baef5d4e00e30159d2df49a"),
        "16dc4d339d35a0f0bc0585efce77e93d7dbf8314ce",
        "52f6e3047c5de0601a3496239129a5fd2a8fb8fb33";
}
