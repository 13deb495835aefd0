//! Medians and quartiles: what is left of a sample on a machine that does other things as well.

/// The value at fraction `q` of the sorted sample, between neighbours in proportion.
///
/// # Panics
/// If the sample is empty, or holds something that is not a number.
pub fn quantile(sample: &[f64], q: f64) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("a sample holds numbers"));
    let place = q * (sorted.len() - 1) as f64;
    let (below, above) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    below + (above - below) * place.fract()
}

/// The middle value.
///
/// # Panics
/// As [`quantile`].
///
/// ```
/// assert_eq!(carrysave_measure::stats::median(&[9.0, 1.0, 2.0]), 2.0);
/// ```
pub fn median(sample: &[f64]) -> f64 {
    quantile(sample, 0.5)
}

/// The width of the middle half: upper quartile less lower quartile.
///
/// # Panics
/// As [`quantile`].
pub fn spread(sample: &[f64]) -> f64 {
    quantile(sample, 0.75) - quantile(sample, 0.25)
}

/// `x` rounded to `digits` significant decimal digits, so that records hold no noise.
pub fn significant(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits.saturating_sub(1))
        .parse()
        .expect("a number that was just written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_samples() {
        assert_eq!(median(&[4.0]), 4.0);
        assert_eq!(median(&[4.0, 1.0]), 2.5);
        assert_eq!(median(&[5.0, 1.0, 1000.0, 2.0, 3.0]), 3.0);
        assert_eq!(spread(&[4.0]), 0.0);
        assert_eq!(spread(&[1.0, 2.0, 3.0, 4.0, 5.0]), 2.0);
        // Quartiles of 1..=8 by linear interpolation: 2.75 and 6.25.
        assert_eq!(spread(&[8.0, 1.0, 7.0, 2.0, 6.0, 3.0, 5.0, 4.0]), 3.5);
        // One outlier moves neither.
        assert_eq!(spread(&[1.0, 2.0, 3.0, 4.0, 1e9]), 2.0);
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.0), 1.0);
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 1.0), 3.0);
    }

    #[test]
    fn rounding() {
        assert_eq!(significant(123_456.0, 3), 123_000.0);
        assert_eq!(significant(0.001_234_56, 2), 0.001_2);
        assert_eq!(significant(0.0, 3), 0.0);
    }
}
