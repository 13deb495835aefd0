//! Products of digits by floating-point numbers: AVX2 and FMA, or AVX-512.
//!
//! How a product becomes two halves is [`Fma52`]'s.

use super::{DIGIT_BITS, Lanes, Part, Program, ROWS, pick_by_masks};
use crate::{
    Cpu, Isa, Limb,
    simd::{self, Fma52, Ymm, Zmm},
};
use core::{fmt, marker::PhantomData};

/// Lanes of floating-point numbers in vectors V.
#[derive(Clone, Copy)]
pub struct Fma<V>(PhantomData<V>);

/// Four lanes of AVX2 and FMA.
pub type Fma256 = Fma<Ymm>;
/// Eight lanes of AVX-512.
pub type Fma512 = Fma<Zmm>;

/// Vectors for [`Fma`].
pub trait Numbers: Fma52 + 'static {
    /// The extensions that they need.
    const NEEDS: Isa;
    /// What they are called.
    const NAME: &'static str;

    /// Runs a program, compiled for them.
    ///
    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    unsafe fn enter<P: Program>(program: P) -> P::Output;

    /// Runs a part of a program, compiled for them.
    ///
    /// # Safety
    /// The processor has what [`NEEDS`](Self::NEEDS) says.
    unsafe fn part<P: Part<Fma<Self>>>(part: P) -> P::Output;
}

macro_rules! numbers {
    ($V:ident: $name:literal, $needs:expr, $features:literal) => {
        impl Numbers for $V {
            const NEEDS: Isa = $needs;
            const NAME: &'static str = $name;

            #[target_feature(enable = $features)]
            unsafe fn enter<P: Program>(program: P) -> P::Output {
                program.run(Fma::<Self>(PhantomData))
            }

            #[target_feature(enable = $features)]
            #[inline(never)]
            unsafe fn part<P: Part<Fma<Self>>>(part: P) -> P::Output {
                part.run(Fma(PhantomData))
            }
        }
    };
}
numbers!(Ymm: "Fma256", crate::mb8::FMA, "avx2,fma");
numbers!(Zmm: "Fma512", crate::mb8::FMA512, "avx512f");

impl<V: Numbers> Fma<V> {
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
        Fma(PhantomData)
    }
}

impl<V> PartialEq for Fma<V> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<V> Eq for Fma<V> {}

impl<V: Numbers> fmt::Debug for Fma<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(V::NAME)
    }
}

// SAFETY, of every method of a vector below: `new` checked the processor.

impl<V: Numbers> Lanes for Fma<V> {
    const LANES: usize = V::LANES;
    const SIGNED: bool = V::SIGNED;
    const SURPLUS: [Limb; 2] = V::SURPLUS;
    type Vector = V;
    type Factor = V::Number;
    type Digits<const N: usize, const BITS: usize> = super::Digits<Self, N, BITS>;
    pick_by_masks!();

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
    fn hidden(self, masks: V) -> V {
        // By way of memory: assembly may name no vector where the compiler does not know that there are some.
        *simd::unseen(&masks)
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
    fn shl(self, a: V, bits: usize) -> V {
        // SAFETY: see above.
        unsafe { a.shl(bits as u32) }
    }

    #[inline(always)]
    fn factor(self, digits: V) -> V::Number {
        // SAFETY: see above.
        unsafe { digits.number() }
    }

    #[inline(always)]
    fn mac(self, [low, high]: [V; 2], a: V::Number, b: V::Number) -> [V; 2] {
        // SAFETY: see above.
        let [l, h] = unsafe { V::halves(a, b) };
        [self.add(low, l), self.add(high, h)]
    }

    #[inline(always)]
    fn mac_floor(self, [low, high]: [V; 2], a: V::Number, b: V::Number) -> [V; 2] {
        // SAFETY: see above.
        let [mut l, mut h] = unsafe { V::halves(a, b) };
        if V::SIGNED {
            // 1 where the low half is negative.
            let borrow = self.shr(self.sub(l, self.splat(V::SURPLUS[0])), 63);
            l = self.add(l, self.shl(borrow, DIGIT_BITS));
            h = self.sub(h, borrow);
        }
        [self.add(low, l), self.add(high, h)]
    }

    #[inline(always)]
    fn mac_low(self, low: V, a: V::Number, b: V::Number) -> V {
        // SAFETY: see above.
        self.add(low, unsafe { V::small(a, b) })
    }
}
