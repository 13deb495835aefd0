//! Registers of 128 bits on AArch64, whose NEON every such processor has, and the rounds of its AES instructions.

use super::{Blocks, Body, U64s};
use crate::Limb;
use core::{arch::aarch64::*, ops::BitAnd};

/// Two words.
#[derive(Clone, Copy)]
pub struct Neon(uint64x2_t);

/// Words of ones in some lanes, and of zeros in the others.
#[derive(Clone, Copy)]
pub struct Lanes(uint64x2_t);

impl BitAnd for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn bitand(self, other: Lanes) -> Lanes {
        // SAFETY: NEON is part of the architecture.
        Lanes(unsafe { vandq_u64(self.0, other.0) })
    }
}

// SAFETY, of every intrinsic below: the caller's, as the trait says.

/// Methods of two vectors that are one instruction.
macro_rules! instructions {
    ($($method:ident $intrinsic:ident),+) => {$(
        #[inline(always)]
        unsafe fn $method(self, other: Self) -> Self {
            // SAFETY: see above.
            Neon(unsafe { $intrinsic(self.0, other.0) })
        }
    )+};
}

impl U64s for Neon {
    const LANES: usize = 2;
    type Mask = Lanes;

    unsafe fn run<B: Body<Self>>(body: B) {
        // SAFETY: see above.
        unsafe { body.run() }
    }

    #[inline(always)]
    unsafe fn load(from: *const Limb) -> Self {
        // SAFETY: see above.
        Neon(unsafe { vld1q_u64(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Limb) {
        // SAFETY: see above.
        unsafe { vst1q_u64(to, self.0) }
    }

    #[inline(always)]
    unsafe fn splat(word: Limb) -> Self {
        // SAFETY: see above.
        Neon(unsafe { vdupq_n_u64(word) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: see above.
        unsafe { Self::splat(0) }
    }

    #[inline(always)]
    unsafe fn shl(self, bits: u32) -> Self {
        // SAFETY: see above.
        Neon(unsafe { vshlq_u64(self.0, vdupq_n_s64(bits.into())) })
    }

    #[inline(always)]
    unsafe fn shr(self, bits: u32) -> Self {
        // SAFETY: see above.
        Neon(unsafe { vshlq_u64(self.0, vdupq_n_s64(-i64::from(bits))) })
    }

    #[inline(always)]
    unsafe fn rotl(self, bits: u32) -> Self {
        // SAFETY: see above.
        unsafe { self.shl(bits).or(self.shr(64 - bits)) }
    }

    #[inline(always)]
    unsafe fn test(self, other: Self) -> Lanes {
        // SAFETY: see above.
        Lanes(unsafe { vtstq_u64(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn select(mask: Lanes, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        Neon(unsafe { vbslq_u64(mask.0, yes.0, no.0) })
    }

    instructions!(add vaddq_u64, sub vsubq_u64, and vandq_u64, or vorrq_u64, xor veorq_u64);
}

/// Rounds xor their key first on this architecture: so they are run with a key of zeros, and the key comes afterwards.
macro_rules! rounds {
    ($($method:ident $round:ident $($mix:ident)?),+) => {$(
        #[inline(always)]
        unsafe fn $method(self, key: Self) -> Self {
            // SAFETY: see above.
            unsafe {
                let state = $round(vreinterpretq_u8_u64(self.0), vdupq_n_u8(0));
                $(let state = $mix(state);)?
                Neon(vreinterpretq_u64_u8(state)).xor(key)
            }
        }
    )+};
}

impl Blocks for Neon {
    const COUNT: usize = 1;
    /// There are enough, but the compiler puts the keys on the stack, too, where they would stay.
    const HOLDS_KEYS: bool = false;
    type One = Neon;

    #[inline(always)]
    unsafe fn splat_block(x: *const Limb) -> Self {
        // SAFETY: see above. Bytes may lie at any address.
        Neon(unsafe { vreinterpretq_u64_u8(vld1q_u8(x.cast())) })
    }

    #[inline(always)]
    unsafe fn gather(rows: [*const Limb; 4]) -> Self {
        // SAFETY: see above.
        unsafe { Self::splat_block(rows[0]) }
    }

    #[inline(always)]
    unsafe fn transposed(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    unsafe fn numbers(number: impl Fn(u64) -> u64) -> Self {
        // SAFETY: see above.
        unsafe { Self::zero().numbered(number(0)) }
    }

    #[inline(always)]
    unsafe fn numbered(self, number: u64) -> Self {
        // SAFETY: see above.
        Neon(unsafe { vsetq_lane_u64::<1>(number.swap_bytes(), self.0) })
    }

    rounds!(round vaeseq_u8 vaesmcq_u8, last_round vaeseq_u8, inverse_round vaesdq_u8 vaesimcq_u8, inverse_last_round vaesdq_u8);
}
