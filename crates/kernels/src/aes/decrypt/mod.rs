//! `aes_decrypt`: r_i := D(keys, x_i), n blocks.
//!
//! Shapes     r\[n\], x\[n\], keys\[m + 1\] blocks; n >= 1; m 1 to 16 rounds.
//! Input      any bytes at any address.
//! Output     r is x decrypted block by block (ECB); keys are those of the equivalent inverse cipher, in the order of
//!            their use.
//! Overlap    r may be x exactly; partial overlap is not allowed.
//! Timing     depends on n and m only.
//! Source     FIPS 197, 5.3.5; NIST SP 800-38A, 6.1.

use super::operands::SIZES;
use super::{Block, LEFT, blocks, limbs};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "checked"))]
use crate::simd;
use crate::{Isa, Limb, op::*, stack::overwrite};

op! {
    /// Decryption, each block by itself.
    pub struct Decrypt("aes_decrypt");
    call: (r: *mut Limb, x: *const Limb, keys: *const Limb, n: usize, m: usize);
    contract: Contract {
        effect: "r[i] := D(keys, x[i]) for n blocks, m rounds",
        operands: &[
            Operand::out("r", Len::N.times(2)).unaligned(),
            Operand::input("x", Len::N.times(2)).unaligned(),
            Operand::input("keys", Len::M.times(2).plus(Len::words(2))).unaligned(),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "x")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "FIPS 197, 5.3.5; NIST SP 800-38A, 6.1",
    };
    kernels {
        x86_64 {
            /// AES instructions on four blocks a vector, eight vectors in flight.
            vaes512: super::VAES512, "aes,avx2,vaes,avx512f,avx512bw" => super::lanes::decrypt::<simd::Zmm>;
            /// AES instructions on two blocks a vector, eight vectors in flight.
            vaes256: super::VAES256, "aes,avx2,vaes" => super::lanes::decrypt::<simd::Ymm>;
            /// AES instructions on one block, eight in flight.
            aesni: Isa::AES, "aes,ssse3" => super::lanes::decrypt::<simd::Xmm>;
        }
        aarch64 {
            /// AES instructions on one block, eight in flight.
            aese: Isa::AES, "aes" => super::lanes::decrypt::<simd::Neon>;
        }
        any {
            portable: Isa::NONE;
            /// Plain Rust, by tables: the form of most programs before processors had instructions for it. For
            /// comparison.
            vartime ttable: Isa::NONE => { super::tables::DECRYPT.blocks(3, r, x, keys, n, m) };
        }
        checked {
            vartime words: Isa::NONE => super::lanes::decrypt::<simd::Words<4>>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.n, x.m);
}

impl Decrypt {
    /// `r := D(r)`, block by block.
    ///
    /// # Panics
    /// If `r` is not whole blocks, one or more, or there are no round keys for 1 to 16 rounds.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, aes::Decrypt};
    /// let mut r = [0xed; 16];
    /// Decrypt::best(Cpu::native()).call_in_place(&mut r, &[[0; 16]; 2]);
    /// assert_eq!(r, [0x53; 16]);
    /// ```
    pub fn call_in_place(&self, r: &mut [u8], keys: &[Block]) {
        let n = blocks(r.len(), keys);
        let (r, m) = (r.as_mut_ptr().cast(), keys.len() - 1);
        // SAFETY: the shapes were checked above, the processor by `all`; r = x exactly is allowed.
        unsafe { (self.f)(r, r, limbs(keys), n, m) };
        overwrite::<LEFT>();
    }

    /// `r := D(x)`, block by block.
    ///
    /// # Panics
    /// If `r` and `x` are not equally long, and as above.
    pub fn call(&self, r: &mut [u8], x: &[u8], keys: &[Block]) {
        assert_eq!(r.len(), x.len());
        let (n, m) = (blocks(x.len(), keys), keys.len() - 1);
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe { (self.f)(r.as_mut_ptr().cast(), limbs(x), limbs(keys), n, m) };
        overwrite::<LEFT>();
    }
}
