//! `aes_cbc_encrypt`: r_i := E(keys, x_i xor r_(i-1)) for n / s streams of s blocks each.
//!
//! Shapes     r\[n\], x\[n\], keys\[m + 1\], c\[n / s\] blocks; n >= 1; m 1 to 16 rounds; s divides n.
//! Input      any bytes at any address.
//! Output     r is x encrypted in CBC mode, where c_l stands before stream l.
//! Overlap    r may be x exactly; partial overlap is not allowed.
//! Timing     depends on n and m and s only.
//! Source     FIPS 197, 5.1; NIST SP 800-38A, 6.2.

use super::operands::SIZES;
use super::{Block, LEFT, blocks, limbs};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "checked"))]
use crate::simd;
use crate::{
    Isa, Limb,
    op::*,
    stack::{overwrite, overwrite_below},
};

op! {
    /// Encryption of chained blocks, many streams side by side.
    pub struct CbcEncrypt("aes_cbc_encrypt");
    call: (r: *mut Limb, x: *const Limb, keys: *const Limb, c: *const Limb, n: usize, m: usize, s: usize);
    contract: Contract {
        effect: "r[i] := E(keys, x[i] xor r[i-1]), c[l] before each stream l of s blocks, for n blocks, m rounds",
        operands: &[
            Operand::out("r", Len::N.times(2)).unaligned(),
            Operand::input("x", Len::N.times(2)).unaligned(),
            Operand::input("keys", Len::M.times(2).plus(Len::words(2))).unaligned(),
            Operand::input("c", Len::N.times(2)).unaligned(),
        ],
        scalar: Scalar::Public(Word::Custom(&DIVISOR)),
        returns: Returns::Nothing,
        same: &[("r", "x")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "FIPS 197, 5.1; NIST SP 800-38A, 6.2",
    };
    kernels {
        x86_64 {
            /// AES instructions on four blocks a vector, eight vectors in flight.
            vaes512: super::VAES512, "aes,avx2,vaes,avx512f,avx512bw" => super::lanes::streams::cbc_encrypt::<simd::Zmm>;
            /// AES instructions on two blocks a vector, eight vectors in flight.
            vaes256: super::VAES256, "aes,avx2,vaes" => super::lanes::streams::cbc_encrypt::<simd::Ymm>;
            /// AES instructions on one block, eight in flight.
            aesni: Isa::AES, "aes,ssse3" => super::lanes::streams::cbc_encrypt::<simd::Xmm>;
        }
        aarch64 {
            /// AES instructions on one block, eight in flight.
            aese: Isa::AES, "aes" => super::lanes::streams::cbc_encrypt::<simd::Neon>;
        }
        any {
            portable: Isa::NONE;
        }
        checked {
            vartime words: Isa::NONE => super::lanes::streams::cbc_encrypt::<simd::Words<4>>;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.n, x.m, x.s as usize);
}

impl CbcEncrypt {
    /// Overwrites what a call left on the stack: kernels by vectors spill text and keys, those of VAES below the rows that
    /// they have for long streams. The rows hold ciphertext by now.
    fn clean(&self) {
        overwrite::<LEFT>();
        match self.name {
            "vaes512" => overwrite_below::<{ 32 << 10 }, { 36 << 10 }>(),
            "vaes256" => overwrite_below::<{ 16 << 10 }, { 20 << 10 }>(),
            _ => {}
        }
    }

    /// Encrypts the streams in `r`, each as a chain (CBC) with an initialization vector of its own in `c`. The streams
    /// are equally long and stand one behind the other.
    ///
    /// # Panics
    /// If `r` is not as many streams of whole blocks, one or more, or there are no round keys for 1 to 16 rounds.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, aes::CbcEncrypt};
    /// let encrypt = CbcEncrypt::best(Cpu::native());
    /// let mut two = [7; 128];
    /// encrypt.call_in_place(&mut two, &[[3; 16]; 11], &[[1; 16], [2; 16]]);
    /// let mut one = [7; 64];
    /// encrypt.call_in_place(&mut one, &[[3; 16]; 11], &[[2; 16]]);
    /// assert_eq!(two[64..], one);
    /// ```
    pub fn call_in_place(&self, r: &mut [u8], keys: &[Block], c: &[Block]) {
        let n = blocks(r.len(), keys);
        assert!(!c.is_empty() && n.is_multiple_of(c.len()));
        let (r, m, s) = (r.as_mut_ptr().cast(), keys.len() - 1, n / c.len());
        // SAFETY: the shapes were checked above, the processor by `all`; r = x exactly is allowed; n / s blocks of c are read.
        unsafe { (self.f)(r, r, limbs(keys), limbs(c), n, m, s) };
        self.clean();
    }

    /// Encrypts the streams in `x` into `r`, each as a chain, as [`CbcEncrypt::call_in_place`] does in place.
    ///
    /// # Panics
    /// If `r` and `x` are not equally long, and as [`CbcEncrypt::call_in_place`] does.
    pub fn call(&self, r: &mut [u8], x: &[u8], keys: &[Block], c: &[Block]) {
        assert_eq!(r.len(), x.len());
        let (n, m) = (blocks(x.len(), keys), keys.len() - 1);
        assert!(!c.is_empty() && n.is_multiple_of(c.len()));
        let (r, s) = (r.as_mut_ptr().cast(), n / c.len());
        // SAFETY: the shapes were checked above, the processor by `all`; n / s blocks of c are read.
        unsafe { (self.f)(r, limbs(x), limbs(keys), limbs(c), n, m, s) };
        self.clean();
    }
}
