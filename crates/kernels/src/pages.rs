//! Large pages for long numbers.

use crate::Limb;

/// Zeros, backed by large pages of the system where they are many and it has such pages.
///
/// Each new page of 4 KiB takes about as long as to write it, and long strides find more pages than a processor keeps
/// addresses of.
///
/// ```
/// use carrysave_kernels::zeros;
/// assert!(zeros(1 << 20).iter().all(|&word| word == 0));
/// ```
pub fn zeros(len: usize) -> Vec<Limb> {
    let mut words = vec![0; len];
    prefer_large_pages(&mut words);
    words
}

/// Asks the system for large pages in the place of those that nothing was written to yet.
fn prefer_large_pages(words: &mut [Limb]) {
    /// The bytes from which a vector gains: two pages of 2 MiB.
    const LEAST: usize = 1 << 22;
    if size_of_val(words) < LEAST {
        return;
    }
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        const PAGE: usize = 1 << 16;
        const MADV_HUGEPAGE: i32 = 14;
        unsafe extern "C" {
            fn madvise(start: *mut Limb, len: usize, advice: i32) -> i32;
        }
        let start = words.as_mut_ptr();
        let skip = start.cast::<u8>().align_offset(PAGE);
        let len = (size_of_val(words) - skip) / PAGE * PAGE;
        // SAFETY: these pages are within the vector, and the advice leaves what is in them.
        let _ = unsafe { madvise(start.byte_add(skip), len, MADV_HUGEPAGE) };
    }
}
