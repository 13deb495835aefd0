//! `mpn_tabselect`: r := row i of a table.
//!
//! Shapes     r\[n\], table\[n*m\] (m rows of n limbs), an index i < m; n >= 1, m >= 1.
//! Input      i may be secret.
//! Output     r is the row; zero if i >= m.
//! Overlap    none allowed.
//! Timing     every row is read whatever i is; depends on n and m only.
//! Source     GMP, mpn_sec_tabselect.

use crate::{Isa, Limb, op::*};

op! {
    /// Reads one row of a table without showing which.
    pub struct TabSelect("mpn_tabselect");
    call: (r: *mut Limb, table: *const Limb, n: usize, m: usize, i: usize);
    contract: Contract {
        effect: "r := row i of a table",
        operands: &[Operand::out("r", Len::N), Operand::input("table", Len::N.by(Len::M))],
        scalar: Scalar::Secret(Word::Range(0, Len::M)),
        returns: Returns::Nothing,
        same: &[],
        dims: Dims::Rows,
        timing: Timing::Constant,
        source: "GMP, mpn_sec_tabselect",
    };
    kernels {
        x86_64 {
            avx512: Isa::AVX512F.and(Isa::AVX2);
            avx2: Isa::AVX2;
        }
        any {
            portable: Isa::NONE;
        }
    }
    raw: |f, x| f(x.p[0], x.p[1], x.n, x.m, x.s as usize);
}

impl TabSelect {
    /// `r := table[i * n..][..n]`, touching all of the table.
    ///
    /// # Panics
    /// If `r` is empty or the table is not a whole, positive number of rows.
    pub fn call(&self, r: &mut [Limb], table: &[Limb], i: usize) {
        assert!(!r.is_empty() && !table.is_empty() && table.len().is_multiple_of(r.len()));
        // SAFETY: the shapes were checked above, the processor by `all`.
        unsafe {
            (self.f)(
                r.as_mut_ptr(),
                table.as_ptr(),
                r.len(),
                table.len() / r.len(),
                i,
            )
        }
    }
}
