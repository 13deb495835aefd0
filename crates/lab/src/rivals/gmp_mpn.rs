//! GMP's functions on limbs, those with a contract like one of ours: `mpn_mul` and `mpn_sqr` are not schoolbook only.

use super::{Function, Rival, gmp};
use carrysave_kernels::Limb;
use gmp_mpfr_sys::gmp::*;

pub(super) const RIVAL: Rival = Rival {
    mpn: FUNCTIONS,
    ..Rival::new("gmp/mpn", gmp::version)
};

/// Rows of operation, function, and how its arguments follow from the call of a kernel.
macro_rules! functions {
    ($($op:literal: $function:ident, |$x:ident| $call:expr;)*) => {
        const FUNCTIONS: &[Function] = &[$(Function {
            op: $op,
            name: gmp::label!(stringify!($function)),
            // SAFETY: the caller keeps the contract of the operation, which is this function's too.
            call: |$x| unsafe { $call },
        }),*];
    };
}

functions! {
    "mpn_add_n": mpn_add_n, |x| mpn_add_n(x.p[0], x.p[1], x.p[2], x.n as size_t);
    "mpn_sub_n": mpn_sub_n, |x| mpn_sub_n(x.p[0], x.p[1], x.p[2], x.n as size_t);
    "mpn_add_1": mpn_add_1, |x| mpn_add_1(x.p[0], x.p[1], x.n as size_t, x.s);
    "mpn_sub_1": mpn_sub_1, |x| mpn_sub_1(x.p[0], x.p[1], x.n as size_t, x.s);
    "mpn_mul_1": mpn_mul_1, |x| mpn_mul_1(x.p[0], x.p[1], x.n as size_t, x.s);
    "mpn_addmul_1": mpn_addmul_1, |x| mpn_addmul_1(x.p[0], x.p[1], x.n as size_t, x.s);
    "mpn_submul_1": mpn_submul_1, |x| mpn_submul_1(x.p[0], x.p[1], x.n as size_t, x.s);
    "mpn_lshift": mpn_lshift, |x| mpn_lshift(x.p[0], x.p[1], x.n as size_t, x.s as u32);
    "mpn_rshift": mpn_rshift, |x| mpn_rshift(x.p[0], x.p[1], x.n as size_t, x.s as u32);
    "mpn_cmp": mpn_cmp, |x| i64::from(mpn_cmp(x.p[0], x.p[1], x.n as size_t).signum()) as Limb;
    "mpn_cnd_add_n": mpn_cnd_add_n, |x| mpn_cnd_add_n(x.s, x.p[0], x.p[1], x.p[2], x.n as size_t);
    "mpn_cnd_sub_n": mpn_cnd_sub_n, |x| mpn_cnd_sub_n(x.s, x.p[0], x.p[1], x.p[2], x.n as size_t);
    "mpn_cnd_swap": mpn_cnd_swap, |x| { mpn_cnd_swap(x.s, x.p[0], x.p[1], x.n as size_t); 0 };
    "mpn_tabselect": mpn_sec_tabselect, |x| {
        mpn_sec_tabselect(x.p[0], x.p[1], x.n as size_t, x.m as size_t, x.s as size_t);
        0
    };
    "mpn_mul_basecase": mpn_mul, |x| {
        mpn_mul(x.p[0], x.p[1], x.n as size_t, x.p[2], x.m as size_t);
        0
    };
    "mpn_sqr_basecase": mpn_sqr, |x| { mpn_sqr(x.p[0], x.p[1], x.n as size_t); 0 };
}
