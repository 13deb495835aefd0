//! AVX-512 IFMA: `vpmadd52` adds one half of eight products of digits, or of four.

use super::{Lanes, Program, Slack, Whole};
use crate::{Cpu, Isa, Limb, mb8::IFMA};
use core::arch::x86_64::*;

/// Vectors with the functions that have the same form for both widths.
macro_rules! vectors {
    (
        $(#[$doc:meta])* $name:ident, $vector:ty, $lanes:literal, $load:ident, $store:ident, $splat:ident,
        [$($f:ident: $binary:ident),*], [$($g:ident: $shift:ident),*], $low:ident, $high:ident, $product:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub(super) ());

        impl $name {
            /// The extensions that it executes.
            pub const NEEDS: Isa = IFMA.and(Isa::AVX512DQ);

            /// The proof, if there is one.
            pub fn new(cpu: Cpu) -> Option<$name> {
                cpu.has($name::NEEDS).then_some($name(()))
            }

            /// # Safety
            /// The processor has what [`NEEDS`](Self::NEEDS) says.
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512ifma,bmi2")]
            unsafe fn enter<P: Program>(self, program: P) -> P::Output {
                program.run(self)
            }
        }

        impl Lanes for $name {
            const LANES: usize = $lanes;
            const SIGNED: bool = false;
            const SURPLUS: [Limb; 2] = [0; 2];
            type Vector = $vector;
            type Factor = $vector;
            type Digits<const N: usize, const BITS: usize> = Slack<Self, N, BITS>;

            fn run<P: Program>(self, program: P) -> P::Output {
                // SAFETY: `new` checked the processor.
                unsafe { self.enter(program) }
            }

            #[inline(always)]
            fn load(self, from: &[Limb; 8], part: usize) -> $vector {
                let from = &from[$lanes * part..][..$lanes];
                // SAFETY: the slice has a vector's length; `new` checked the processor.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store(self, words: $vector, to: &mut [Limb; 8], part: usize) {
                let to = &mut to[$lanes * part..][..$lanes];
                // SAFETY: the slice has a vector's length; `new` checked the processor.
                unsafe { $store(to.as_mut_ptr().cast(), words) }
            }

            #[inline(always)]
            fn splat(self, word: Limb) -> $vector {
                // SAFETY: `new` checked the processor.
                unsafe { $splat(word as i64) }
            }

            $(
                #[inline(always)]
                fn $f(self, a: $vector, b: $vector) -> $vector {
                    // SAFETY: `new` checked the processor.
                    unsafe { $binary(a, b) }
                }
            )*

            $(
                #[inline(always)]
                fn $g(self, a: $vector, bits: usize) -> $vector {
                    // SAFETY: `new` checked the processor.
                    unsafe { $shift(a, _mm_cvtsi64_si128(bits as i64)) }
                }
            )*

            #[inline(always)]
            fn factor(self, digits: $vector) -> $vector {
                digits
            }

            #[inline(always)]
            fn mac(self, [low, high]: [$vector; 2], a: $vector, b: $vector) -> [$vector; 2] {
                // SAFETY: `new` checked the processor.
                unsafe { [$low(low, a, b), $high(high, a, b)] }
            }

            #[inline(always)]
            fn mac_floor(self, sums: [$vector; 2], a: $vector, b: $vector) -> [$vector; 2] {
                self.mac(sums, a, b)
            }

            #[inline(always)]
            fn mac_low(self, low: $vector, a: $vector, b: $vector) -> $vector {
                // SAFETY: `new` checked the processor.
                unsafe { $low(low, a, b) }
            }
        }

        impl Whole for $name {
            #[inline(always)]
            fn mul(self, a: $vector, b: $vector) -> $vector {
                // SAFETY: `new` checked the processor.
                unsafe { $product(a, b) }
            }
        }
    };
}

vectors! {
    /// Eight lanes of AVX-512 IFMA.
    Ifma512, __m512i, 8, _mm512_loadu_epi64, _mm512_storeu_epi64, _mm512_set1_epi64,
    [
        add: _mm512_add_epi64, sub: _mm512_sub_epi64, and: _mm512_and_si512, or: _mm512_or_si512,
        xor: _mm512_xor_si512
    ],
    [shr: _mm512_srl_epi64, shl: _mm512_sll_epi64], _mm512_madd52lo_epu64, _mm512_madd52hi_epu64,
    _mm512_mullo_epi64
}

vectors! {
    /// Four lanes of AVX-512 IFMA.
    Ifma256, __m256i, 4, _mm256_loadu_epi64, _mm256_storeu_epi64, _mm256_set1_epi64x,
    [
        add: _mm256_add_epi64, sub: _mm256_sub_epi64, and: _mm256_and_si256, or: _mm256_or_si256,
        xor: _mm256_xor_si256
    ],
    [shr: _mm256_srl_epi64, shl: _mm256_sll_epi64], _mm256_madd52lo_epu64, _mm256_madd52hi_epu64,
    _mm256_mullo_epi64
}
