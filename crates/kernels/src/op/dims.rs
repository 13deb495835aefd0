//! The dimensions that a call may have.

/// The dimensions that a call may have.
#[derive(Clone, Copy, Debug)]
pub enum Dims {
    /// n is 1 or more; there is no m.
    N,
    /// n is one of these; there is no m.
    OneOf(&'static [usize]),
    /// m is 1 to n.
    UpToN,
    /// n and m are 1 or more: the words of a row, and the rows of a table.
    Rows,
    /// Dimensions that the family defines.
    Custom(&'static Sizes),
}

/// The dimensions that a family defines for itself.
#[derive(Debug)]
pub struct Sizes {
    /// What n and m are.
    pub about: &'static str,
    /// The dimensions to try: all small ones, those at which kernels change their method, and a few large ones.
    pub walk: fn() -> Vec<(usize, usize)>,
    /// The dimensions for numbers, or data, of a given bit length, if there are any: what a bench takes.
    pub of_bits: fn(usize) -> Option<(usize, usize)>,
}

impl Dims {
    /// Whether there is a second dimension.
    pub fn has_m(&self) -> bool {
        match self {
            Dims::N | Dims::OneOf(_) => false,
            Dims::UpToN | Dims::Rows => true,
            Dims::Custom(sizes) => (sizes.walk)().iter().any(|(_, m)| *m > 0),
        }
    }

    /// The dimensions for numbers of `bits` bits, if there are any. A table has the rows of a window of five bits.
    pub fn of_bits(&self, bits: usize) -> Option<(usize, usize)> {
        let n = bits / 64;
        match self {
            Dims::N => Some((n, 0)),
            Dims::OneOf(lengths) => lengths.contains(&n).then_some((n, 0)),
            Dims::UpToN => Some((n, n)),
            Dims::Rows => Some((n, 32)),
            Dims::Custom(sizes) => (sizes.of_bits)(bits),
        }
    }
}
