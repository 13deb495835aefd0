//! AVX-512 IFMA: `vpmadd52` adds one half of eight products of digits, or of four.

use super::{Lanes, Part, Program, ROWS, Slack, Whole};
use crate::{
    Cpu, Isa, Limb,
    mb8::IFMA,
    simd::{Across, Madd52, Mul64, YmmVl, Zmm},
};
use core::{fmt, marker::PhantomData};

/// Lanes of AVX-512 IFMA in vectors V.
#[derive(Clone, Copy)]
pub struct Ifma<V>(PhantomData<V>);

/// Eight lanes of AVX-512 IFMA.
pub type Ifma512 = Ifma<Zmm>;
/// Four lanes of AVX-512 IFMA.
pub type Ifma256 = Ifma<YmmVl>;

impl<V> Ifma<V> {
    /// The extensions that it executes.
    pub const NEEDS: Isa = IFMA.and(Isa::AVX512DQ);

    /// The proof, if there is one.
    pub fn new(cpu: Cpu) -> Option<Self> {
        // SAFETY: the processor was asked.
        cpu.has(Self::NEEDS).then_some(unsafe { Self::unchecked() })
    }

    /// The proof, on the caller's word.
    ///
    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    pub(super) unsafe fn unchecked() -> Self {
        Ifma(PhantomData)
    }
}

impl<V: Mul64 + Madd52 + Across + 'static> Ifma<V> {
    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma,bmi2")]
    unsafe fn enter<P: Program>(self, program: P) -> P::Output {
        program.run(self)
    }

    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma,bmi2")]
    #[inline(never)]
    unsafe fn part<P: Part<Self>>(self, part: P) -> P::Output {
        part.run(self)
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

impl<V: Mul64 + Madd52 + Across + 'static> Lanes for Ifma<V> {
    const LANES: usize = V::LANES;
    const SIGNED: bool = false;
    const SURPLUS: [Limb; 2] = [0; 2];
    type Vector = V;
    type Factor = V;
    type Index = V;
    type Digits<const N: usize, const BITS: usize> = Slack<Self, N, BITS>;

    fn run<P: Program>(self, program: P) -> P::Output {
        // SAFETY: see above.
        unsafe { self.enter(program) }
    }

    #[inline(always)]
    fn call<P: Part<Self>>(self, part: P) -> P::Output {
        // SAFETY: see above.
        unsafe { self.part(part) }
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
    fn index(self, numbers: V) -> V {
        numbers
    }

    /// By permutations of two registers, whose time depends on nothing.
    #[inline(always)]
    fn pick(self, column: &[Limb; ROWS], index: &V) -> V {
        let pair = 2 * V::LANES;
        // SAFETY: see above; the slices have a vector's length.
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

    #[inline(always)]
    fn hidden(self, masks: V) -> V {
        masks
    }

    #[inline(always)]
    fn equal(self, a: V, b: V) -> V {
        // SAFETY: see above.
        unsafe {
            let differences = a.xor(b);
            V::select(
                differences.test(differences),
                V::zero(),
                V::splat(Limb::MAX),
            )
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

impl<V: Mul64 + Madd52 + Across + 'static> Whole for Ifma<V> {
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
