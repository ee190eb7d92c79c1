//! How often a verdict differs on a rerun: the record of `workshop flips`, and its table in the book.

use std::{fmt, fmt::Write as _, path::Path};

use grader::{
    exit::{Result, Trouble},
    files,
};
use harness::{measure::median, report::Verdict};
use serde::{Deserialize, Serialize};

/// How far from the threshold kernels are made to sit, in percent of it. Below zero a kernel must fail.
pub const DISTANCES: [i32; 6] = [-10, -5, -3, 3, 5, 10];

/// A study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// The delay that it was slowed down by, if it was.
    pub delay: Option<Delay>,
    /// How often it was graded in one and the same pair of processes; the next regrading starts new ones.
    pub together: usize,
    /// Rounds that each regrading took; empty in records that did not keep them.
    pub rounds: Vec<u32>,
    /// Seconds on the clock for one regrading, with its share of starting the processes.
    pub seconds: f64,
    /// What it was graded against.
    pub goals: Vec<Goal>,
}

/// What makes a kernel slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delay {
    /// How many percent above the threshold it was to sit.
    pub percent: i32,
    /// Clock cycles.
    pub cycles: u64,
}

/// A threshold and what was found at it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// Which.
    pub name: Name,
    /// Least ratio that passes.
    pub threshold: f64,
    /// The median ratio of every regrading.
    pub medians: Vec<f64>,
    /// The verdict of every regrading.
    pub verdicts: Vec<Verdict>,
}

/// Which threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    /// The speedup that a pass needs.
    Pass,
    /// The expert goal: a speedup, or a share of the roof.
    Expert,
    /// A threshold of the study's own, put close to the kernel.
    Moved,
}

/// Distances from a threshold that a row of the table stands for, in percent: at least and below.
const ROWS: [(&str, f64, f64); 5] = [
    ("below 2 %", 0.0, 2.0),
    ("about 3 % (2 to 4)", 2.0, 4.0),
    ("about 5 % (4 to 7)", 4.0, 7.0),
    ("about 10 % (7 to 15)", 7.0, 15.0),
    ("15 % and more", 15.0, f64::INFINITY),
];

/// Verdicts counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    kernels: usize,
    regrades: usize,
    wrong: usize,
    inconclusive: usize,
}

impl Goal {
    /// Percent by which the kernel is above the threshold: the median of all regradings
    /// decides where it truly is.
    pub fn distance(&self) -> f64 {
        if self.medians.is_empty() { 0.0 } else { 100.0 * (median(&self.medians) / self.threshold - 1.0) }
    }

    /// Verdicts on the wrong side of the threshold, and those on neither.
    pub fn wrong_and_inconclusive(&self) -> (usize, usize) {
        let wrong = if self.distance() >= 0.0 { Verdict::Failed } else { Verdict::Passed };
        let count = |verdict: Verdict| self.verdicts.iter().filter(|&&found| found == verdict).count();
        (count(wrong), count(Verdict::Inconclusive) + count(Verdict::Unmeasured))
    }
}

impl Kernel {
    /// What `--only` looks at, such as `solutions/06-transpose/kernel.cu+5%`.
    pub fn label(&self) -> String {
        label(&self.file, self.delay.map(|delay| delay.percent))
    }

    fn regrades(&self) -> usize {
        match self.rounds.len() {
            0 => self.goals.iter().map(|goal| goal.verdicts.len()).sum(),
            regrades => regrades,
        }
    }
}

/// The label of a kernel.
pub fn label(file: &str, percent: Option<i32>) -> String {
    percent.map_or_else(|| file.to_owned(), |percent| format!("{file}{percent:+}%"))
}

impl Study {
    /// Where the course's own lie, below its root: one for each GPU that a study was made on.
    pub const FILES: [&str; 2] = ["solutions/measured/flips.json", "solutions/measured/flips-h100.json"];

    /// Reads a study; none where the file is missing.
    ///
    /// # Errors
    /// Wrong usage where it is no study.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                Trouble::usage(
                    format!("{} is no study: {error}", path.display()),
                    "make it on a GPU: cargo workshop flips --out FILE",
                )
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Trouble::usage(
                format!("could not read {}: {}", path.display(), files::explain(&error)),
                "make it readable, or name another file",
            )),
        }
    }

    /// Keeps a kernel in place of what was known of it.
    pub fn keep(&mut self, kernel: Kernel) {
        self.kernels.retain(|known| known.label() != kernel.label());
        self.kernels.push(kernel);
        let order = |kernel: &Kernel| (kernel.file.clone(), kernel.delay.map(|delay| delay.percent));
        self.kernels.sort_by_key(order);
    }

    /// Takes over the kernels of another study.
    ///
    /// # Errors
    /// What differs, where the two were not made on the same GPU with the same compiler.
    pub fn join(&mut self, other: Study) -> Result<(), String> {
        if self.kernels.is_empty() {
            *self = Study { kernels: Vec::new(), ..other.clone() };
        }
        if (&self.device, &self.compiler) != (&other.device, &other.compiler) {
            return Err(format!(
                "expected a study of {} and {}, found one of {} and {}",
                self.device, self.compiler, other.device, other.compiler
            ));
        }
        self.date = self.date.clone().max(other.date);
        other.kernels.into_iter().for_each(|kernel| self.keep(kernel));
        Ok(())
    }

    fn goals(&self) -> impl Iterator<Item = &Goal> {
        self.kernels.iter().flat_map(|kernel| &kernel.goals)
    }

    fn count(&self, least: f64, below: f64) -> Count {
        let mut count = Count::default();
        for goal in self.goals().filter(|goal| (least..below).contains(&goal.distance().abs())) {
            let (wrong, inconclusive) = goal.wrong_and_inconclusive();
            count.kernels += 1;
            count.regrades += goal.verdicts.len();
            count.wrong += wrong;
            count.inconclusive += inconclusive;
        }
        count
    }

    /// The book's table.
    pub fn table(&self, source: &str) -> String {
        let mut text =
            "| distance from the threshold | kernels | verdicts | on the wrong side | inconclusive |\n\
                        |---:|---:|---:|---:|---:|\n"
                .to_owned();
        for (row, least, below) in ROWS {
            let Count { kernels, regrades, wrong, inconclusive } = self.count(least, below);
            if kernels > 0 {
                let _ = writeln!(text, "| {row} | {kernels} | {regrades} | {wrong} | {inconclusive} |");
            }
        }
        let spread = |goal: &Goal| {
            let least = goal.medians.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = goal.medians.iter().copied().fold(0.0, f64::max);
            (greatest / least - 1.0) * 100.0
        };
        let spread = self.goals().map(spread).fold(0.0, f64::max);
        let _ = write!(
            text,
            "\n{self} The median ratio of one and the same kernel moved by {spread:.1} % at the most between its regradings.\n"
        );
        let _ = write!(
            text,
            "\n*{}, {}, {}: `{source}`, made by `workshop flips`.*\n",
            self.device, self.compiler, self.date
        );
        text
    }
}

/// What was graded, in a paragraph.
impl fmt::Display for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let regrades: usize = self.kernels.iter().map(Kernel::regrades).sum();
        let slowed = self.kernels.iter().filter(|kernel| kernel.delay.is_some()).count();
        let moved = |kernel: &&Kernel| kernel.goals.iter().any(|goal| goal.name == Name::Moved);
        let moved = self.kernels.iter().filter(moved).count();
        let as_they_are = self.kernels.len() - slowed - moved;
        write!(f, "{} kernels in {regrades} regradings:", self.kernels.len())?;
        let mut parts = Vec::new();
        if as_they_are > 0 {
            parts.push(format!("{as_they_are} as the course has them, against its thresholds"));
        }
        if slowed > 0 {
            parts.push(format!("{slowed} slowed down until they sit close to the course's threshold"));
        }
        if moved > 0 {
            parts.push(format!("{moved} against thresholds that were moved close to them"));
        }
        write!(f, " {}.", parts.join("; "))?;
        let together = self.kernels.iter().map(|kernel| kernel.together).max().unwrap_or(1);
        if together > 1 {
            write!(
                f,
                " Up to {together} regradings of a kernel share a pair of processes; then new ones are started."
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(threshold: f64, medians: &[f64], verdicts: &[Verdict]) -> Goal {
        Goal { name: Name::Pass, threshold, medians: medians.to_vec(), verdicts: verdicts.to_vec() }
    }

    fn kernel(percent: Option<i32>, goals: Vec<Goal>) -> Kernel {
        Kernel {
            exercise: "03-reduction".to_owned(),
            file: "solutions/03-reduction/kernel.cu".to_owned(),
            delay: percent.map(|percent| Delay { percent, cycles: 1000 }),
            together: 4,
            rounds: vec![8; 3],
            seconds: 1.0,
            goals,
        }
    }

    fn study(kernels: Vec<Kernel>) -> Study {
        Study {
            date: "2026-11-21".to_owned(),
            device: "a GPU".to_owned(),
            compiler: "NVRTC".to_owned(),
            kernels,
        }
    }

    #[test]
    fn verdicts_are_counted_by_the_side_that_the_kernel_truly_is_on() {
        use Verdict::{Failed, Inconclusive, Passed};
        let study = study(vec![
            kernel(Some(3), vec![goal(1.0, &[1.02, 1.03, 1.04], &[Passed, Failed, Inconclusive])]),
            kernel(Some(-3), vec![goal(1.0, &[0.97, 0.97, 0.97], &[Failed, Failed, Passed])]),
            kernel(None, vec![goal(2.0, &[8.0; 3], &[Passed; 3]), goal(0.9, &[0.95; 3], &[Passed; 3])]),
        ]);
        assert_eq!(study.count(2.0, 4.0), Count { kernels: 2, regrades: 6, wrong: 2, inconclusive: 1 });
        assert_eq!(study.count(4.0, 7.0), Count { kernels: 1, regrades: 3, wrong: 0, inconclusive: 0 });
        assert_eq!(study.count(15.0, f64::INFINITY).kernels, 1);
        let table = study.table("flips.json");
        assert!(table.contains("| about 3 % (2 to 4) | 2 | 6 | 2 | 1 |"), "{table}");
        assert!(table.contains("3 kernels in 9 regradings: 1 as the course has them"), "{table}");
        assert!(table.contains("2 slowed down") && table.contains("moved by 2.0 %"), "{table}");
        // Where a kernel was meant to sit counts for nothing.
        let missed = kernel(Some(10), vec![goal(1.0, &[1.05], &[Passed])]);
        assert_eq!(Study { kernels: vec![missed], ..study }.count(4.0, 7.0).kernels, 1);
    }

    #[test]
    fn parts_of_a_study_join_and_never_two_machines() {
        let mut all = Study::default();
        all.join(study(vec![kernel(None, Vec::new()), kernel(Some(5), Vec::new())])).expect("the first");
        let again = Kernel { seconds: 2.0, ..kernel(Some(5), Vec::new()) };
        all.join(study(vec![again, kernel(Some(-5), Vec::new())])).expect("the same machine");
        let labels: Vec<String> = all.kernels.iter().map(Kernel::label).collect();
        let file = "solutions/03-reduction/kernel.cu";
        assert_eq!(labels, [file.to_owned(), format!("{file}-5%"), format!("{file}+5%")]);
        assert_eq!(all.kernels[2].seconds, 2.0, "the later one replaces the earlier");
        let other = Study { device: "another".to_owned(), ..study(vec![kernel(None, Vec::new())]) };
        assert!(all.join(other).expect_err("another machine").contains("another"));
    }
}
