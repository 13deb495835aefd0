//! `mpn_divsteps`: r := the matrix of 60 division steps of f and g
//!
//! Shapes     r\[4\], one limb each of f, g and s.
//! Input      f odd. What f and g have above 60 bits does not matter; s has a sign.
//! Output     r = (u, v, q, t), with signs: f becomes 2^-60 (u f + v g), and g becomes 2^-60 (q f + t g). No more than 2^60
//!            is in abs(u) + abs(v), or in the other row. Returns what s becomes.
//! Step       To g comes f if g is odd, and the sum is halved. If before that g was odd and s below 0, f becomes g, and s
//!            becomes -2 - s; else s becomes s - 1. If it is -1 then, f changes its sign.
//! Overlap    none.
//! Timing     constant.
//! Source     Bernstein, Yang, CHES 2019; delta is -s - 1/2, and g has the other sign there where s is below 0, so that
//!            there is nothing but sums (f and g may have both changed their signs).

use super::operands::ZETA;
use crate::{Isa, Limb, op::*};

op! {
    /// Division steps, as many as a digit of [`Divsteps::STEPS`] bits tells.
    pub struct Divsteps("mpn_divsteps");
    call: (r: *mut Limb, f: *const Limb, g: *const Limb, s: Limb) -> Limb;
    contract: Contract {
        effect: "r := matrix of 60 division steps of f, g, s; returns s",
        operands: &[
            Operand::out("r", Len::words(4)),
            Operand::input("f", Len::N).holding(Value::Odd),
            Operand::input("g", Len::N),
        ],
        scalar: Scalar::Secret(Word::Custom(&ZETA)),
        returns: Returns::Limb,
        same: &[],
        dims: Dims::OneOf(&[1]),
        timing: Timing::Constant,
        source: "Bernstein, Yang, CHES 2019",
    };
    kernels {
        x86_64 {
            cmov: Isa::NONE;
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.p[2], x.s);
}

impl Divsteps {
    /// Steps of a matrix.
    pub const STEPS: usize = 3 * THIRD;

    /// The matrix of the steps of an odd f and g that these lowest digits tell, and what zeta becomes.
    ///
    /// ```
    /// use carrysave_kernels::{Cpu, mpn::Divsteps};
    /// // At once g becomes f, and 0 where f comes to it; then it is halved 59 times.
    /// let mut zeta = 100;
    /// let matrix = Divsteps::best(Cpu::native()).call(&mut zeta, &-1, &1);
    /// assert_eq!((matrix, zeta), ([[1 << 60, 0], [1, 1]], 40));
    /// ```
    #[inline]
    pub fn call(&self, zeta: &mut i64, f: &i64, g: &i64) -> [[i64; 2]; 2] {
        let mut r = [[0; 2]; 2];
        // SAFETY: four limbs, one and one, with signs; `all` checked the processor.
        *zeta = unsafe {
            let r = r.as_flattened_mut().as_mut_ptr();
            (self.f)(
                r.cast(),
                (&raw const *f).cast(),
                (&raw const *g).cast(),
                *zeta as Limb,
            )
        } as i64;
        r
    }
}

/// Steps that are worked out at once, in two words: below, the lowest bits of f and g; above, what they are made of (the
/// idea is that of s2n-bignum). As many as leave room for 2^20 times as much, twice, and signs.
const THIRD: usize = 20;

/// The contract, by a way to do a third of the steps on f, g and s.
///
/// # Safety
/// r is valid for writes of four limbs, f and g for reads of one.
#[inline(always)]
unsafe fn by_thirds(
    r: *mut Limb,
    f: *const Limb,
    g: *const Limb,
    s: Limb,
    steps: impl Fn(i64, i64, i64) -> [i64; 3],
) -> Limb {
    // SAFETY: the caller's.
    let (mut f, mut g, mut s) = unsafe { (*f as i64, *g as i64, s as i64) };
    let mut matrix = [[1, 0], [0, 1]];
    for _ in 0..3 {
        // With the entries (u, v), (q, t) after some steps, these hold f + 2^40 u' + 2^62 v', and g the same with q and t,
        // where u' is u over 2 to the number of steps. So both are halved alike. f and g are within 2^19.
        let [of_f, of_g];
        [of_f, of_g, s] = steps(lowest(f) + (1 << 40), lowest(g) + (1 << 62), s);
        let [[u, v], [q, t]] = [entries(of_f), entries(of_g)];
        (f, g) = (sum(u, f, v, g) >> THIRD, sum(q, f, t, g) >> THIRD);
        let [first, second] = matrix;
        let row = |a, b| {
            [
                sum(a, first[0], b, second[0]),
                sum(a, first[1], b, second[1]),
            ]
        };
        matrix = [row(u, v), row(q, t)];
    }
    // SAFETY: there are four.
    unsafe { r.cast::<[[i64; 2]; 2]>().write(matrix) };
    s as Limb
}

/// The bits that decide the steps of a third, with a sign.
fn lowest(x: i64) -> i64 {
    x << (64 - THIRD) >> (64 - THIRD)
}

/// The two entries of a matrix that one word holds above its lowest bits.
fn entries(x: i64) -> [i64; 2] {
    [((x + (1 << 19)) << 22) >> 42, (x + (1 << 41)) >> 42]
}

fn sum(a: i64, x: i64, b: i64, y: i64) -> i64 {
    a.wrapping_mul(x).wrapping_add(b.wrapping_mul(y))
}
