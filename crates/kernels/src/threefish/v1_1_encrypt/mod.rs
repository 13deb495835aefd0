//! `threefish_v1_1_encrypt`: r_i := E(key, t, x_i), n blocks of Threefish-256 by the rotations of Skein 1.1. For comparison.
//!
//! Shapes     r\[n\]\[4\], x\[n\]\[4\], key\[5\], t\[2\]; n >= 1.
//! Input      any; r and x are bytes at any address, a word eight of them with the lowest first. The last word of the key
//!            is its parity.
//! Output     r is x encrypted block by block.
//! Overlap    r may be x exactly; partial overlap is not allowed.
//! Timing     depends on n only.
//! Source     Ferguson et al., The Skein Hash Function Family, version 1.1, section 3.3.

use super::block;
#[cfg(target_arch = "x86_64")]
use super::block::x86::Sse2;
use crate::{Isa, Limb, op::*};

op! {
    /// Encryption of blocks of four words by the rotations of Skein 1.1.
    pub struct EncryptV1_1("threefish_v1_1_encrypt");
    call: (r: *mut Limb, x: *const Limb, key: *const Limb, t: *const Limb, n: usize);
    contract: Contract {
        effect: "r[i] := E(key, t, x[i]) for n blocks of 4 words, rotations of Skein 1.1",
        operands: &[
            Operand::out("r", Len::N.times(4)).unaligned(),
            Operand::input("x", Len::N.times(4)).unaligned(),
            Operand::input("key", Len::words(5)),
            Operand::input("t", Len::words(2)),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "x")],
        dims: Dims::N,
        timing: Timing::Constant,
        source: "Ferguson et al., Skein 1.1, section 3.3",
    };
    kernels {
        any {
            /// Plain Rust, subkeys made where they are added.
            portable: Isa::NONE => block::v1_1_on_the_fly::<Limb, false>;
        }
        x86_64 {
            /// SSE2 within a block, subkeys made where they are added.
            block_sse2_on_the_fly: Isa::NONE => block::v1_1_on_the_fly::<Sse2, false>;
            /// SSE2 within a block, all subkeys made beforehand.
            block_sse2: Isa::NONE => block::v1_1::<Sse2, true, false>;
            /// SSE2 within a block, all subkeys made beforehand, at odd multiples of eight bytes.
            block_sse2_unaligned: Isa::NONE => block::v1_1::<Sse2, false, false>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n);
}

impl EncryptV1_1 {
    /// `r := E(r)`, each block with the same tweak.
    ///
    /// The key is followed by its parity ([`extend_key`](super::extend_key) with [`C5`](super::C5)).
    ///
    /// # Panics
    /// If `r` is not one block or more.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, threefish::{C5, DecryptV1_1, EncryptV1_1, extend_key}};
    /// let (mut key, mut blocks, cpu) = ([0; 5], [7; 64], Cpu::native());
    /// extend_key(&mut key, C5);
    /// EncryptV1_1::best(cpu).call_in_place(&mut blocks, &key, [1, 2]);
    /// assert_ne!(blocks, [7; 64]);
    /// DecryptV1_1::best(cpu).call_in_place(&mut blocks, &key, [1, 2]);
    /// assert_eq!(blocks, [7; 64]);
    /// ```
    pub fn call_in_place(&self, r: &mut [u8], key: &[Limb; 5], t: [Limb; 2]) {
        let n = super::blocks(r.len(), key);
        let r: *mut Limb = r.as_mut_ptr().cast();
        // SAFETY: the shapes were checked above, the processor by `all`; r = x exactly is allowed.
        unsafe { (self.f)(r, r, key.as_ptr(), t.as_ptr(), n) }
    }
}
