//! Vectors of ranges: what lane code makes of all words that operands may have, at once.
//!
//! A word is a range, and an operation gives a range that has all its results (interval arithmetic: Moore, 1966). A sum
//! that leaves 64 bits, signed or not, panics. So lane code that runs to its end on ranges never overflows, whatever the
//! digits are: its bounds are computed, not tried. A range forgets which words of two operands come together, so that a
//! bound may be wider than it need be, and is never too narrow.
//!
//! What is modulo 2^64 on purpose (products of 32 bits, shifts to the left) may be any word. So may its sums be; it has to
//! be masked before anything else is made of it.
//!
//! A range stands for all lanes. No memory is read or written: which range is at an address is noted, by each thread.

use super::{Body, Fma52, Madd52, U64s};
use crate::Limb;
use core::{ops::BitAnd, ptr::without_provenance_mut};
use std::cell::RefCell;

const DIGIT: i128 = (1 << 52) - 1;
const LEAST: i128 = i64::MIN as i128;
const MOST: i128 = i64::MAX as i128;

thread_local! {
    static NOTED: RefCell<Noted> = RefCell::new(Noted::default());
}

#[derive(Default)]
struct Noted {
    operands: Vec<Vec<Range<false>>>,
    /// The largest and the smallest word of a sum.
    reached: (i128, i128),
}

/// A vector of words that are at least `low` and at most `high`, signed. With `NEAREST`, high halves of products are
/// rounded to nearest, as by [`Fma52::SIGNED`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<const NEAREST: bool> {
    low: i128,
    high: i128,
}

/// Whether words have a bit in common, where ranges tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Common(Option<bool>);

impl BitAnd for Common {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Common(match (self.0, other.0) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), both) | (both, Some(true)) => both,
            _ => None,
        })
    }
}

const ZERO: Range<false> = Range { low: 0, high: 0 };

/// The operand that an address is in, and the vector of it that begins there.
fn place(at: *const Limb) -> (usize, usize) {
    (at.addr() >> 32, (at.addr() as u32 / 64) as usize)
}

impl<const NEAREST: bool> Range<NEAREST> {
    fn new(low: i128, high: i128) -> Self {
        assert!(low <= high);
        assert!(
            Self::fits(low, high),
            "words from {low} to {high} leave 64 bits"
        );
        Range { low, high }
    }

    /// Whether numbers are words, all of them signed or all of them not.
    fn fits(low: i128, high: i128) -> bool {
        LEAST <= low && high <= MOST || 0 <= low && high <= Limb::MAX.into()
    }

    /// The words up to one, which is below 2^63.
    pub fn up_to(word: Limb) -> Self {
        Range::new(0, word.into())
    }

    /// The least and the largest word.
    pub fn ends(self) -> [i128; 2] {
        [self.low, self.high]
    }

    /// Products of words that are not negative, modulo 2^64.
    pub fn times(self, other: Self) -> Self {
        assert!(
            self.low >= 0 && other.low >= 0,
            "a product of negative words"
        );
        Range::modulo(self.low * other.low, self.high * other.high)
    }

    /// Any digit.
    pub fn digit() -> Self {
        Range::new(0, DIGIT)
    }

    /// Whether all are digits.
    pub fn is_digit(self) -> bool {
        self.low >= 0 && self.high <= DIGIT
    }

    /// One word.
    fn only(word: Limb) -> Self {
        Range::new((word as i64).into(), (word as i64).into())
    }

    /// Any word.
    const ANY: Self = Range {
        low: LEAST,
        high: MOST,
    };

    /// A range of words that are not just any.
    fn known(self) -> Self {
        assert!(self != Self::ANY, "a word modulo 2^64 is not masked");
        self
    }

    /// These numbers, or any word where they are no words.
    fn modulo(low: i128, high: i128) -> Self {
        match Self::fits(low, high) {
            true => Range { low, high },
            false => Self::ANY,
        }
    }

    fn is_only(self) -> bool {
        self.low == self.high
    }

    /// The sum of two, whose words are noted.
    fn plus(self, other: Self) -> Self {
        if self == Self::ANY || other == Self::ANY {
            return Self::ANY;
        }
        let (low, high) = (self.low + other.low, self.high + other.high);
        NOTED.with_borrow_mut(|noted| {
            noted.reached = (noted.reached.0.min(low), noted.reached.1.max(high));
        });
        Range::new(low, high)
    }

    /// What both have, and what is between.
    fn hull(self, other: Self) -> Self {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The low 52 bits.
    fn low_bits(self) -> Self {
        match self.is_digit() {
            true => self,
            false => Range::digit(),
        }
    }

    /// All numbers with as many bits as the larger one of two has.
    fn bits_of(self, other: Self) -> Self {
        match self.low.min(other.low) < 0 {
            true => Self::ANY,
            false => {
                let bits = 128 - self.high.max(other.high).leading_zeros();
                Range::new(0, (1 << bits) - 1)
            }
        }
    }

    /// The halves of a product of digits.
    fn product(self, other: Self) -> [Self; 2] {
        let (x, y) = (self.low_bits(), other.low_bits());
        let (least, most) = (x.low * y.low, x.high * y.high);
        if NEAREST {
            let half = 1 << 51;
            let high = Range::new((least + half) >> 52, (most + half) >> 52);
            return [Range::new(-half, half), high];
        }
        let low = match least == most {
            true => Range::new(least & DIGIT, least & DIGIT),
            false => Range::new(0, most.min(DIGIT)),
        };
        [low, Range::new(least >> 52, most >> 52)]
    }

    /// The address of an operand of less than 2^32 bytes, where only ranges are: a small number for each.
    pub fn operand(number: usize) -> *mut Limb {
        without_provenance_mut(number << 32)
    }

    /// Notes this range at an address in an operand.
    pub fn place(self, at: *const Limb) {
        let Range { low, high } = self;
        let (operand, word) = place(at);
        NOTED.with_borrow_mut(|noted| {
            if noted.operands.len() <= operand {
                noted.operands.resize(operand + 1, Vec::new());
            }
            let words = &mut noted.operands[operand];
            if words.len() <= word {
                words.resize(word + 1, ZERO);
            }
            words[word] = Range { low, high };
        });
    }

    /// The range that was noted at an address, of no words but 0 where none was.
    pub fn noted(at: *const Limb) -> Self {
        let (operand, word) = place(at);
        NOTED.with_borrow(|noted| {
            let words = noted.operands.get(operand);
            let &Range { low, high } = words.and_then(|words| words.get(word)).unwrap_or(&ZERO);
            Range { low, high }
        })
    }

    /// The smallest and the largest sum of `run`, after which nothing is noted.
    pub fn reached(run: impl FnOnce()) -> (i128, i128) {
        NOTED.with_borrow_mut(|noted| noted.reached = (0, 0));
        run();
        NOTED.take().reached
    }
}

// SAFETY, of every method: ranges need nothing; of addresses, the caller's.

impl<const NEAREST: bool> U64s for Range<NEAREST> {
    const LANES: usize = 8;
    const IN_REGISTERS: bool = false;
    type Mask = Common;

    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    unsafe fn load(from: *const Limb) -> Self {
        Range::noted(from)
    }

    unsafe fn store(self, to: *mut Limb) {
        self.known().place(to);
    }

    unsafe fn splat(word: Limb) -> Self {
        Range::only(word)
    }

    unsafe fn zero() -> Self {
        Range::only(0)
    }

    unsafe fn add(self, other: Self) -> Self {
        self.plus(other)
    }

    unsafe fn sub(self, other: Self) -> Self {
        let negative = match other == Self::ANY {
            true => other,
            false => Range::new(-other.high, -other.low),
        };
        self.plus(negative)
    }

    unsafe fn and(self, other: Self) -> Self {
        match (self.low >= 0, other.low >= 0) {
            _ if self.is_only() && other.is_only() => {
                Range::only(self.low as Limb & other.low as Limb)
            }
            // A mask of the lowest bits.
            (true, true)
                if other.is_only()
                    && other.high & (other.high + 1) == 0
                    && self.high <= other.high =>
            {
                self
            }
            (true, true) => Range::new(0, self.high.min(other.high)),
            (true, false) => Range::new(0, self.high),
            (false, true) => Range::new(0, other.high),
            (false, false) => Self::ANY,
        }
    }

    unsafe fn or(self, other: Self) -> Self {
        match self.is_only() && other.is_only() {
            true => Range::only(self.low as Limb | other.low as Limb),
            false => self.bits_of(other),
        }
    }

    unsafe fn xor(self, other: Self) -> Self {
        match self.is_only() && other.is_only() {
            true => Range::only(self.low as Limb ^ other.low as Limb),
            false => self.bits_of(other),
        }
    }

    unsafe fn shl(self, bits: u32) -> Self {
        Range::modulo(self.low << bits, self.high << bits)
    }

    unsafe fn shr(self, bits: u32) -> Self {
        let Range { low, high } = self.known();
        match low < 0 && bits > 0 {
            true => Range::new(0, (Limb::MAX >> bits).into()),
            false => Range::new(low >> bits, high >> bits),
        }
    }

    unsafe fn sar(self, bits: u32) -> Self {
        let Range { low, high } = self.known();
        assert!(high <= MOST, "a word of 64 bits is shifted as signed");
        Range::new(low >> bits, high >> bits)
    }

    unsafe fn rotl(self, _: u32) -> Self {
        Self::ANY
    }

    unsafe fn test(self, other: Self) -> Common {
        let zero = |x: Self| x.is_only() && x.low == 0;
        Common(match self.is_only() && other.is_only() {
            true => Some(self.low as Limb & other.low as Limb != 0),
            false => (zero(self) || zero(other)).then_some(false),
        })
    }

    unsafe fn select(mask: Common, yes: Self, no: Self) -> Self {
        match mask.0 {
            Some(true) => yes,
            Some(false) => no,
            None => yes.known().hull(no.known()),
        }
    }

    fn within(self, bits: u32) -> bool {
        -(1 << bits) <= self.low && self.high < 1 << bits
    }
}

impl<const NEAREST: bool> Madd52 for Range<NEAREST> {
    unsafe fn run_madd52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    unsafe fn lo(self, x: Self, y: Self) -> Self {
        self.plus(x.product(y)[0])
    }

    unsafe fn hi(self, x: Self, y: Self) -> Self {
        self.plus(x.product(y)[1])
    }
}

/// Without the exponents that sums get of floating-point numbers: what they add is known, and is taken away.
impl<const NEAREST: bool> Fma52 for Range<NEAREST> {
    type Number = Self;
    const SIGNED: bool = NEAREST;
    const SURPLUS: [Limb; 2] = [0; 2];

    unsafe fn run_fma52<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    unsafe fn number(self) -> Self {
        assert!(self.is_digit(), "{self:?} is no range of digits");
        self
    }

    unsafe fn number_of(digit: Limb) -> Self {
        Range::only(digit)
    }

    unsafe fn spread_number(from: *const Limb) -> Self {
        Range::noted(from)
    }

    unsafe fn load_number(from: *const Limb) -> Self {
        Range::noted(from)
    }

    unsafe fn store_number(number: Self, to: *mut Limb) {
        number.place(to);
    }

    unsafe fn halves(x: Self, y: Self) -> [Self; 2] {
        x.product(y)
    }

    unsafe fn high(x: Self, y: *const Limb) -> Self {
        x.product(Range::noted(y))[1]
    }

    unsafe fn small(x: Self, y: Self) -> Self {
        let (least, most) = (x.low * y.low, x.high * y.high);
        assert!(
            0 <= least && most < 1 << 51,
            "a product has more than 51 bits"
        );
        Range::new(least, most)
    }

    unsafe fn mac(low: &mut Self, high: &mut Self, x: Self, y: *const Limb) {
        let [l, h] = x.product(Range::noted(y));
        (*low, *high) = (low.plus(l), high.plus(h));
    }

    unsafe fn mul32(self, other: Self) -> Self {
        let low = |x: Self| match 0 <= x.low && x.high >> 32 == 0 {
            true => x,
            false => Range::new(0, (1 << 32) - 1),
        };
        let (x, y) = (low(self), low(other));
        // What is made of them is modulo 2^64 from 63 bits on.
        match x.high * y.high <= MOST {
            true => Range::new(x.low * y.low, x.high * y.high),
            false => Self::ANY,
        }
    }
}

/// Every result of an operation on some words of two ranges is in the range that the operation gives.
#[test]
fn results_are_in_range() {
    use super::Words;
    type R = Range<false>;
    let ends = [
        0,
        1,
        5,
        1 << 51,
        DIGIT,
        DIGIT + 1,
        1 << 60,
        -1,
        -7,
        -(1 << 60),
    ];
    let ranges: Vec<R> = (ends.iter())
        .flat_map(|&low| ends.map(|high| (low, high)))
        .filter(|(low, high)| low <= high)
        .map(|(low, high)| R::new(low, high))
        .collect();
    let samples = |r: R| {
        let inner = [
            0,
            1,
            3,
            DIGIT,
            DIGIT - 1,
            -1,
            1 << 59,
            (r.low + r.high) >> 1,
        ];
        inner
            .map(|x| x.clamp(r.low, r.high))
            .into_iter()
            .chain([r.low, r.high])
    };
    type Both = (fn(R, R) -> R, fn(Words<1>, Words<1>) -> Words<1>);
    macro_rules! both {
        ($($x:ident $y:ident: $e:expr;)*) => {[$((
            |$x, $y| {
                // SAFETY: ranges need nothing.
                unsafe { $e }
            },
            |$x, $y| {
                // SAFETY: plain words need nothing.
                unsafe { $e }
            },
        )),*]};
    }
    let operations: [Both; _] = both! {
        x y: x.add(y);
        x y: x.sub(y);
        x y: x.and(y);
        x y: x.or(y);
        x y: x.xor(y);
        x y: x.lo(x, y);
        x y: y.hi(x, y);
        x y: x.sar(52).add(y);
        x y: x.shr(12).xor(y);
        x y: x.mul32(y).add(x).and(y);
        x y: x.shr(9).shl(5).or(y);
        x y: x.shl(30).sub(y).and(y);
        x y: U64s::select(x.test(y), x, y);
    };
    for (i, (on_ranges, on_words)) in operations.into_iter().enumerate() {
        for &a in &ranges {
            for &b in &ranges {
                let r = on_ranges(a, b);
                for x in samples(a) {
                    for y in samples(b) {
                        let word = on_words(Words([x as Limb]), Words([y as Limb]));
                        let word = i128::from(word.0[0] as i64);
                        assert!(
                            r.low <= word && word <= r.high,
                            "{i}: {a:?} {b:?}: {x} {y}: {word}"
                        );
                    }
                }
            }
        }
    }
}

/// A sum of one half more than 63 bits have room for is noticed.
#[test]
#[should_panic = "leave 64 bits"]
fn a_sum_that_overflows_is_noticed() {
    let mut sum = Range::<false>::only(Limb::MAX);
    for _ in 0..1 << 11 {
        sum = sum.plus(Range::digit());
    }
    assert!(sum.within(63), "2^11 digits have room");
    sum.plus(Range::digit()).plus(Range::digit());
}
