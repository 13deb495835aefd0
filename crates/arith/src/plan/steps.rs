//! Choices by size.

/// A size that is never reached: a choice that begins there is not used.
pub const NEVER: usize = usize::MAX;

/// Choices by size, each with the last size that it holds for, ascending; the last choice holds for all larger sizes.
pub type Steps<T> = &'static [(usize, T)];

/// The choice for a size.
///
/// # Panics
/// If the last step is not open.
///
/// ```
/// use carrysave_arith::{NEVER, choose};
/// assert_eq!(choose(&[(4, 'a'), (NEVER, 'b')], 5), 'b');
/// ```
pub fn choose<T: Copy>(steps: Steps<T>, size: usize) -> T {
    let step = steps.iter().find(|(up_to, _)| size <= *up_to);
    step.expect("the last step is open").1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_holds_up_to_its_size() {
        let steps: Steps<char> = &[(7, 'a'), (9, 'b'), (NEVER, 'c')];
        assert_eq!(
            [0, 7, 8, 9, 10, NEVER].map(|size| choose(steps, size)),
            ['a', 'a', 'b', 'b', 'c', 'c']
        );
    }
}
