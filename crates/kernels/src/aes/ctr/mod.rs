//! `aes_ctr`: r_i := x_i xor E(keys, c + i), n blocks.
//!
//! Shapes     r\[n\], x\[n\], keys\[m + 1\], c\[1\] blocks; n >= 1; m 1 to 16 rounds.
//! Input      any bytes at any address.
//! Output     r is x encrypted, or decrypted, in counter mode: i is added to the number that the last eight bytes of c
//!            are, the highest first, modulo 2^64.
//! Overlap    r may be x exactly; partial overlap is not allowed.
//! Timing     depends on n, m and c only.
//! Source     FIPS 197, 5.1; NIST SP 800-38A, 6.5.

use super::operands::SIZES;
use super::{Block, blocks, limbs};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "checked"))]
use crate::simd;
use crate::{Isa, Limb, op::*, stack::overwrite_below};

op! {
    /// Counter mode.
    pub struct Ctr("aes_ctr");
    call: (r: *mut Limb, x: *const Limb, keys: *const Limb, c: *const Limb, n: usize, m: usize);
    contract: Contract {
        effect: "r[i] := x[i] xor E(keys, c + i) for n blocks, m rounds",
        operands: &[
            Operand::out("r", Len::N.times(2)).unaligned(),
            Operand::input("x", Len::N.times(2)).unaligned(),
            Operand::input("keys", Len::M.times(2).plus(Len::words(2))).unaligned(),
            Operand::input("c", Len::words(2)).unaligned().public(),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "x")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "FIPS 197, 5.1; NIST SP 800-38A, 6.5",
    };
    kernels {
        x86_64 {
            /// AES instructions on four blocks a vector, eight vectors in flight.
            vaes512: super::VAES512, "aes,avx2,vaes,avx512f,avx512bw" => super::lanes::ctr::<simd::Zmm>;
            /// AES instructions on two blocks a vector, eight vectors in flight.
            vaes256: super::VAES256, "aes,avx2,vaes" => super::lanes::ctr::<simd::Ymm>;
            /// AES instructions on one block, eight in flight.
            aesni: Isa::AES, "aes,ssse3" => super::lanes::ctr::<simd::Xmm>;
        }
        aarch64 {
            /// AES instructions on one block, eight in flight.
            aese: Isa::AES, "aes" => super::lanes::ctr::<simd::Neon>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => super::lanes::ctr::<simd::Words<4>>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.m);
}

/// Overwrites what a call left on the stack: kernels by vectors spill keys and counters below the window that they save,
/// which they wipe.
fn clean() {
    overwrite_below::<{ 4 << 10 }, { 7 << 10 }>();
}

impl Ctr {
    /// `r := r xor E(c), E(c + 1), ...`
    ///
    /// # Panics
    /// If `r` is not whole blocks, one or more, or there are no round keys for 1 to 16 rounds.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, aes::Ctr};
    /// let (ctr, keys) = (Ctr::best(Cpu::native()), [[3; 16]; 11]);
    /// let mut text = [7; 160];
    /// ctr.call_in_place(&mut text, &keys, &[0; 16]);
    /// assert_ne!(text[..16], text[16..32]);
    /// ctr.call_in_place(&mut text, &keys, &[0; 16]);
    /// assert_eq!(text, [7; 160]);
    /// ```
    pub fn call_in_place(&self, r: &mut [u8], keys: &[Block], c: &Block) {
        let n = blocks(r.len(), keys);
        let (r, m) = (r.as_mut_ptr().cast(), keys.len() - 1);
        // SAFETY: the shapes were checked above, the processor by `all`; r = x exactly is allowed.
        unsafe { (self.f)(r, r, limbs(keys), limbs(c), n, m) };
        clean();
    }

    /// `r := x xor E(c), E(c + 1), ...`
    ///
    /// # Panics
    /// If `r` and `x` are not equally long, and as above.
    pub fn call(&self, r: &mut [u8], x: &[u8], keys: &[Block], c: &Block) {
        assert_eq!(r.len(), x.len());
        let (n, m) = (blocks(x.len(), keys), keys.len() - 1);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr().cast(), limbs(x), limbs(keys), limbs(c), n, m) };
        clean();
    }
}
