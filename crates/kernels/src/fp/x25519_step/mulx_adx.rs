//! `mulx`, `adcx` and `adox`. Numbers stay in memory between operations, whose order lets independent ones overlap.
//!
//! Zen 3 multiplies in one of four units, and deals all other work out to the four without regard to that. So what needs
//! no unit at all is preferred: choices are made in vectors, and constants are loaded.

use crate::Limb;
use core::arch::x86_64::_mm_set1_epi64x;

/// 2^256 modulo the prime.
static FOLD: Limb = 38;

/// Where a number is.
#[rustfmt::skip]
macro_rules! at {
    (x_2) => { "{s}" };
    (z_2) => { "{s} + 32" };
    (x_3) => { "{s} + 64" };
    (z_3) => { "{s} + 96" };
    (x_1) => { "{s} + 128" };
    (a_2) => { "{t}" };
    (b_2) => { "{t} + 32" };
    (a_3) => { "{t} + 64" };
    (b_3) => { "{t} + 96" };
    (a) => { "{t} + 128" };
    (b) => { "{t} + 160" };
    (da) => { "{t} + 192" };
    (cb) => { "{t} + 224" };
    (d) => { "{t} + 256" };
    (s) => { "{t} + 288" };
    (e) => { "{t} + 320" };
    (f) => { "{t} + 352" };
}

#[rustfmt::skip]
macro_rules! load {
    ($a:ident) => {
        concat!(
            "mov {r0}, [", at!($a), "]\nmov {r1}, [", at!($a), " + 8]\n",
            "mov {r2}, [", at!($a), " + 16]\nmov {r3}, [", at!($a), " + 24]\n",
        )
    };
}

#[rustfmt::skip]
macro_rules! store {
    ($r:ident) => {
        concat!(
            "mov [", at!($r), "], {r0}\nmov [", at!($r), " + 8], {r1}\n",
            "mov [", at!($r), " + 16], {r2}\nmov [", at!($r), " + 24], {r3}\n",
        )
    };
}

/// `r0..r3 := r0..r3 + a`, with the carry in the flag.
#[rustfmt::skip]
macro_rules! add {
    ($a:ident) => {
        concat!(
            "add {r0}, [", at!($a), "]\nadc {r1}, [", at!($a), " + 8]\n",
            "adc {r2}, [", at!($a), " + 16]\nadc {r3}, [", at!($a), " + 24]\n",
        )
    };
}

/// `r0..r3 += $small`, where that does not carry.
#[rustfmt::skip]
macro_rules! add_small {
    ($small:literal) => {
        concat!("add {r0}, {", $small, "}\nadc {r1}, 0\nadc {r2}, 0\nadc {r3}, 0\n")
    };
}

#[rustfmt::skip]
macro_rules! sum {
    ($r:ident = $a:ident + $b:ident) => {
        concat!(load!($a), add!($b), "sbb {l}, {l}\nand {l:e}, 38\n", add_small!("l"), store!($r))
    };
}

#[rustfmt::skip]
macro_rules! difference {
    ($r:ident = $a:ident - $b:ident) => {
        concat!(
            load!($a),
            "sub {r0}, [", at!($b), "]\nsbb {r1}, [", at!($b), " + 8]\n",
            "sbb {r2}, [", at!($b), " + 16]\nsbb {r3}, [", at!($b), " + 24]\n",
            "sbb {l}, {l}\nand {l:e}, 38\nsub {r0}, {l}\nsbb {r1}, 0\nsbb {r2}, 0\nsbb {r3}, 0\n",
            store!($r),
        )
    };
}

/// `r := a` or, where the mask is all ones, b.
#[rustfmt::skip]
macro_rules! choose {
    ($r:ident = $a:ident | $b:ident) => {
        concat!(
            "movdqu {v}, [", at!($a), "]\nmovdqu {w}, [", at!($b), "]\n",
            "pxor {w}, {v}\npand {w}, {mask}\npxor {v}, {w}\nmovdqu [", at!($r), "], {v}\n",
            "movdqu {v}, [", at!($a), " + 16]\nmovdqu {w}, [", at!($b), " + 16]\n",
            "pxor {w}, {v}\npand {w}, {mask}\npxor {v}, {w}\nmovdqu [", at!($r), " + 16], {v}\n",
        )
    };
}

/// `r0..r7` folded, to r.
#[rustfmt::skip]
macro_rules! fold {
    ($r:ident) => {
        concat!(
            "mov rdx, [rip + {fold}]\n",
            fold_limbs!(spare, "r0" "r1" "r2" "r3", "r4" "r5" "r6" "r7"),
            store!($r),
        )
    };
}

macro_rules! product {
    ($r:ident = $a:ident * $b:ident) => {
        concat!(product_4!(at!($a), at!($b)), fold!($r))
    };
}

macro_rules! square {
    ($r:ident = $a:ident ^ 2) => {
        concat!(square_4!(at!($a)), fold!($r))
    };
}

/// `r := 121666 a + b`
#[rustfmt::skip]
macro_rules! mul_121666 {
    ($r:ident = $a:ident + $b:ident) => {
        concat!(
            "mov edx, 121666\n", first_row!(at!($a)),
            add!($b), "adc {r4}, 0\n",
            // Folded at 2^255.
            "add {r3}, {r3}\nadc {r4}, {r4}\nshr {r3}, 1\nimul {r4}, {r4}, {c}\n", add_small!("r4"), store!($r),
        )
    };
}

/// # Safety
/// The contract of `fp_x25519_step`; the processor has BMI2 and ADX.
pub unsafe fn kernel(s: *mut Limb, t: *mut Limb, c: Limb) {
    // SAFETY: s and t have the limbs that are read and written; the processor is the caller's promise.
    unsafe {
        std::arch::asm!(
            sum!(a_2 = x_2 + z_2),
            difference!(b_3 = x_3 - z_3),
            difference!(b_2 = x_2 - z_2),
            sum!(a_3 = x_3 + z_3),
            choose!(a = a_2 | a_3),
            product!(da = b_3 * a_2),
            choose!(b = b_2 | b_3),
            product!(cb = a_3 * b_2),
            // From here on b is bb, and a is aa.
            square!(b = b ^ 2),
            difference!(d = da - cb),
            sum!(s = da + cb),
            square!(a = a ^ 2),
            square!(d = d ^ 2),
            square!(x_3 = s ^ 2),
            difference!(e = a - b),
            product!(z_3 = x_1 * d),
            mul_121666!(f = e + b),
            product!(x_2 = a * b),
            product!(z_2 = e * f),
            s = in(reg) s, t = in(reg) t, fold = sym FOLD, c = const 19,
            r0 = out(reg) _, r1 = out(reg) _, r2 = out(reg) _, r3 = out(reg) _,
            r4 = out(reg) _, r5 = out(reg) _, r6 = out(reg) _, r7 = out(reg) _,
            l = out(reg) _, h = out(reg) _, out("rdx") _,
            mask = in(xmm_reg) _mm_set1_epi64x((c as i64).wrapping_neg()), v = out(xmm_reg) _, w = out(xmm_reg) _,
            options(nostack),
        );
    }
}
