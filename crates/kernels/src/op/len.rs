//! Lengths of operands.

use core::fmt;

/// The length of an operand in limbs, as a function of the dimensions: `(c + a n + b m + d n m) / q`, rounded up.
///
/// ```
/// use carrysave_kernels::op::Len;
/// const ROWS: Len = Len::N.plus(Len::words(1)).by(Len::M).times(8);
/// assert_eq!(ROWS.limbs(2, 5), 120);
/// assert_eq!(ROWS.to_string(), "8nm+8m");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Len {
    words: isize,
    n: isize,
    m: isize,
    nm: isize,
    over: isize,
}

impl Len {
    const ZERO: Len = Len {
        words: 0,
        n: 0,
        m: 0,
        nm: 0,
        over: 1,
    };

    /// `n` limbs.
    pub const N: Len = Len { n: 1, ..Len::ZERO };

    /// `m` limbs.
    pub const M: Len = Len { m: 1, ..Len::ZERO };

    /// `count` limbs, whatever the dimensions.
    pub const fn words(count: usize) -> Len {
        Len {
            words: count as isize,
            ..Len::ZERO
        }
    }

    /// The sum of two lengths.
    ///
    /// # Panics
    /// If they are not rounded alike.
    pub const fn plus(self, other: Len) -> Len {
        assert!(self.over == other.over, "lengths that are rounded alike");
        Len {
            words: self.words + other.words,
            n: self.n + other.n,
            m: self.m + other.m,
            nm: self.nm + other.nm,
            over: self.over,
        }
    }

    /// The difference of two lengths.
    ///
    /// # Panics
    /// If they are not rounded alike.
    pub const fn minus(self, other: Len) -> Len {
        let over = other.over;
        let other = other.scaled(-1);
        self.plus(Len { over, ..other })
    }

    /// `factor` times the length.
    pub const fn times(self, factor: usize) -> Len {
        self.scaled(factor as isize)
    }

    const fn scaled(self, factor: isize) -> Len {
        Len {
            words: factor * self.words,
            n: factor * self.n,
            m: factor * self.m,
            nm: factor * self.nm,
            over: self.over,
        }
    }

    /// The product of a length in n and one in m.
    ///
    /// # Panics
    /// If one of them is rounded, or has both dimensions.
    pub const fn by(self, other: Len) -> Len {
        assert!(
            self.m == 0 && self.nm == 0 && self.over == 1,
            "a length in n"
        );
        assert!(
            other.n == 0 && other.nm == 0 && other.over == 1,
            "a length in m"
        );
        Len {
            words: self.words * other.words,
            n: self.n * other.words,
            m: self.words * other.m,
            nm: self.n * other.m,
            over: 1,
        }
    }

    /// The length divided by a number, rounded up.
    pub const fn over(self, divisor: usize) -> Len {
        Len {
            over: self.over * divisor as isize,
            ..self
        }
    }

    /// The length for dimensions `n` and `m`.
    pub const fn limbs(self, n: usize, m: usize) -> usize {
        let (n, m) = (n as isize, m as isize);
        let sum = self.words + self.n * n + self.m * m + self.nm * n * m;
        (sum as usize).div_ceil(self.over as usize)
    }
}

impl fmt::Display for Len {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = [
            (self.nm, "nm"),
            (self.n, "n"),
            (self.m, "m"),
            (self.words, ""),
        ];
        let mut text = String::new();
        for (factor, name) in terms.into_iter().filter(|(factor, _)| *factor != 0) {
            if factor > 0 && !text.is_empty() {
                text.push('+');
            }
            match factor {
                1 if !name.is_empty() => {}
                -1 if !name.is_empty() => text.push('-'),
                _ => text += &factor.to_string(),
            }
            text += name;
        }
        match (self.over, text.as_str()) {
            (1, "") => f.write_str("0"),
            (1, text) => f.write_str(text),
            (over, text) => write!(f, "({text})/{over}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Len;

    #[test]
    fn lengths_are_what_they_say() {
        for (len, text, at_3_and_5) in [
            (Len::N, "n", 3),
            (Len::M.times(2).plus(Len::words(2)), "2m+2", 12),
            (Len::N.plus(Len::M).times(8), "8n+8m", 64),
            (Len::N.over(2), "(n)/2", 2),
            (
                Len::N.by(Len::M.times(3).minus(Len::words(1))).over(8),
                "(3nm-n)/8",
                6,
            ),
            (Len::words(0), "0", 0),
        ] {
            assert_eq!(
                (len.to_string().as_str(), len.limbs(3, 5)),
                (text, at_3_and_5)
            );
        }
    }
}
