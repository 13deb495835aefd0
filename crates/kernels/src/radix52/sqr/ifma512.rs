//! AVX-512 IFMA on 512-bit vectors: two blocks at a time times all that is above them, twice that, and their squares.

use crate::{
    Limb,
    radix52::{addmul::ifma512::columns, blocks::load},
};
use core::arch::x86_64::*;

/// # Safety
/// The contract of `radix52_sqr`; the processor has [`IFMA`](crate::radix52::IFMA).
#[target_feature(enable = "avx512f,avx512vl,avx512ifma,bmi2")]
pub unsafe fn kernel(t: *mut Limb, a: *const Limb, n: usize) {
    // SAFETY: i < n, and products of what is above end with t.
    unsafe {
        t.write_bytes(0, 16 * n);
        for i in (0..n.saturating_sub(2)).step_by(2) {
            let above = n - i - 2;
            columns(
                t.add(16 * (i + 1)),
                a.add(8 * (i + 2)),
                above,
                a.add(8 * i),
                2,
                0,
                above + 2,
            );
        }
        for i in 0..2 * n {
            let t = t.add(8 * i);
            let x = load(t);
            _mm512_storeu_epi64(t.cast(), _mm512_add_epi64(x, x));
        }
        for i in (0..n).step_by(2) {
            let (m, a) = (2.min(n - i), a.add(8 * i));
            columns(t.add(16 * i), a, m, a, m, 0, 2 * m);
        }
    }
}
