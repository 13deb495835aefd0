//! IFMA, of AVX-512 or of AVX: `vpmadd52` adds one half of eight products of digits, or of four.

use super::{Lanes, Part, Program, ROWS, Slack, Whole, masks_of_rows, picked_by_masks};
use crate::{
    Cpu, Isa, Limb,
    mb8::{AVX_IFMA, IFMA},
    simd::{self, Across, Madd52, Mul64, Ymm, YmmVl, Zmm},
};
use core::{fmt, marker::PhantomData};

/// Lanes of IFMA in vectors V.
#[derive(Clone, Copy)]
pub struct Ifma<V>(PhantomData<V>);

/// Eight lanes of AVX-512 IFMA.
pub type Ifma512 = Ifma<Zmm>;
/// Four lanes of AVX-512 IFMA.
pub type Ifma256 = Ifma<YmmVl>;
/// Four lanes of AVX-IFMA.
pub type AvxIfma = Ifma<Ymm>;

/// Vectors for [`Ifma`].
pub trait Integers: Mul64 + Madd52 + 'static {
    /// The extensions that they need.
    const NEEDS: Isa;
    /// [`Lanes::Index`].
    type Index;

    /// Runs a program, compiled for them.
    ///
    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    unsafe fn enter<P: Program>(program: P) -> P::Output;

    /// Runs a part of a program, compiled for them.
    ///
    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    unsafe fn part<P: Part<Ifma<Self>>>(part: P) -> P::Output;

    /// [`Lanes::index`].
    fn index(l: Ifma<Self>, numbers: Self) -> Self::Index;
    /// [`Lanes::pick`].
    fn pick(l: Ifma<Self>, column: &[Limb; ROWS], index: &Self::Index) -> Self;
    /// [`Lanes::hidden`].
    fn hidden(masks: Self) -> Self;
}

macro_rules! integers {
    ($V:ident: $needs:expr, $features:literal; $Index:ty, $index:path, $pick:path, $hidden:expr) => {
        impl Integers for $V {
            const NEEDS: Isa = $needs;
            type Index = $Index;

            #[target_feature(enable = $features)]
            unsafe fn enter<P: Program>(program: P) -> P::Output {
                program.run(Ifma::<Self>(PhantomData))
            }

            #[target_feature(enable = $features)]
            #[inline(never)]
            unsafe fn part<P: Part<Ifma<Self>>>(part: P) -> P::Output {
                part.run(Ifma(PhantomData))
            }

            #[inline(always)]
            fn index(l: Ifma<Self>, numbers: Self) -> $Index {
                $index(l, numbers)
            }

            #[inline(always)]
            fn pick(l: Ifma<Self>, column: &[Limb; ROWS], index: &$Index) -> Self {
                $pick(l, column, index)
            }

            #[inline(always)]
            fn hidden(masks: Self) -> Self {
                $hidden(masks)
            }
        }
    };
}
integers! {
    Zmm: AVX512, "avx512f,avx512vl,avx512dq,avx512ifma,bmi2";
    Zmm, as_numbers, picked_by_permutations, core::convert::identity
}
integers! {
    YmmVl: AVX512, "avx512f,avx512vl,avx512dq,avx512ifma,bmi2";
    YmmVl, as_numbers, picked_by_permutations, core::convert::identity
}
// Masks are hidden by way of memory: assembly may name no vector where the compiler does not know that there are some.
integers! {
    Ymm: AVX_IFMA, "avx2,avxifma";
    [Ymm; ROWS], masks_of_rows, picked_by_masks, |masks| *simd::unseen(&masks)
}

/// The extensions that lanes of AVX-512 execute.
const AVX512: Isa = IFMA.and(Isa::AVX512DQ);

#[inline(always)]
fn as_numbers<V>(_: Ifma<V>, numbers: V) -> V {
    numbers
}

/// By permutations of two registers, whose time depends on nothing.
#[inline(always)]
fn picked_by_permutations<V: Across>(_: Ifma<V>, column: &[Limb; ROWS], index: &V) -> V {
    let pair = 2 * V::LANES;
    // SAFETY: `new` checked the processor; the slices have a vector's length.
    unsafe {
        let of_pair = index.shr(pair.ilog2());
        let mut found = V::zero();
        for (words, number) in column.chunks_exact(pair).zip(0..) {
            let (low, high) = words.split_at(V::LANES);
            let picked = V::pick(*index, V::load(low.as_ptr()), V::load(high.as_ptr()));
            found = V::select(of_pair.equal(V::splat(number)), picked, found);
        }
        found
    }
}

impl<V: Integers> Ifma<V> {
    /// The extensions that it executes.
    pub const NEEDS: Isa = V::NEEDS;

    /// The proof, if there is one.
    pub fn new(cpu: Cpu) -> Option<Self> {
        // SAFETY: the processor was asked.
        cpu.has(V::NEEDS).then_some(unsafe { Self::unchecked() })
    }

    /// The proof, on the caller's word.
    ///
    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    pub(super) unsafe fn unchecked() -> Self {
        Ifma(PhantomData)
    }
}

impl<V> PartialEq for Ifma<V> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<V> Eq for Ifma<V> {}

impl<V> fmt::Debug for Ifma<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ifma")
    }
}

// SAFETY, of every method of a vector below: `new` checked the processor.

impl<V: Integers> Lanes for Ifma<V> {
    const LANES: usize = V::LANES;
    const SIGNED: bool = false;
    const SURPLUS: [Limb; 2] = [0; 2];
    type Vector = V;
    type Factor = V;
    type Index = V::Index;
    type Digits<const N: usize, const BITS: usize> = Slack<Self, N, BITS>;

    fn run<P: Program>(self, program: P) -> P::Output {
        // SAFETY: see above.
        unsafe { V::enter(program) }
    }

    #[inline(always)]
    fn call<P: Part<Self>>(self, part: P) -> P::Output {
        // SAFETY: see above.
        unsafe { V::part(part) }
    }

    #[inline(always)]
    fn load(self, from: &[Limb; 8], part: usize) -> V {
        let from = &from[V::LANES * part..][..V::LANES];
        // SAFETY: see above; the slice has a vector's length.
        unsafe { V::load(from.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, words: V, to: &mut [Limb; 8], part: usize) {
        let to = &mut to[V::LANES * part..][..V::LANES];
        // SAFETY: see above; the slice has a vector's length.
        unsafe { words.store(to.as_mut_ptr()) }
    }

    #[inline(always)]
    fn splat(self, word: Limb) -> V {
        // SAFETY: see above.
        unsafe { V::splat(word) }
    }

    #[inline(always)]
    fn add(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { a.add(b) }
    }

    #[inline(always)]
    fn sub(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { a.sub(b) }
    }

    #[inline(always)]
    fn and(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { a.and(b) }
    }

    #[inline(always)]
    fn or(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { a.or(b) }
    }

    #[inline(always)]
    fn xor(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { a.xor(b) }
    }

    #[inline(always)]
    fn shr(self, a: V, bits: usize) -> V {
        // SAFETY: see above.
        unsafe { a.shr(bits as u32) }
    }

    #[inline(always)]
    fn sar(self, a: V, bits: usize) -> V {
        // SAFETY: see above.
        unsafe { a.sar(bits as u32) }
    }

    #[inline(always)]
    fn index(self, numbers: V) -> V::Index {
        V::index(self, numbers)
    }

    #[inline(always)]
    fn pick(self, column: &[Limb; ROWS], index: &V::Index) -> V {
        V::pick(self, column, index)
    }

    #[inline(always)]
    fn hidden(self, masks: V) -> V {
        V::hidden(masks)
    }

    #[inline(always)]
    fn equal(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe {
            let differences = a.xor(b);
            V::hidden(V::select(
                differences.test(differences),
                V::zero(),
                V::splat(Limb::MAX),
            ))
        }
    }

    #[inline(always)]
    fn shl(self, a: V, bits: usize) -> V {
        // SAFETY: see above.
        unsafe { a.shl(bits as u32) }
    }

    #[inline(always)]
    fn factor(self, digits: V) -> V {
        digits
    }

    /// A product takes no more than the low 52 bits.
    #[inline(always)]
    fn low_factor(self, words: V) -> V {
        words
    }

    #[inline(always)]
    fn mac(self, [low, high]: [V; 2], a: V, b: V) -> [V; 2] {
        // SAFETY: see above.
        unsafe { [low.lo(a, b), high.hi(a, b)] }
    }

    #[inline(always)]
    fn mac_floor(self, sums: [V; 2], a: V, b: V) -> [V; 2] {
        self.mac(sums, a, b)
    }

    #[inline(always)]
    fn mac_low(self, low: V, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { low.lo(a, b) }
    }
}

impl<V: Integers> Whole for Ifma<V> {
    #[inline(always)]
    fn mul(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { a.mul(b) }
    }

    #[inline(always)]
    fn mac_low_half(self, sum: V, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { sum.lo(a, b) }
    }

    #[inline(always)]
    fn mac_high_half(self, sum: V, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe { sum.hi(a, b) }
    }
}
