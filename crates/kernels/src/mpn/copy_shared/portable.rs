//! Plain Rust: a word after the other, of memory that no thread shares. What is shared are cells, which the handle loads
//! and stores itself.

use crate::Limb;

/// # Safety
/// The contract of `mpn_copy_shared`, and no other thread uses these words meanwhile.
pub unsafe fn kernel(r: *mut Limb, a: *const Limb, n: usize) {
    for i in 0..n {
        // SAFETY: i < n.
        unsafe { r.add(i).write(a.add(i).read()) };
    }
}
