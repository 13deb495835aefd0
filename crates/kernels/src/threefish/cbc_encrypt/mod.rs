//! `threefish_cbc_encrypt`: r_i := E(key, t, x_i xor r_(i-1)), n blocks.
//!
//! Shapes     r\[n\]\[m\], x\[n\]\[m\], key\[m + 1\], t\[2\], c\[m\]; n >= 1; m 4, 8 or 16.
//! Input      any; r and x are bytes at any address, a word eight of them with the lowest first. The last word of the key
//!            is its parity.
//! Output     r is x encrypted in CBC mode, where c stands before the first block.
//! Overlap    r may be x exactly; partial overlap is not allowed.
//! Timing     depends on n and m only.
//! Source     Skein 1.3, section 3.3; NIST SP 800-38A, 6.2.

use super::blocks;
use super::operands::SIZES;
use crate::{Isa, Limb, op::*};

op! {
    /// Encryption of chained blocks.
    pub struct CbcEncrypt("threefish_cbc_encrypt");
    call: (
        r: *mut Limb,
        x: *const Limb,
        key: *const Limb,
        t: *const Limb,
        c: *const Limb,
        n: usize,
        m: usize,
    );
    contract: Contract {
        effect: "r[i] := E(key, t, x[i] xor r[i-1]), c before the first, for n blocks of m words",
        operands: &[
            Operand::out("r", Len::N.by(Len::M)).unaligned(),
            Operand::input("x", Len::N.by(Len::M)).unaligned(),
            Operand::input("key", Len::M.plus(Len::words(1))),
            Operand::input("t", Len::words(2)),
            Operand::input("c", Len::M),
        ],
        scalar: Scalar::None,
        returns: Returns::Nothing,
        same: &[("r", "x")],
        dims: Dims::Custom(&SIZES),
        timing: Timing::Constant,
        source: "Ferguson et al., Skein 1.3, section 3.3; NIST SP 800-38A, 6.2",
    };
    kernels {
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.p[3], x.p[4], x.n, x.m);
}

impl CbcEncrypt {
    /// `r := E(r)`, where each block is first xored with the one before, the first with `c`.
    ///
    /// The key is followed by its parity ([`extend_key`](super::extend_key)), and says how long a block is.
    ///
    /// # Panics
    /// If `r` is not one block or more, or the key has not a word more than a block, or `c` not as many.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, threefish::{C240, CbcEncrypt, Encrypt, extend_key}};
    /// let mut key = [0; 5];
    /// extend_key(&mut key, C240);
    /// let (mut chain, mut one) = ([0; 64], [7; 32]);
    /// CbcEncrypt::best(Cpu::native()).call_in_place(&mut chain, &key, [1, 2], &[u64::from_le_bytes([7; 8]); 4]);
    /// let encrypt = Encrypt::best(Cpu::native());
    /// encrypt.call_in_place(&mut one, &key, [1, 2], 0);
    /// assert_eq!(chain[..32], one);
    /// encrypt.call_in_place(&mut one, &key, [1, 2], 0);
    /// assert_eq!(chain[32..], one);
    /// ```
    pub fn call_in_place(&self, r: &mut [u8], key: &[Limb], t: [Limb; 2], c: &[Limb]) {
        let n = blocks(r.len(), key);
        assert_eq!(c.len() + 1, key.len());
        let r: *mut Limb = r.as_mut_ptr().cast();
        // SAFETY: the shapes were checked above, the processor by `all`; r = x exactly is allowed.
        unsafe { (self.f)(r, r, key.as_ptr(), t.as_ptr(), c.as_ptr(), n, c.len()) }
    }
}
