//! Tables that are made when they are first needed.

use std::sync::OnceLock;

/// The value of a cell, made on first use. Threads that meet here each make it, and one of them is kept: so it is made
/// outside of any lock, and a process that forks meanwhile leaves its child none that nobody opens.
///
/// ```
/// use carrysave_team::once;
/// use std::sync::OnceLock;
/// static SQUARES: OnceLock<Vec<u64>> = OnceLock::new();
/// assert_eq!(once(&SQUARES, || (0..10).map(|x| x * x).collect())[9], 81);
/// ```
pub fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    match cell.get() {
        Some(made) => made,
        None => {
            let made = make();
            cell.get_or_init(|| made)
        }
    }
}
