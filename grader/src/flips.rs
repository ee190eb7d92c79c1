//! How often a verdict differs on a rerun: the record of `grader dev flips`, and its table in the book.

use std::fmt::Write as _;

use harness::report::Verdict;
use serde::{Deserialize, Serialize};

/// How far thresholds are put from the speed that was measured, in percent of it. Below zero the kernel must fail.
pub const DISTANCES: [i32; 6] = [-10, -5, -3, 3, 5, 10];

/// A study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// The day.
    pub date: String,
    /// The GPU.
    pub device: String,
    /// The compiler's version.
    pub compiler: String,
    /// Each kernel.
    pub kernels: Vec<Kernel>,
}

/// A kernel that was graded again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// The exercise's id.
    pub exercise: String,
    /// Its path below the course's root.
    pub file: String,
    /// The median of its ratio over the baseline, from runs of its own.
    pub speedup: f64,
    /// The medians of every regrading.
    pub medians: Vec<f64>,
    /// For each distance of the threshold the verdicts, in order.
    pub verdicts: Vec<Verdicts>,
}

/// The verdicts at one distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdicts {
    /// Percent by which the kernel is faster than the threshold.
    pub percent: i32,
    /// Each verdict.
    pub verdicts: Vec<Verdict>,
}

/// Verdicts counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    kernels: usize,
    regrades: usize,
    wrong: usize,
    inconclusive: usize,
}

/// The threshold that a kernel is so many percent faster than.
pub fn threshold(speedup: f64, percent: i32) -> f64 {
    speedup / (1.0 + f64::from(percent) / 100.0)
}

impl Study {
    /// Where the course's own lies, below its root.
    pub const FILE: &str = "solutions/measured/flips.json";

    fn count(&self, distance: i32) -> Count {
        let mut count = Count::default();
        for verdicts in self.kernels.iter().flat_map(|kernel| &kernel.verdicts) {
            if verdicts.percent.abs() != distance {
                continue;
            }
            let right = if verdicts.percent > 0 { Verdict::Passed } else { Verdict::Failed };
            let inconclusive =
                verdicts.verdicts.iter().filter(|&&verdict| verdict == Verdict::Inconclusive).count();
            let agreeing = verdicts.verdicts.iter().filter(|&&verdict| verdict == right).count();
            count.kernels += 1;
            count.regrades += verdicts.verdicts.len();
            count.inconclusive += inconclusive;
            count.wrong += verdicts.verdicts.len() - agreeing - inconclusive;
        }
        count
    }

    /// The book's table.
    pub fn table(&self, source: &str) -> String {
        let mut text =
            "| distance from the threshold | kernels | regrades | on the wrong side | inconclusive |\n\
                        |---:|---:|---:|---:|---:|\n"
                .to_owned();
        for distance in [3, 5, 10] {
            let Count { kernels, regrades, wrong, inconclusive } = self.count(distance);
            let _ = writeln!(text, "| {distance} % | {kernels} | {regrades} | {wrong} | {inconclusive} |");
        }
        let spread = self.kernels.iter().map(|kernel| {
            let least = kernel.medians.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = kernel.medians.iter().copied().fold(0.0, f64::max);
            (greatest / least - 1.0) * 100.0
        });
        let spread = spread.fold(0.0, f64::max);
        let _ = write!(
            text,
            "\nThe median ratio of one and the same kernel moved by {spread:.1} % at the most between its regradings.\n\n\
             *{}, {}, {}: `{source}`, made by `grader dev flips`.*\n",
            self.device, self.compiler, self.date
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_counted_by_distance_and_side() {
        use Verdict::{Failed, Inconclusive, Passed};
        let at = |percent, verdicts: &[Verdict]| Verdicts { percent, verdicts: verdicts.to_vec() };
        let study = Study {
            date: "2026-11-21".to_owned(),
            device: "a GPU".to_owned(),
            compiler: "NVRTC".to_owned(),
            kernels: vec![Kernel {
                exercise: "03-reduction".to_owned(),
                file: "kernel.cu".to_owned(),
                speedup: 2.0,
                medians: vec![2.0, 2.02],
                verdicts: vec![
                    at(3, &[Passed, Failed, Inconclusive]),
                    at(-3, &[Failed, Failed, Passed]),
                    at(5, &[Passed, Passed, Passed]),
                ],
            }],
        };
        assert_eq!(study.count(3), Count { kernels: 2, regrades: 6, wrong: 2, inconclusive: 1 });
        assert_eq!(study.count(5), Count { kernels: 1, regrades: 3, wrong: 0, inconclusive: 0 });
        let table = study.table("flips.json");
        assert!(table.contains("| 3 % | 2 | 6 | 2 | 1 |") && table.contains("moved by 1.0 %"), "{table}");
        assert!((threshold(1.05, 5) - 1.0).abs() < 1e-12 && threshold(1.0, -5) > 1.05);
    }
}
