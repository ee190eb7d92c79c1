//! Means and medians, and intervals from order statistics: how sure one may be without knowing the noise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TAIL;

/// A median with the interval that holds it (95 % over all looks). Without enough values for that, the
/// interval is from the least to the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The median.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The geometric mean of positive values: what stands for the ratios of several cases
/// together. None of no values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (count, logarithms) = values
        .into_iter()
        .fold((0_u32, 0.0), |(count, logarithms), value| (count + 1, logarithms + value.ln()));
    (count > 0).then(|| (logarithms / f64::from(count)).exp())
}

/// The median of a sample.
///
/// # Panics
/// If it is empty.
pub fn median(sample: &[f64]) -> f64 {
    quantile(sample, 0.5)
}

/// The value below which this share of a sample lies, interpolated.
///
/// # Panics
/// If the sample is empty.
pub fn quantile(sample: &[f64], share: f64) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// The median and the interval between two order statistics that misses it with probability at
/// most [`TAIL`] on either side, whatever the distribution; from the least to the greatest where
/// there are too few for that.
pub fn interval(sample: &[f64]) -> Interval {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = rank(sorted.len()).max(1);
    Interval { median: median(&sorted), low: sorted[rank - 1], high: sorted[sorted.len() - rank] }
}

/// The greatest `r` such that the `r`-th smallest of `count` values exceeds the median
/// with probability at most
/// [`TAIL`]: P(Binomial(count, ½) < r) ≤ TAIL. 0 if there is none.
pub(super) fn rank(count: usize) -> usize {
    // ln C(n, k) − n ln 2, summed up from k = 0; a few hundred values do not underflow in logarithms.
    let mut term = -(count as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    for rank in 0..count {
        below += term.exp();
        if below > TAIL {
            return rank;
        }
        term += ((count - rank) as f64).ln() - ((rank + 1) as f64).ln();
    }
    0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_geometric_mean_is_that_of_ratios() {
        assert!((geometric_mean([4.0, 1.0]).expect("two values") - 2.0).abs() < 1e-12);
        // Twice as fast in one case and half as fast in the other is no faster,
        // whichever is divided by which.
        assert!((geometric_mean([2.0, 0.5, 1.0]).expect("three values") - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }

    #[test]
    fn ranks_are_those_of_the_binomial() {
        // P(B(8, ½) ≤ 0) = 0.0039, P(B(15, ½) ≤ 2) = 0.0037, P(≤ 3) = 0.0176; P(B(30, ½) ≤ 7) =
        // 0.0026, P(≤ 8) = 0.0081.
        assert_eq!(rank(7), 0);
        assert_eq!(rank(8), 1);
        assert_eq!(rank(15), 3);
        assert_eq!(rank(30), 8);
        assert_eq!(rank(0), 0);
    }

    proptest! {
        #[test]
        fn intervals_hold_their_median_and_scale(
            sample in prop::collection::vec(0.1f64..10.0, 1..240),
            factor in 0.5f64..2.0,
        ) {
            let interval_ = interval(&sample);
            prop_assert!(interval_.low <= interval_.median && interval_.median <= interval_.high);
            let scaled: Vec<f64> = sample.iter().map(|value| value * factor).collect();
            prop_assert!((interval(&scaled).low - interval_.low * factor).abs() < 1e-9);
        }
    }
}
