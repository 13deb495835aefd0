//! One block at a time, all subkeys made before the first or each where it is added: as the first programs did it. For
//! comparison.
//!
//! Words with even numbers stand in one half, those with odd numbers in the other, in vectors of one word or of several.
//! A mix then is an addition, rotations and an exclusive or of halves, and after each round the words of a half change
//! places.

use super::{
    MAX_WORDS,
    rounds::{Key, Tables, Word, count, in_turn, key, read, write},
};
use crate::{Limb, wipe};
use core::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

/// Neighbouring words of a half.
pub(super) trait Vector: Copy {
    const LANES: usize;
    /// A vector of these words, as many as it has lanes.
    fn from_words(words: [Limb; MAX_LANES]) -> Self;
    /// Back into words.
    fn words(self) -> [Limb; MAX_LANES];
    /// From memory.
    unsafe fn load<const ALIGNED: bool>(words: *const Limb) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Each word by a number of bits of its own, between 1 and 63.
    fn rotated_left(self, bits: [u32; MAX_LANES]) -> Self;
    /// The vector of these words of a half. The numbers are constants, once all is inlined.
    fn pick(half: &Half<Self>, words: [usize; MAX_LANES]) -> Self;
}

/// The most words of a vector.
pub(super) const MAX_LANES: usize = 4;
/// Of which as many vectors are used as the block has.
pub(super) type Half<V> = [V; MAX_WORDS / 2];
/// The most subkeys.
const SUBKEYS: usize = 21;

/// All subkeys without their tweaks, the even words of each before the odd ones, and room to begin at an odd place.
#[repr(align(64))]
struct Schedule([Limb; SUBKEYS * MAX_WORDS + 1]);

impl Schedule {
    #[inline(always)]
    fn new<const W: usize>(key: &Key<W>, offset: usize) -> Schedule {
        let mut words = [0; SUBKEYS * MAX_WORDS + 1];
        for s in 0..=count(W) / 4 {
            let subkey = &mut words[offset + s * W..][..W];
            for i in 0..W {
                subkey[i % 2 * (W / 2) + i / 2] = key.word(s + i);
            }
            subkey[W - 1] = subkey[W - 1].wrapping_add(s as Limb);
        }
        Schedule(words)
    }
}

/// Subkeys without their tweaks, a vector of each at a time.
trait Subkeys<V: Vector, const W: usize> {
    /// Whether they are faster where the rounds are written out, so that all numbers are constants.
    const WRITTEN_OUT: bool;
    /// Vector v of the even words of subkey s, or of the odd ones.
    fn vector(&self, s: usize, odd: usize, v: usize) -> V;
}

/// Those of a schedule, which begins here; they are aligned, or are not.
struct Beforehand<const ALIGNED: bool>(*const Limb);

impl<V: Vector, const W: usize, const ALIGNED: bool> Subkeys<V, W> for Beforehand<ALIGNED> {
    const WRITTEN_OUT: bool = false;

    #[inline(always)]
    fn vector(&self, s: usize, odd: usize, v: usize) -> V {
        let at = s * W + odd * (W / 2) + v * V::LANES;
        // SAFETY: subkey s is there: W words from s * W on; they are aligned if `ALIGNED` says so.
        unsafe { V::load::<ALIGNED>(self.0.add(at)) }
    }
}

/// The most vectors of words of the key.
const WINDOWS: usize = SUBKEYS + MAX_WORDS;

/// Words of the key, every second one from each on, a vector full: a subkey is some of these vectors, and its number is added
/// to the last.
struct OnTheFly<V>([V; WINDOWS]);

impl<V: Vector> OnTheFly<V> {
    #[inline(always)]
    fn new<const W: usize>(key: &Key<W>) -> Self {
        let mut windows = [V::from_words([0; MAX_LANES]); WINDOWS];
        for (first, window) in windows.iter_mut().enumerate().take(W + 1) {
            *window = V::from_words(lanes(|i| key.word(first + 2 * i)));
        }
        for first in W + 1..WINDOWS {
            windows[first] = windows[first - W - 1];
        }
        OnTheFly(windows)
    }
}

impl<V: Vector, const W: usize> Subkeys<V, W> for OnTheFly<V> {
    // Registers hold as many vectors as four words have.
    const WRITTEN_OUT: bool = W == 4;

    #[inline(always)]
    fn vector(&self, s: usize, odd: usize, v: usize) -> V {
        let words = self.0[s + odd + 2 * v * V::LANES];
        match (odd, (v + 1) * V::LANES == W / 2) {
            (1, true) => {
                let last = V::LANES - 1;
                words.plus(V::from_words(lanes(
                    |i| if i == last { s as Limb } else { 0 },
                )))
            }
            _ => words,
        }
    }
}

/// Numbers for each lane. Written out, as a loop each time would take long to compile.
#[inline(always)]
fn lanes<T>(f: impl Fn(usize) -> T) -> [T; MAX_LANES] {
    [f(0), f(1), f(2), f(3)]
}

/// The places within a half: which word comes to place i of the even ones, or of the odd ones, after a round; or back.
const fn places<const W: usize>(odd: usize, back: bool) -> [usize; MAX_WORDS / 2] {
    let mut places = [0; MAX_WORDS / 2];
    let mut i = 0;
    while i < W / 2 {
        let from = Tables::<W>::SOURCE[2 * i + odd] / 2;
        if back {
            places[from] = i;
        } else {
            places[i] = from;
        }
        i += 1;
    }
    places
}

struct Places<const W: usize>;

impl<const W: usize> Places<W> {
    const FORTH: [[usize; MAX_WORDS / 2]; 2] = [places::<W>(0, false), places::<W>(1, false)];
    const BACK: [[usize; MAX_WORDS / 2]; 2] = [places::<W>(0, true), places::<W>(1, true)];
}

#[inline(always)]
fn moved<const W: usize, V: Vector>(half: &Half<V>, places: &[usize; MAX_WORDS / 2]) -> Half<V> {
    let mut to = *half;
    for v in 0..W / 2 / V::LANES {
        to[v] = V::pick(half, lanes(|i| places[(v * V::LANES + i) % (W / 2)]));
    }
    to
}

/// By how many bits words are rotated.
trait Rotations {
    /// The rotation of pair j in round d modulo 8.
    const OF: [[u32; MAX_WORDS / 2]; 8];
}

/// Those of Skein 1.2 and 1.3, for blocks of W words.
struct Present<const W: usize>;

impl<const W: usize> Rotations for Present<W> {
    const OF: [[u32; MAX_WORDS / 2]; 8] = Tables::<W>::ROTATION;
}

/// Those of Skein 1.1, for blocks of four words.
struct V1_1;

impl Rotations for V1_1 {
    const OF: [[u32; MAX_WORDS / 2]; 8] = [
        [5, 56, 0, 0, 0, 0, 0, 0],
        [36, 28, 0, 0, 0, 0, 0, 0],
        [13, 46, 0, 0, 0, 0, 0, 0],
        [58, 44, 0, 0, 0, 0, 0, 0],
        [26, 20, 0, 0, 0, 0, 0, 0],
        [53, 35, 0, 0, 0, 0, 0, 0],
        [11, 42, 0, 0, 0, 0, 0, 0],
        [59, 50, 0, 0, 0, 0, 0, 0],
    ];
}

/// Those of a vector of odd words in round d.
#[inline(always)]
fn rotations<const W: usize, V: Vector, R: Rotations>(
    d: usize,
    v: usize,
    back: bool,
) -> [u32; MAX_LANES] {
    lanes(|i| {
        let bits = R::OF[d][(v * V::LANES + i) % (W / 2)];
        if back { 64 - bits } else { bits }
    })
}

#[inline(always)]
fn round<const W: usize, V: Vector, R: Rotations>([even, odd]: &mut [Half<V>; 2], d: usize) {
    for v in 0..W / 2 / V::LANES {
        even[v] = even[v].plus(odd[v]);
        odd[v] = odd[v]
            .rotated_left(rotations::<W, V, R>(d, v, false))
            .xor(even[v]);
    }
    *even = moved::<W, V>(even, &Places::<W>::FORTH[0]);
    *odd = moved::<W, V>(odd, &Places::<W>::FORTH[1]);
}

#[inline(always)]
fn round_back<const W: usize, V: Vector, R: Rotations>([even, odd]: &mut [Half<V>; 2], d: usize) {
    *even = moved::<W, V>(even, &Places::<W>::BACK[0]);
    *odd = moved::<W, V>(odd, &Places::<W>::BACK[1]);
    for v in 0..W / 2 / V::LANES {
        odd[v] = odd[v]
            .xor(even[v])
            .rotated_left(rotations::<W, V, R>(d, v, true));
        even[v] = even[v].minus(odd[v]);
    }
}

/// Four rounds from d on, each written out.
#[inline(always)]
fn four_rounds<const W: usize, V: Vector, R: Rotations>(halves: &mut [Half<V>; 2], d: usize) {
    round::<W, V, R>(halves, d);
    round::<W, V, R>(halves, d + 1);
    round::<W, V, R>(halves, d + 2);
    round::<W, V, R>(halves, d + 3);
}

#[inline(always)]
fn four_rounds_back<const W: usize, V: Vector, R: Rotations>(halves: &mut [Half<V>; 2], d: usize) {
    round_back::<W, V, R>(halves, d + 3);
    round_back::<W, V, R>(halves, d + 2);
    round_back::<W, V, R>(halves, d + 1);
    round_back::<W, V, R>(halves, d);
}

/// A block on its way.
struct State<'a, const W: usize, V, K, R> {
    halves: [Half<V>; 2],
    subkeys: &'a K,
    /// The words of the tweak where they are added to the last vector of a half, and the first ones again.
    tweak: &'a [[V; 5]; 2],
    rotations: PhantomData<R>,
}

impl<const W: usize, V: Vector, K: Subkeys<V, W>, R: Rotations> State<'_, W, V, K, R> {
    /// Does `f` to each vector and the one of the subkey, and of the tweak where there is one.
    #[inline(always)]
    fn inject(&mut self, s: usize, t: usize, f: impl Fn(V, V) -> V) {
        for (odd, half) in self.halves.iter_mut().enumerate() {
            let vectors = W / 2 / V::LANES;
            for (v, x) in half.iter_mut().enumerate().take(vectors) {
                *x = f(*x, self.subkeys.vector(s, odd, v));
            }
            // Tweak word s is added to word W - 3, s + 1 to word W - 2.
            let back = if V::LANES == 1 { odd } else { 0 };
            let last = &mut half[vectors - 1 - back];
            *last = f(*last, self.tweak[odd][t + 1 - odd]);
        }
    }

    /// Eight rounds with the two subkeys before each four, the first with tweak word t.
    #[inline(always)]
    fn eight_rounds(&mut self, s: usize, t: usize) {
        self.inject(s, t, V::plus);
        four_rounds::<W, V, R>(&mut self.halves, 0);
        self.inject(s + 1, t + 1, V::plus);
        four_rounds::<W, V, R>(&mut self.halves, 4);
    }

    /// Their inverse.
    #[inline(always)]
    fn eight_rounds_back(&mut self, s: usize, t: usize) {
        four_rounds_back::<W, V, R>(&mut self.halves, 4);
        self.inject(s + 1, t + 1, V::minus);
        four_rounds_back::<W, V, R>(&mut self.halves, 0);
        self.inject(s, t, V::minus);
    }

    #[inline(always)]
    fn encrypt(&mut self) {
        let last = count(W) / 4;
        if K::WRITTEN_OUT {
            in_turn!(S < last / 2, self.eight_rounds(S, S % 3));
        } else {
            let mut t = 0;
            for s in (0..last).step_by(2) {
                self.eight_rounds(s, t);
                t = if t == 0 { 2 } else { t - 1 };
            }
        }
        self.inject(last, last % 3, V::plus);
    }

    #[inline(always)]
    fn decrypt(&mut self) {
        let last = count(W) / 4;
        self.inject(last, last % 3, V::minus);
        if K::WRITTEN_OUT {
            in_turn!(S > last / 2, self.eight_rounds_back(S, S % 3));
        } else {
            let mut t = last % 3;
            for s in (0..last).step_by(2).rev() {
                t = if t == 2 { 0 } else { t + 1 };
                self.eight_rounds_back(s, t);
            }
        }
    }
}

/// The contract of `threefish_encrypt`, or of `threefish_decrypt`, with vectors S for blocks of four words and V for
/// longer ones; the subkeys are aligned, or are not.
///
/// # Safety
/// That contract; the processor has what the vectors need.
#[inline(always)]
pub(super) unsafe fn code<S: Vector, V: Vector, const ALIGNED: bool, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        match m {
            4 => scheduled::<4, S, Present<4>, ALIGNED, DECRYPT>(r, x, key, t, n, s),
            8 => scheduled::<8, V, Present<8>, ALIGNED, DECRYPT>(r, x, key, t, n, s),
            _ => scheduled::<16, V, Present<16>, ALIGNED, DECRYPT>(r, x, key, t, n, s),
        }
    }
}

/// The contract of `threefish_encrypt`, or of `threefish_decrypt`, each subkey being made where it is added.
///
/// # Safety
/// That contract; the processor has what the vector needs.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn code_on_the_fly<V: Vector, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
    m: usize,
    s: Limb,
) {
    // SAFETY: the same contract.
    unsafe {
        match m {
            4 => on_the_fly::<4, V, Present<4>, DECRYPT>(r, x, key, t, n, s),
            8 => on_the_fly::<8, V, Present<8>, DECRYPT>(r, x, key, t, n, s),
            _ => on_the_fly::<16, V, Present<16>, DECRYPT>(r, x, key, t, n, s),
        }
    }
}

/// The contract of `threefish_v1_1_encrypt`, or of `threefish_v1_1_decrypt`, all subkeys made beforehand; they are aligned, or
/// are not.
///
/// # Safety
/// That contract; the processor has what the vector needs.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn v1_1<V: Vector, const ALIGNED: bool, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
) {
    // SAFETY: the same contract.
    unsafe { scheduled::<4, V, V1_1, ALIGNED, DECRYPT>(r, x, key, t, n, 0) }
}

/// The contract of `threefish_v1_1_encrypt`, or of `threefish_v1_1_decrypt`, each subkey being made where it is added.
///
/// # Safety
/// That contract; the processor has what the vector needs.
#[inline(always)]
pub(super) unsafe fn v1_1_on_the_fly<V: Vector, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    key: *const Limb,
    t: *const Limb,
    n: usize,
) {
    // SAFETY: the same contract.
    unsafe { on_the_fly::<4, V, V1_1, DECRYPT>(r, x, key, t, n, 0) }
}

/// # Safety
/// As `code`, for blocks of W words.
#[inline(always)]
unsafe fn scheduled<
    const W: usize,
    V: Vector,
    R: Rotations,
    const ALIGNED: bool,
    const DECRYPT: bool,
>(
    r: *mut Limb,
    x: *const Limb,
    words: *const Limb,
    t: *const Limb,
    n: usize,
    s: Limb,
) {
    let offset = usize::from(!ALIGNED);
    // SAFETY: W + 1 words of the key; as the caller says.
    unsafe {
        let mut schedule = Schedule::new::<W>(key(words), offset);
        let subkeys = Beforehand::<ALIGNED>(schedule.0.as_ptr().add(offset));
        blocks::<W, V, _, R, DECRYPT>(r, x, &subkeys, t, n, s);
        wipe(&mut schedule.0, 0);
    }
}

/// # Safety
/// As `code_on_the_fly`, for blocks of W words.
#[inline(always)]
unsafe fn on_the_fly<const W: usize, V: Vector, R: Rotations, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    words: *const Limb,
    t: *const Limb,
    n: usize,
    s: Limb,
) {
    // SAFETY: W + 1 words of the key; as the caller says.
    unsafe {
        let mut subkeys = OnTheFly::new::<W>(key(words));
        blocks::<W, V, _, R, DECRYPT>(r, x, &subkeys, t, n, s);
        wipe(&mut subkeys.0, V::from_words([0; MAX_LANES]));
    }
}

/// # Safety
/// The contract, for blocks of W words.
#[inline(always)]
unsafe fn blocks<const W: usize, V: Vector, K: Subkeys<V, W>, R: Rotations, const DECRYPT: bool>(
    r: *mut Limb,
    x: *const Limb,
    subkeys: &K,
    t: *const Limb,
    n: usize,
    s: Limb,
) {
    // SAFETY: two words of the tweak; block i is one of n.
    unsafe {
        let mut t = [*t, *t.add(1)];
        for i in 0..n {
            let x = read::<W>(x.add(W * i));
            let half = |odd: usize| -> Half<V> {
                core::array::from_fn(|v| {
                    V::from_words(lanes(|i| x[(2 * (v * V::LANES + i) + odd) % W]))
                })
            };
            let words = [t[0], t[1], t[0] ^ t[1], t[0], t[1]];
            let place = |lane: usize| {
                words.map(|word| V::from_words(lanes(|i| if i == lane { word } else { 0 })))
            };
            let lane = V::LANES - 1;
            let mut state = State::<W, V, K, R> {
                halves: [half(0), half(1)],
                subkeys,
                tweak: &[place(lane), place(lane.saturating_sub(1))],
                rotations: PhantomData,
            };
            match DECRYPT {
                true => state.decrypt(),
                false => state.encrypt(),
            }
            let [even, odd] = state.halves.map(|half| half.map(|vector| vector.words()));
            let word = |i: usize| {
                let half = if i.is_multiple_of(2) { &even } else { &odd };
                half[i / 2 / V::LANES][i / 2 % V::LANES]
            };
            write::<W>(r.add(W * i), core::array::from_fn(word));
            t[0] = t[0].wrapping_add(s);
        }
    }
}

/// A vector of one word.
impl Vector for Limb {
    const LANES: usize = 1;

    #[inline(always)]
    fn from_words(words: [Limb; MAX_LANES]) -> Limb {
        words[0]
    }

    #[inline(always)]
    fn words(self) -> [Limb; MAX_LANES] {
        [self; MAX_LANES]
    }

    #[inline(always)]
    unsafe fn load<const ALIGNED: bool>(words: *const Limb) -> Limb {
        // SAFETY: as the caller says.
        unsafe { *words }
    }

    #[inline(always)]
    fn plus(self, other: Limb) -> Limb {
        Word::plus(self, other)
    }

    #[inline(always)]
    fn minus(self, other: Limb) -> Limb {
        Word::minus(self, other)
    }

    #[inline(always)]
    fn xor(self, other: Limb) -> Limb {
        Word::xor(self, other)
    }

    #[inline(always)]
    fn rotated_left(self, bits: [u32; MAX_LANES]) -> Limb {
        Word::rotated_left(self, bits[0])
    }

    #[inline(always)]
    fn pick(half: &Half<Limb>, words: [usize; MAX_LANES]) -> Limb {
        half[words[0]]
    }
}
