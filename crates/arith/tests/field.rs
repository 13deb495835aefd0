//! Fields: all elements of toy fields by the same code, and structured elements of real fields against the oracle.

#[cfg(target_arch = "x86_64")]
use carrysave_arith::field::{Ifma512, MulxAdx};
use carrysave_arith::{
    Cpu, Limb,
    curve::{Curve448Field, P256Field, P384Field, P521Digits, P521Field},
    field::{
        Crandall, Fe, FeBatch, Field, InLanes, Multiply, Portable, Residue, Vectors, Visitor, Word,
        invert_batch, visit_presets,
    },
};
use carrysave_oracle::Num;
use getrandom::SysRng;
use rand_core::UnwrapErr;

/// A word of few bits, so that all residues of two or four words can be tried.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Toy<const BITS: usize>(u64);

impl<const BITS: usize> Word for Toy<BITS> {
    const BITS: usize = BITS;
    const ZERO: Self = Toy(0);
    const ONE: Self = Toy(1);

    fn lowest(limb: Limb) -> Self {
        Toy(limb & ((1 << BITS) - 1))
    }

    fn limb(self) -> Limb {
        self.0
    }

    fn mac(a: Self, b: Self, c: Self, d: Self) -> (Self, Self) {
        let sum = a.0 * b.0 + c.0 + d.0;
        (Self::lowest(sum), Toy(sum >> BITS))
    }

    fn adc(a: Self, b: Self, carry: bool) -> (Self, bool) {
        let sum = a.0 + b.0 + u64::from(carry);
        (Self::lowest(sum), sum >> BITS == 1)
    }

    fn sbb(a: Self, b: Self, borrow: bool) -> (Self, bool) {
        let due = b.0 + u64::from(borrow);
        (Self::lowest((1 << BITS) + a.0 - due), a.0 < due)
    }

    fn only_if(self, condition: bool) -> Self {
        if condition { self } else { Toy(0) }
    }

    fn select(a: Self, b: Self, bit: Limb) -> Self {
        if bit == 1 { b } else { a }
    }
}

macro_rules! toy_field {
    ($name:ident, 2^$w:literal - $c:literal, $n:literal words of $bits:literal) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;
        impl Field for $name {
            const NAME: &'static str = concat!("2^", $w, " - ", $c);
            type Residue = Crandall<Toy<$bits>, $n, $w, $c>;
            type Bytes = [u8; 1];
            const ZERO_BYTES: [u8; 1] = [0];
        }
    };
}

toy_field!(Toy127, 2^7 - 1, 2 words of 4);
toy_field!(Toy251, 2^8 - 5, 2 words of 4);
toy_field!(Toy29, 2^5 - 3, 2 words of 3);
toy_field!(Toy241, 2^8 - 15, 2 words of 4);
toy_field!(Toy61, 2^6 - 3, 2 words of 3);
toy_field!(Toy127x4, 2^7 - 1, 4 words of 2);

carrysave_arith::prime_field! {
    /// Modulo 251, in Montgomery's form.
    pub struct Montgomery251 = "251", 1 limbs, 1 bytes, "00000000000000fb";
    /// Modulo 241, where 2^4 divides p - 1.
    pub struct Montgomery241 = "241", 1 limbs, 1 bytes, "00000000000000f1";
}

/// All pairs of all representations, under all operations.
fn exhaust<F: Field>(representations: u64) {
    let p = F::Residue::MODULUS[0];
    let value = |a: Fe<F>| u64::from(a.to_le_bytes().as_ref()[0]);
    // Every representation: numbers below 2^BITS as they are, and those above as sums that are not folded.
    let element = |x: u64| {
        let top = 1 << F::Residue::BITS;
        match x {
            _ if x < top => Fe::<F>::from_limb(x),
            _ => Fe::from_limb(x - top / 2) + Fe::from_limb(top / 2),
        }
    };
    let all: Vec<(u64, Fe<F>)> = (0..representations).map(|x| (x % p, element(x))).collect();
    for &(x, a) in &all {
        assert_eq!(value(a), x);
        assert_eq!(a.is_zero(), x == 0);
        assert_eq!(a.is_odd(), x % 2 == 1);
        assert_eq!(value(-a), (p - x) % p);
        assert_eq!(value(a.sqr()), x * x % p, "{}: {x}^2", F::NAME);
        assert_eq!(value(a.half() + a.half()), x, "{}: {x}/2", F::NAME);
        let inverse = value(a.inv());
        assert_eq!(x * inverse % p, u64::from(x != 0), "{}: 1/{x}", F::NAME);
        let is_square = (0..p).any(|r| r * r % p == x);
        assert_eq!(
            a.sqrt().map(|r| value(r) * value(r) % p),
            is_square.then_some(x),
            "{}",
            F::NAME
        );
        let mut power = 1;
        for e in 0..2 * p {
            assert_eq!(value(a.pow(&[e])), power, "{}: {x}^{e}", F::NAME);
            power = power * x % p;
        }
        let known = Fe::<F>::from_le_bytes(&[x as u8]);
        assert_eq!(known, Some(a));
        for &(y, b) in &all {
            assert_eq!(value(a + b), (x + y) % p, "{}: {x} + {y}", F::NAME);
            assert_eq!(value(a - b), (x + p - y) % p, "{}: {x} - {y}", F::NAME);
            assert_eq!(value(a * b), x * y % p, "{}: {x} * {y}", F::NAME);
            assert_eq!(a == b, x == y);
            assert_eq!([0, 1].map(|bit| value(Fe::select(&a, &b, bit))), [x, y]);
            for (bit, expected) in [(0, [x, y]), (1, [y, x])] {
                let (mut a, mut b) = (a, b);
                Fe::swap(&mut a, &mut b, bit);
                assert_eq!([a, b].map(value), expected);
            }
        }
        for k in 0..4 {
            assert_eq!(value(a.mul_small(k)), x * u64::from(k) % p);
        }
    }
    for bytes in p..256 {
        assert_eq!(Fe::<F>::from_le_bytes(&[bytes as u8]), None);
    }
    let mut batch: Vec<Fe<F>> = all.iter().map(|(_, a)| *a).collect();
    invert_batch(&mut batch);
    assert!(
        batch
            .iter()
            .zip(&all)
            .all(|(inverse, (_, a))| *inverse == a.inv())
    );
}

#[test]
fn toy_fields_do_as_arithmetic_says() {
    exhaust::<Toy127>(1 << 8);
    exhaust::<Toy251>(1 << 8);
    exhaust::<Toy29>(1 << 6);
    exhaust::<Toy241>(1 << 8);
    exhaust::<Toy61>(1 << 6);
    exhaust::<Toy127x4>(1 << 8);
    exhaust::<Montgomery251>(251);
    exhaust::<Montgomery241>(241);
}

/// Numbers around the prime, powers of two and their neighbours, runs, and random ones.
fn structured(bits: usize, p: &Num) -> Vec<Num> {
    let one = Num::one();
    let mut all = vec![
        Num::zero(),
        one.clone(),
        Num::from(2),
        p.shr(1),
        p.shr(1).add(&one),
    ];
    for k in 1..40 {
        all.push(p.sub(&Num::from(k * k)));
    }
    // Next to limbs' ends, and between where that is not too many.
    for k in (0..bits).filter(|k| k % 64 > 61 || k % 64 < 2 || bits <= 256 && k % 21 < 2) {
        let power = one.shl(k);
        all.extend([
            power.clone(),
            power.add(&one),
            power.sub(&one),
            p.sub(&power.rem(p)),
        ]);
        all.push(one.shl(bits).sub(&power));
    }
    all.extend(folded_short_of_the_top(bits, p));
    let mut state = 1u64;
    for _ in 0..40 {
        let limbs = [(); 9].map(|()| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        });
        all.push(Num::from_limbs(&limbs).low_bits(bits));
    }
    all.iter().map(|x| x.rem(p)).collect()
}

/// Numbers whose products by 2^(bits - 1), folded at R, are R plus a value that falls short of the lowest bit of R's
/// upper limb by less than d = R mod p, so that the next folding carries through all limbs. There are none if the prime
/// is not R - d.
fn folded_short_of_the_top(bits: usize, p: &Num) -> Vec<Num> {
    let c = Num::one().shl(bits).sub(p);
    if c.bits() > 63 || bits < 127 {
        return vec![];
    }
    let limbs = bits.div_ceil(64);
    let spare = 64 * limbs - bits;
    let (d, one) = (c.shl(spare), Num::one());
    let number = |q: u64| {
        // d h is q R and w more.
        let above = Num::from(q).shl(64 * limbs);
        let h = above.add(&d).sub(&one).div_rem(&d).0;
        let w = d.mul(&h).sub(&above);
        let goal = one.shl(64 * (limbs - 1)).sub(&one);
        let rest = goal.checked_sub(&w.add(&d.mul(&Num::from(q - 1))))?;
        Some(h.add(&rest.div_rem(&d).0).shl(spare + 1))
    };
    (1..=8).filter_map(number).collect()
}

fn bytes<F: Field>(x: &Num) -> F::Bytes {
    let mut bytes = F::ZERO_BYTES;
    let limbs = x.to_limbs(F::Residue::BITS.div_ceil(64));
    for (i, byte) in bytes.as_mut().iter_mut().enumerate() {
        *byte = (limbs[i / 8] >> (8 * (i % 8))) as u8;
    }
    bytes
}

/// A field's element, as its place in [`Elements`].
type At = usize;

/// A field's operations on elements that it keeps, so that what compares them with the oracle is compiled once.
trait Elements {
    fn name(&self) -> String;
    fn prime(&self) -> Num;
    fn read(&mut self, x: &Num) -> At;
    fn write(&self, a: At) -> Num;
    fn neg(&mut self, a: At) -> At;
    fn sqr(&mut self, a: At) -> At;
    fn half(&mut self, a: At) -> At;
    fn inv(&mut self, a: At) -> At;
    fn sqrt(&mut self, a: At) -> Option<At>;
    fn mul_small(&mut self, a: At, k: u32) -> At;
    fn pow(&mut self, a: At, exponent: &[Limb]) -> At;
    fn add(&mut self, a: At, b: At) -> At;
    fn sub(&mut self, a: At, b: At) -> At;
    fn mul(&mut self, a: At, b: At) -> At;
    fn equals(&self, a: At, b: At) -> Limb;
    fn invert_batch(&mut self, all: &[At]) -> Vec<At>;
}

/// The elements of a field by one multiplication.
struct Kept<F: Field, M: Multiply>(M, Vec<Fe<F, M>>);

impl<F: Field, M: Multiply> Kept<F, M> {
    fn keep(&mut self, a: Fe<F, M>) -> At {
        self.1.push(a);
        self.1.len() - 1
    }
}

impl<F: Field, M: Multiply> Elements for Kept<F, M> {
    fn name(&self) -> String {
        format!("{} by {:?}", F::NAME, self.0)
    }

    fn prime(&self) -> Num {
        let p = Num::from_limbs(&F::Residue::MODULUS);
        assert_eq!(p.bits(), F::Residue::BITS);
        p
    }

    fn read(&mut self, x: &Num) -> At {
        let a = Fe::<F>::from_le_bytes(bytes::<F>(x).as_ref()).expect("below p");
        self.keep(a.by(self.0))
    }

    fn write(&self, a: At) -> Num {
        let bytes = self.1[a].to_le_bytes();
        let limb =
            |part: &[u8]| (part.iter().rev()).fold(0, |limb, byte| limb << 8 | Limb::from(*byte));
        Num::from_limbs(&bytes.as_ref().chunks(8).map(limb).collect::<Vec<_>>())
    }

    fn neg(&mut self, a: At) -> At {
        self.keep(-self.1[a])
    }

    fn sqr(&mut self, a: At) -> At {
        self.keep(self.1[a].sqr())
    }

    fn half(&mut self, a: At) -> At {
        self.keep(self.1[a].half())
    }

    fn inv(&mut self, a: At) -> At {
        self.keep(self.1[a].inv())
    }

    fn sqrt(&mut self, a: At) -> Option<At> {
        self.1[a].sqrt().map(|root| self.keep(root))
    }

    fn mul_small(&mut self, a: At, k: u32) -> At {
        self.keep(self.1[a].mul_small(k))
    }

    fn pow(&mut self, a: At, exponent: &[Limb]) -> At {
        self.keep(self.1[a].pow(exponent))
    }

    fn add(&mut self, a: At, b: At) -> At {
        self.keep(self.1[a] + self.1[b])
    }

    fn sub(&mut self, a: At, b: At) -> At {
        self.keep(self.1[a] - self.1[b])
    }

    fn mul(&mut self, a: At, b: At) -> At {
        self.keep(self.1[a] * self.1[b])
    }

    fn equals(&self, a: At, b: At) -> Limb {
        let equal = self.1[a].equals(&self.1[b]);
        assert_eq!(self.1[a] == self.1[b], equal == 1);
        equal
    }

    fn invert_batch(&mut self, all: &[At]) -> Vec<At> {
        let mut batch: Vec<_> = all.iter().map(|a| self.1[*a]).collect();
        invert_batch(&mut batch);
        batch.into_iter().map(|a| self.keep(a)).collect()
    }
}

/// Structured elements, and their unreduced sums and differences, against the oracle.
fn compare(f: &mut dyn Elements) {
    let p = f.prime();
    assert!(p.is_prime(), "{}", f.name());
    let numbers = structured(p.bits(), &p);
    let is = |f: &dyn Elements, a: At, x: &Num, what: &str| {
        assert_eq!(f.write(a), x.rem(&p), "{}: {what}", f.name());
    };
    let minus = |x: &Num| p.sub(&x.rem(&p));
    let one = f.read(&Num::one());
    let zero = f.read(&Num::zero());
    let all: Vec<At> = numbers.iter().map(|x| f.read(x)).collect();
    for (x, &a) in numbers.iter().zip(&all) {
        is(f, a, x, "encoding");
        let r = f.neg(a);
        is(f, r, &minus(x), "-a");
        let square = f.sqr(a);
        is(f, square, &x.sqr(), "a^2");
        let half = f.half(a);
        let r = f.add(half, half);
        is(f, r, x, "a/2");
        let r = f.mul_small(a, u32::MAX);
        is(
            f,
            r,
            &x.mul(&Num::from(u64::from(u32::MAX))),
            "small product",
        );
        let inverse = f.inv(a);
        let r = f.mul(inverse, a);
        assert_eq!(f.equals(r, if x.is_zero() { zero } else { one }), 1);
        let root = f.sqrt(square).expect("a square");
        let r = f.neg(a);
        assert_eq!(f.equals(root, a) | f.equals(root, r), 1);
        let euler = x.pow_mod(&p.shr(1), &p);
        assert_eq!(f.sqrt(a).is_some(), euler <= Num::one(), "{}", f.name());
        let e = [x.low_limbs(1)[0], 3];
        let r = f.pow(a, &e);
        is(f, r, &x.pow_mod(&Num::from_limbs(&e), &p), "power");
    }
    for (x, &a) in numbers.iter().zip(&all) {
        for (y, &b) in numbers.iter().zip(&all) {
            let r = f.add(a, b);
            is(f, r, &x.add(y), "a + b");
            // Representations at and above the prime.
            let (c, z) = (f.sub(a, b), x.add(&minus(y)));
            is(f, c, &z, "a - b");
            let r = f.mul(a, b);
            is(f, r, &x.mul(y), "a b");
            let r = f.add(c, c);
            let r = f.add(r, c);
            let (s, t) = (f.sub(r, a), z.add(&z).add(&z).add(&minus(x)));
            let r = f.mul(s, c);
            is(f, r, &t.mul(&z), "(3(a - b) - a)(a - b)");
            let r = f.sqr(s);
            is(f, r, &t.sqr(), "(3(a - b) - a)^2");
            let half = f.half(s);
            let r = f.add(half, half);
            is(f, r, &t, "(3(a - b) - a)/2");
            assert_eq!(f.equals(a, b), (x == y).into());
        }
    }
    for (inverse, &a) in f.invert_batch(&all).into_iter().zip(&all) {
        let expected = f.inv(a);
        assert_eq!(f.equals(inverse, expected), 1);
    }
}

/// Compares a field with the oracle by every multiplication, and reads encodings of no element.
fn check<F: Field>() {
    compare(&mut Kept::<F, _>(Portable, vec![]));
    #[cfg(target_arch = "x86_64")]
    match MulxAdx::new(Cpu::native()) {
        Some(m) => compare(&mut Kept::<F, _>(m, vec![])),
        None => println!("SKIPPED: no bmi2 and adx on this processor"),
    }
    #[cfg(target_arch = "x86_64")]
    match Ifma512::new(Cpu::native()) {
        Some(m) => compare(&mut Kept::<F, _>(m, vec![])),
        None => println!("SKIPPED: no avx512ifma on this processor"),
    }
    // A number not below the prime is no element.
    let p = Num::from_limbs(&F::Residue::MODULUS);
    let bits = 8 * F::ZERO_BYTES.as_ref().len();
    let all_ones = Num::one().shl(bits).sub(&Num::one());
    for x in [p.clone(), p.add(&Num::one()), all_ones] {
        let limbs = x.to_limbs(bits.div_ceil(64));
        let mut bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        bytes.truncate(bits / 8);
        assert_eq!(Fe::<F>::from_le_bytes(&bytes), None);
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        assert_eq!(Fe::<F>::from_be_bytes(&reversed), None);
    }
    assert_eq!(Fe::<F>::from_le_bytes(&[0; 7]), None);
    assert_eq!(Fe::<F>::from_be_bytes(&[0; 7]), None);
    let random = [(); 2].map(|()| Fe::<F>::random(&mut UnwrapErr(SysRng)));
    assert_ne!(random[0], random[1]);
    let bytes = random[0].to_be_bytes();
    assert_eq!(Fe::from_be_bytes(bytes.as_ref()), Some(random[0]));
}

/// Checks the prime of each preset, alone and in lanes.
struct Presets(usize);

impl Visitor for Presets {
    fn visit<F: Field>(&mut self, w: usize, c: u64)
    where
        F::Residue: InLanes,
    {
        let declared = Num::one().shl(w).sub(&Num::from(c));
        assert_eq!(
            Num::from_limbs(&F::Residue::MODULUS),
            declared,
            "{}",
            F::NAME
        );
        check::<F>();
        compare_lanes::<F>();
        self.0 += 1;
    }
}

#[test]
fn every_preset_is_its_field() {
    let mut presets = Presets(0);
    visit_presets(&mut presets);
    assert!(presets.0 >= 6);
}

macro_rules! fields {
    ($($test:ident: $field:ty;)*) => {$(
        #[test]
        fn $test() {
            check::<$field>();
        }
    )*};
}

carrysave_arith::crandall_field! {
    /// The largest c for which the number is a prime, which leaves no headroom in the folding.
    pub struct Largest127 = 2^127 - 9_223_372_036_854_775_729;
    /// The largest for 128 bits.
    pub struct Largest128 = 2^128 - 9_223_372_036_854_775_779;
    /// The largest for 255 bits.
    pub struct Largest255 = 2^255 - 9_223_372_036_854_775_701;
    /// The largest for 256 bits.
    pub struct Largest256 = 2^256 - 9_223_372_036_854_775_509;
    /// The largest whose double has 62 bits.
    pub struct Long127 = 2^127 - 2_305_843_009_213_693_951;
    /// The largest of 62 bits.
    pub struct Long128 = 2^128 - 4_611_686_018_427_387_839;
    /// The largest c whose double has 62 bits, for 255 bits.
    pub struct Long255 = 2^255 - 2_305_843_009_213_693_941;
    /// The largest c of 62 bits, for 256 bits.
    pub struct Long256 = 2^256 - 4_611_686_018_427_387_443;
    /// The largest whose double has 32 bits.
    pub struct Short127 = 2^127 - 2_147_483_617;
    /// The largest of 32 bits.
    pub struct Short128 = 2^128 - 4_294_967_265;
    /// The largest c whose double has 32 bits, for 255 bits.
    pub struct Short255 = 2^255 - 2_147_483_637;
    /// The largest c of 32 bits, for 256 bits.
    pub struct Short256 = 2^256 - 4_294_966_889;
}

carrysave_arith::prime_field! {
    /// The field of P-256, in Montgomery form.
    pub struct Montgomery256 = "p of P-256", 4 limbs, 32 bytes,
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
    /// A prime of 128 bits, whose sums carry, in Montgomery form.
    pub struct Montgomery128 = "2^128 - 159", 2 limbs, 16 bytes, "ffffffffffffffffffffffffffffff61";
}

fields! {
    the_field_of_the_largest_c_for_127: Largest127;
    the_field_of_the_largest_c_for_128: Largest128;
    the_field_of_the_largest_c_for_255: Largest255;
    the_field_of_the_largest_c_for_256: Largest256;
    a_long_c_for_127: Long127;
    a_long_c_for_128: Long128;
    a_long_c_for_255: Long255;
    a_long_c_for_256: Long256;
    a_short_c_for_127: Short127;
    a_short_c_for_128: Short128;
    a_short_c_for_255: Short255;
    a_short_c_for_256: Short256;
    the_field_of_curve448: Curve448Field;
    a_montgomery_field_of_256_bits: Montgomery256;
    a_montgomery_field_of_128_bits: Montgomery128;
    the_field_of_p_256: P256Field;
    the_field_of_p_384: P384Field;
    the_field_of_p_521: P521Field;
    the_field_of_p_521_in_digits: P521Digits;
}

/// Compares structured elements in the lanes of every kind of vector with single ones.
fn compare_lanes<F: Field>()
where
    F::Residue: InLanes,
{
    let p = Num::from_limbs(&F::Residue::MODULUS);
    let numbers = structured(F::Residue::BITS, &p);
    let all: Vec<Fe<F>> = (numbers.iter())
        .map(|x| Fe::from_le_bytes(bytes::<F>(x).as_ref()).expect("below p"))
        .collect();
    for vectors in Vectors::all(Cpu::native()) {
        let is = |batch: &FeBatch<F>, expected: &dyn Fn(usize) -> Fe<F>, what: &str| {
            for (i, element) in batch.to_elements().into_iter().enumerate() {
                let place = format!("{} on {vectors:?}: {what} at {i}", F::NAME);
                assert_eq!(element, expected(i), "{place}");
            }
        };
        let a = FeBatch::on(vectors, &all);
        assert_eq!(a.len(), all.len());
        is(&a, &|i| all[i], "encoding");
        let one = |f: fn(&mut FeBatch<F>)| {
            let mut r = a.clone();
            f(&mut r);
            r
        };
        is(&one(FeBatch::sqr), &|i| all[i].sqr(), "a^2");
        is(&one(FeBatch::neg), &|i| -all[i], "-a");
        is(
            &one(|a| a.mul_small(u32::MAX)),
            &|i| all[i].mul_small(u32::MAX),
            "small product",
        );
        for len in [1, 8, all.len()] {
            let mut inverses = FeBatch::on(vectors, &all[..len]);
            inverses.inv();
            is(&inverses, &|i| all[i].inv(), "1 / a");
        }
        // A difference of equals is 0, also where its digits are not; others in its lane have their inverses.
        let mut others = all.clone();
        others.rotate_left(1);
        others[0] = all[0];
        let mut inverses = a.clone();
        inverses.sub(&FeBatch::on(vectors, &others));
        inverses.inv();
        is(&inverses, &|i| (all[i] - others[i]).inv(), "1 / (a - b)");
        for shift in 0..all.len() {
            let mut others = all.clone();
            others.rotate_left(shift);
            let b = FeBatch::on(vectors, &others);
            let with = |f: fn(&mut FeBatch<F>, &FeBatch<F>)| {
                let mut r = a.clone();
                f(&mut r, &b);
                r
            };
            is(&with(FeBatch::add), &|i| all[i] + others[i], "a + b");
            is(&with(FeBatch::mul), &|i| all[i] * others[i], "a b");
            let difference = with(FeBatch::sub);
            is(&difference, &|i| all[i] - others[i], "a - b");
            // Representations at and above the prime.
            let mut sum = difference.clone();
            sum.mul_small(3);
            sum.add(&a);
            sum.mul(&difference);
            sum.sqr();
            let expected = |i: usize| {
                let d = all[i] - others[i];
                ((d.mul_small(3) + all[i]) * d).sqr()
            };
            is(&sum, &expected, "((3(a - b) + a)(a - b))^2");
            let bits: Vec<Limb> = (0..all.len())
                .map(|i| ((i * shift) >> 2 & 1) as Limb)
                .collect();
            let (mut x, mut y) = (a.clone(), b.clone());
            FeBatch::swap(&mut x, &mut y, &bits);
            is(
                &x,
                &|i| Fe::select(&all[i], &others[i], bits[i]),
                "swapped a",
            );
            is(
                &y,
                &|i| Fe::select(&others[i], &all[i], bits[i]),
                "swapped b",
            );
        }
    }
    assert!(
        FeBatch::<F>::new(Cpu::native(), &[])
            .to_elements()
            .is_empty()
    );
}

carrysave_arith::crandall_field! {
    /// The largest c below 2^23 for 127 bits.
    pub struct Lanes127 = 2^127 - 8_388_589;
    /// The largest c below 2^47 for 255 bits.
    pub struct Lanes255 = 2^255 - 140_737_488_355_279;
    /// The largest c below 2^20 for 127 bits, whose product with a quotient of 33 bits has more than a low half.
    pub struct Twenty127 = 2^127 - 1_048_561;
    /// The largest c below 2^20 for 255 bits.
    pub struct Twenty255 = 2^255 - 1_048_521;
    /// The largest c below 2^20 for 256 bits.
    pub struct Twenty256 = 2^256 - 1_048_449;
}

#[test]
fn lanes_do_as_single_elements() {
    compare_lanes::<Lanes127>();
    compare_lanes::<Lanes255>();
    compare_lanes::<Twenty127>();
    compare_lanes::<Twenty255>();
    compare_lanes::<Twenty256>();
}
