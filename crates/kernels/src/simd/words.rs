//! Vectors of plain words: lane code on any machine.

use super::{Across, Body, Fma52, Madd52, Transposed, U64s};
use crate::Limb;
use core::array::from_fn;

/// N words in an array. A mask has bit i for lane i.
#[derive(Clone, Copy)]
pub struct Words<const N: usize>(pub(super) [Limb; N]);

impl<const N: usize> Words<N> {
    #[inline(always)]
    fn map(self, f: impl Fn(Limb) -> Limb) -> Self {
        Words(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(Limb, Limb) -> Limb) -> Self {
        Words(from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn mask(holds: impl Fn(usize) -> bool) -> u8 {
        (0..N).fold(0, |mask, i| mask | u8::from(holds(i)) << i)
    }
}

impl<const N: usize> U64s for Words<N> {
    const LANES: usize = N;
    const IN_REGISTERS: bool = false;
    type Mask = u8;

    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: plain words need nothing; the rest is the caller's.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn load(from: *const Limb) -> Self {
        // SAFETY: as the caller says.
        Words(unsafe { from.cast::<[Limb; N]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Limb) {
        // SAFETY: as the caller says.
        unsafe { to.cast::<[Limb; N]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn splat(word: Limb) -> Self {
        Words([word; N])
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        Words([0; N])
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, Limb::wrapping_add)
    }

    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.zip(other, Limb::wrapping_sub)
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(always)]
    unsafe fn shl(self, bits: u32) -> Self {
        self.map(|a| a << bits)
    }

    #[inline(always)]
    unsafe fn shr(self, bits: u32) -> Self {
        self.map(|a| a >> bits)
    }

    #[inline(always)]
    unsafe fn sar(self, bits: u32) -> Self {
        self.map(|a| (a as i64 >> bits) as Limb)
    }

    #[inline(always)]
    unsafe fn rotl(self, bits: u32) -> Self {
        self.map(|a| a.rotate_left(bits))
    }

    #[inline(always)]
    unsafe fn test(self, other: Self) -> u8 {
        Self::mask(|i| self.0[i] & other.0[i] != 0)
    }

    /// By masks of words, without a branch.
    #[inline(always)]
    unsafe fn select(mask: u8, yes: Self, no: Self) -> Self {
        Words(from_fn(|i| {
            let all = Limb::from(mask >> i & 1).wrapping_neg();
            no.0[i] ^ (yes.0[i] ^ no.0[i]) & all
        }))
    }

    fn within(self, bits: u32) -> bool {
        self.0
            .into_iter()
            .all(|word| matches!(word as i64 >> bits, 0 | -1))
    }
}

impl<const N: usize> Madd52 for Words<N> {
    unsafe fn run_madd52<B: Body<Self>>(body: B) {
        // SAFETY: plain words need nothing; the rest is the caller's.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn lo(self, x: Self, y: Self) -> Self {
        Words(from_fn(|i| lo(self.0[i], x.0[i], y.0[i])))
    }

    #[inline(always)]
    unsafe fn hi(self, x: Self, y: Self) -> Self {
        Words(from_fn(|i| hi(self.0[i], x.0[i], y.0[i])))
    }
}

/// Products of whole numbers: there is no surplus.
impl<const N: usize> Fma52 for Words<N> {
    type Number = Self;
    const SIGNED: bool = false;
    const SURPLUS: [Limb; 2] = [0; 2];

    unsafe fn run_fma52<B: Body<Self>>(body: B) {
        // SAFETY: plain words need nothing; the rest is the caller's.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn number(self) -> Self {
        debug_assert!(
            self.0.iter().all(|&digit| digit <= DIGIT),
            "a digit has more than 52 bits"
        );
        self
    }

    #[inline(always)]
    unsafe fn number_of(digit: Limb) -> Self {
        Words([digit; N])
    }

    #[inline(always)]
    unsafe fn spread_number(from: *const Limb) -> Self {
        // SAFETY: as the caller says.
        Words(unsafe { [*from; N] })
    }

    #[inline(always)]
    unsafe fn load_number(from: *const Limb) -> Self {
        // SAFETY: as the caller says.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn store_number(number: Self, to: *mut Limb) {
        // SAFETY: as the caller says.
        unsafe { number.store(to) }
    }

    #[inline(always)]
    unsafe fn halves(x: Self, y: Self) -> [Self; 2] {
        // SAFETY: plain words need nothing.
        unsafe { [Self::zero().lo(x, y), Self::zero().hi(x, y)] }
    }

    #[inline(always)]
    unsafe fn high(x: Self, y: *const Limb) -> Self {
        // SAFETY: as the caller says.
        unsafe { Self::zero().hi(x, Self::load(y)) }
    }

    #[inline(always)]
    unsafe fn small(x: Self, y: Self) -> Self {
        // SAFETY: plain words need nothing.
        unsafe { Self::zero().lo(x, y) }
    }

    #[inline(always)]
    unsafe fn mac(low: &mut Self, high: &mut Self, x: Self, y: *const Limb) {
        // SAFETY: as the caller says.
        unsafe {
            let y = Self::load(y);
            (*low, *high) = (low.lo(x, y), high.hi(x, y));
        }
    }

    #[inline(always)]
    unsafe fn mul32(self, other: Self) -> Self {
        const LOW: Limb = Limb::MAX >> 32;
        self.zip(other, |a, b| (a & LOW) * (b & LOW))
    }
}

impl<const N: usize> Across for Words<N> {
    type Pair = Words<2>;

    #[inline(always)]
    unsafe fn align<const BY: i32>(above: Self, below: Self) -> Self {
        let by = BY as usize;
        Words(from_fn(|i| match i + by < N {
            true => below.0[i + by],
            false => above.0[i + by - N],
        }))
    }

    #[inline(always)]
    unsafe fn up(here: Self, below: Self) -> Self {
        Words(from_fn(|i| match i {
            0 => below.0[N - 1],
            _ => here.0[i - 1],
        }))
    }

    /// By reading all words.
    #[inline(always)]
    unsafe fn pick(at: Self, low: Self, high: Self) -> Self {
        Words(from_fn(|i| {
            let all = low.0.iter().chain(&high.0).zip(0..);
            let here = at.0[i] % (2 * N as Limb);
            all.fold(0, |found, (word, number)| {
                found | word & Limb::from(number == here).wrapping_neg()
            })
        }))
    }

    #[inline(always)]
    unsafe fn lowest(self) -> Limb {
        self.0[0]
    }

    #[inline(always)]
    unsafe fn two(self) -> [Limb; 2] {
        [self.0[0], self.0[1]]
    }

    #[inline(always)]
    unsafe fn pair(self) -> Words<2> {
        Words([self.0[0], self.0[1]])
    }

    #[inline(always)]
    unsafe fn from_pair(pair: Words<2>) -> Self {
        Words(from_fn(|i| if i < 2 { pair.0[i] } else { 0 }))
    }

    #[inline(always)]
    unsafe fn splat_lower(pair: Words<2>) -> Self {
        Words([pair.0[0]; N])
    }

    #[inline(always)]
    unsafe fn above(self, other: Self) -> u8 {
        Self::mask(|i| self.0[i] > other.0[i])
    }

    #[inline(always)]
    unsafe fn equal(self, other: Self) -> u8 {
        Self::mask(|i| self.0[i] == other.0[i])
    }
}

impl<const N: usize> Transposed for Words<N> {
    #[inline(always)]
    unsafe fn load_blocks(row: impl Fn(usize) -> *const Limb) -> [Self; 4] {
        // SAFETY: four words at each address, as the caller says.
        from_fn(|i| Words(from_fn(|l| unsafe { row(l).add(i).read_unaligned() })))
    }

    #[inline(always)]
    unsafe fn store_blocks<const W: usize>(
        words: &[Self; W],
        r: *mut Limb,
        with: Option<*const Limb>,
    ) {
        for l in 0..N {
            for (i, word) in words.iter().enumerate() {
                let at = W * l + i;
                // SAFETY: W words of each of N blocks, as the caller says.
                unsafe {
                    let with = with.map_or(0, |with| with.add(at).read_unaligned());
                    r.add(at).write_unaligned(word.0[l] ^ with);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        self.map(Limb::swap_bytes)
    }
}

const DIGIT: Limb = (1 << 52) - 1;

// Functions of their own, so that a loop that an array of registers needs in one piece is not long for words.

/// `sum` plus the low half of a product.
#[inline(never)]
fn lo(sum: Limb, x: Limb, y: Limb) -> Limb {
    more(sum, product(x, y) as Limb & DIGIT)
}

/// `sum` plus the high half of a product.
#[inline(never)]
fn hi(sum: Limb, x: Limb, y: Limb) -> Limb {
    more(sum, (product(x, y) >> 52) as Limb)
}

/// The product of the low 52 bits of two words.
#[inline(always)]
fn product(x: Limb, y: Limb) -> u128 {
    u128::from(x & DIGIT) * u128::from(y & DIGIT)
}

/// `sum` plus a half of a product. A word may be signed, so a sum must not pass 2^63.
#[inline(always)]
fn more(sum: Limb, half: Limb) -> Limb {
    debug_assert!(
        (sum as i64).checked_add(half as i64).is_some(),
        "a sum has no room for another half of a product"
    );
    sum.wrapping_add(half)
}
