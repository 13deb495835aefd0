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

/// The values of n to try: all small ones, then those around powers of two and a few large ones.
pub(crate) fn lengths() -> impl Iterator<Item = usize> {
    (1..=40).chain([47, 48, 63, 64, 65, 96, 127, 128, 129, 192, 256, 300])
}

impl Dims {
    /// The dimensions to try: for all small n, then those around powers of two and a few large ones; of a family's own
    /// dimensions those that it names.
    pub fn walk(&self) -> Vec<(usize, usize)> {
        match self {
            Dims::N => lengths().map(|n| (n, 0)).collect(),
            Dims::OneOf(lengths) => lengths.iter().map(|&n| (n, 0)).collect(),
            Dims::UpToN => lengths()
                .flat_map(|n| {
                    let all: Vec<usize> = match n {
                        ..=16 => (1..=n).collect(),
                        _ => vec![1, 2, 3, n / 2, n - 1, n],
                    };
                    all.into_iter().map(move |m| (n, m))
                })
                .collect(),
            Dims::Rows => lengths()
                .flat_map(|n| [1, 2, 3, 8, 16, 31, 32].map(|m| (n, m)))
                .collect(),
            Dims::Custom(sizes) => (sizes.walk)(),
        }
    }

    /// Whether there is a second dimension.
    pub fn has_m(&self) -> bool {
        match self {
            Dims::N | Dims::OneOf(_) => false,
            Dims::UpToN | Dims::Rows => true,
            Dims::Custom(_) => self.walk().iter().any(|(_, m)| *m > 0),
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
