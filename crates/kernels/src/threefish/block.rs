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

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Half, Limb, MAX_LANES, Vector};
    use core::arch::x86_64::*;

    // SAFETY, of every intrinsic below: SSE2 is part of the architecture, and whoever has another vector runs where the
    // processor has what it needs.

    /// Two words, by SSE2: a word is rotated by shifting the vector by its number of bits and picking that word.
    #[derive(Clone, Copy)]
    pub struct Sse2(__m128i);

    /// Two words, whose rotations are shifts of AVX2.
    #[derive(Clone, Copy)]
    pub struct Xmm(__m128i);

    /// Four words.
    #[derive(Clone, Copy)]
    pub struct Ymm(__m256i);

    macro_rules! two_words {
        ($V:ident, |$x:ident, $bits:ident| $rotated:expr) => {
            impl Vector for $V {
                const LANES: usize = 2;

                #[inline(always)]
                fn from_words(words: [Limb; MAX_LANES]) -> $V {
                    // SAFETY: see above.
                    $V(unsafe { _mm_set_epi64x(words[1] as i64, words[0] as i64) })
                }

                #[inline(always)]
                fn words(self) -> [Limb; MAX_LANES] {
                    // SAFETY: see above.
                    unsafe {
                        let upper = _mm_unpackhi_epi64(self.0, self.0);
                        [
                            _mm_cvtsi128_si64(self.0) as Limb,
                            _mm_cvtsi128_si64(upper) as Limb,
                            0,
                            0,
                        ]
                    }
                }

                #[inline(always)]
                unsafe fn load<const ALIGNED: bool>(words: *const Limb) -> $V {
                    // SAFETY: as the caller says.
                    $V(unsafe {
                        match ALIGNED {
                            true => _mm_load_si128(words.cast()),
                            false => _mm_loadu_si128(words.cast()),
                        }
                    })
                }

                #[inline(always)]
                fn plus(self, other: $V) -> $V {
                    // SAFETY: see above.
                    $V(unsafe { _mm_add_epi64(self.0, other.0) })
                }

                #[inline(always)]
                fn minus(self, other: $V) -> $V {
                    // SAFETY: see above.
                    $V(unsafe { _mm_sub_epi64(self.0, other.0) })
                }

                #[inline(always)]
                fn xor(self, other: $V) -> $V {
                    // SAFETY: see above.
                    $V(unsafe { _mm_xor_si128(self.0, other.0) })
                }

                #[inline(always)]
                fn rotated_left(self, $bits: [u32; MAX_LANES]) -> $V {
                    let $x = self.0;
                    // SAFETY: see above.
                    $V(unsafe { $rotated })
                }

                #[inline(always)]
                fn pick(half: &Half<$V>, words: [usize; MAX_LANES]) -> $V {
                    let [a, b] = [half[words[0] / 2].0, half[words[1] / 2].0].map(|v| {
                        // SAFETY: see above.
                        unsafe { _mm_castsi128_pd(v) }
                    });
                    // SAFETY: see above.
                    $V(unsafe {
                        _mm_castpd_si128(match (words[0] % 2, words[1] % 2) {
                            (0, 0) => _mm_shuffle_pd::<0b00>(a, b),
                            (1, 0) => _mm_shuffle_pd::<0b01>(a, b),
                            (0, _) => _mm_shuffle_pd::<0b10>(a, b),
                            _ => _mm_shuffle_pd::<0b11>(a, b),
                        })
                    })
                }
            }
        };
    }

    two_words!(Sse2, |x, bits| {
        let [lower, upper] = [bits[0], bits[1]].map(|bits| {
            let left = _mm_sll_epi64(x, _mm_cvtsi32_si128(bits as i32));
            let right = _mm_srl_epi64(x, _mm_cvtsi32_si128(64 - bits as i32));
            _mm_castsi128_pd(_mm_or_si128(left, right))
        });
        _mm_castpd_si128(_mm_move_sd(upper, lower))
    });

    two_words!(Xmm, |x, bits| {
        let left = _mm_set_epi64x(bits[1].into(), bits[0].into());
        let right = _mm_set_epi64x((64 - bits[1]).into(), (64 - bits[0]).into());
        _mm_or_si128(_mm_sllv_epi64(x, left), _mm_srlv_epi64(x, right))
    });

    impl Vector for Ymm {
        const LANES: usize = 4;

        #[inline(always)]
        fn from_words([a, b, c, d]: [Limb; MAX_LANES]) -> Ymm {
            // SAFETY: see above.
            Ymm(unsafe { _mm256_set_epi64x(d as i64, c as i64, b as i64, a as i64) })
        }

        #[inline(always)]
        fn words(self) -> [Limb; MAX_LANES] {
            let mut words = [0; MAX_LANES];
            // SAFETY: see above; four words of room.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
            words
        }

        #[inline(always)]
        unsafe fn load<const ALIGNED: bool>(words: *const Limb) -> Ymm {
            // SAFETY: as the caller says.
            Ymm(unsafe {
                match ALIGNED {
                    true => _mm256_load_si256(words.cast()),
                    false => _mm256_loadu_si256(words.cast()),
                }
            })
        }

        #[inline(always)]
        fn plus(self, other: Ymm) -> Ymm {
            // SAFETY: see above.
            Ymm(unsafe { _mm256_add_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn minus(self, other: Ymm) -> Ymm {
            // SAFETY: see above.
            Ymm(unsafe { _mm256_sub_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn xor(self, other: Ymm) -> Ymm {
            // SAFETY: see above.
            Ymm(unsafe { _mm256_xor_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn rotated_left(self, bits: [u32; MAX_LANES]) -> Ymm {
            let left = Ymm::from_words(bits.map(Limb::from)).0;
            let right = Ymm::from_words(bits.map(|bits| Limb::from(64 - bits))).0;
            // SAFETY: see above.
            Ymm(unsafe {
                _mm256_or_si256(
                    _mm256_sllv_epi64(self.0, left),
                    _mm256_srlv_epi64(self.0, right),
                )
            })
        }

        /// All of one vector, as the halves of eight and of sixteen words want it.
        #[inline(always)]
        fn pick(half: &Half<Ymm>, words: [usize; MAX_LANES]) -> Ymm {
            let x = half[words[0] / 4].0;
            // SAFETY: see above.
            Ymm(unsafe {
                match words.map(|word| word % 4) {
                    [0, 1, 2, 3] => x,
                    [0, 1, 3, 2] => _mm256_permute4x64_epi64::<0b10_11_01_00>(x),
                    [0, 2, 1, 3] => _mm256_permute4x64_epi64::<0b11_01_10_00>(x),
                    [0, 3, 2, 1] => _mm256_permute4x64_epi64::<0b01_10_11_00>(x),
                    [1, 2, 3, 0] => _mm256_permute4x64_epi64::<0b00_11_10_01>(x),
                    [3, 0, 1, 2] => _mm256_permute4x64_epi64::<0b10_01_00_11>(x),
                    [3, 1, 2, 0] => _mm256_permute4x64_epi64::<0b00_10_01_11>(x),
                    _ => unreachable!("no permutation of Threefish"),
                }
            })
        }
    }
}
