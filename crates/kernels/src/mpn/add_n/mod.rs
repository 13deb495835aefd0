//! `mpn_add_n`: r := a + b  (mod 2^(64n)); returns the carry.
//!
//! Shapes     r\[n\], a\[n\], b\[n\]; n >= 1. Least significant limb first.
//! Input      any.
//! Output     r + carry * 2^(64n) = a + b; the carry is 0 or 1.
//! Overlap    r may be a or b exactly; partial overlap is not allowed.
//! Timing     depends on n only.
//! Source     Knuth, TAOCP 2, 4.3.1, algorithm A.

use crate::{Isa, Limb, op::*};

op! {
    /// `r := a + b`, returning the carry.
    pub struct AddN("mpn_add_n");
    call: (r: *mut Limb, a: *const Limb, b: *const Limb, n: usize) -> Limb;
    contract: Contract {
        effect: "r + carry*2^(64n) := a + b",
        operands: &[Operand::out("r", Len::N), Operand::input("a", Len::N), Operand::input("b", Len::N)],
        scalar: Scalar::None,
        returns: Returns::Bit,
        same: &[("r", "a"), ("r", "b")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Knuth, TAOCP 2, 4.3.1, algorithm A",
    };
    kernels {
        x86_64 {
            /// AVX-512: eight 64-bit lanes, all their carries from one integer addition.
            lookahead512: Isa::AVX512F, "avx512f" => super::lookahead::vectors::<false>;
            /// One `adc` chain through the carry flag.
            adc: Isa::NONE => { super::chain::carry_chain!("adc", r, a, b, n) };
            /// Eight 16-bit words, the carry from a comparison with the saturated result.
            vartime saturate16x8: Isa::NONE, "sse2" => super::saturate::vectors::<false>;
            /// The carry as a word, by branches and conditional moves: for processors with a slow `adc`.
            vartime branchy: Isa::NONE => { super::chain::carry_branches!("add", r, a, b, n) };
        }
        aarch64 {
            /// One `adcs` chain through the carry flag.
            adcs: Isa::NONE => { super::adcs::carry_chain!(add r, a, b, n) };
        }
        any {
            portable: Isa::NONE;
        }
        x86_64 {
            /// One 64-bit lane, the carry from the top bits of operands and result.
            majority64: Isa::NONE, "sse2" => {
                super::majority::singles::<false>(r, a, b, (0, n), core::arch::x86_64::_mm_setzero_si128())
            };
            /// Two 64-bit lanes, the carry from the top bits, passed on from the low lane to the high one.
            majority64x2: Isa::NONE, "sse2" => super::majority::pairs::<false>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n);
}

impl AddN {
    /// `r := a + b`; returns the carry.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, mpn::AddN};
    /// let mut r = [0; 2];
    /// assert_eq!(AddN::best(Cpu::native()).call(&mut r, &[u64::MAX, 1], &[1, 2]), 0);
    /// assert_eq!(r, [0, 4]);
    /// ```
    pub fn call(&self, r: &mut [Limb], a: &[Limb], b: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len() == a.len() && r.len() == b.len());
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr(), a.as_ptr(), b.as_ptr(), r.len()) }
    }

    /// `r := r + b`; returns the carry.
    ///
    /// # Panics
    /// If the lengths differ or are zero.
    pub fn call_in_place(&self, r: &mut [Limb], b: &[Limb]) -> Limb {
        assert!(!r.is_empty() && r.len() == b.len());
        let p = r.as_mut_ptr();
        // SAFETY: the shapes were checked above, the processor by `all`; r = a exactly is allowed.
        unsafe { (self.f)(p, p, b.as_ptr(), r.len()) }
    }
}
