//! The record of a GPU run: what every kernel of the course did there, what the vendor's libraries reach, and
//! the figures in circulation. Tables in README and book are made from it, thresholds are compared with it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use grader::{
    exit::{Result, Trouble},
    files,
    kernels::Candidate,
};
use harness::report::{GoalResult, SpeedReport, Verdict};
use serde::{Deserialize, Serialize};

/// What to do where no record is.
const MAKE_IT: &str = "make it on a GPU: cargo workshop measure --out FILE";

/// What was run, when and on what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The day.
    pub date: String,
    /// The devices, e.g. `gpu:0 (NVIDIA H200) + sim:h200`.
    pub device: String,
    /// The compiler's version.
    pub compiler: String,
    /// The course's kernels.
    pub kernels: Vec<KernelRecord>,
    /// The vendor's libraries on the same cases; empty where no CUDA toolkit was.
    #[serde(default)]
    pub peers: Vec<PeerRecord>,
    /// Figures in circulation; empty where no CUDA toolkit was.
    #[serde(default)]
    pub figures: Vec<FigureRecord>,
    /// Seconds that the run spent, by what it did; what is from an older run has none.
    #[serde(default)]
    pub seconds: BTreeMap<String, f64>,
}

/// One kernel, what must become of it and what did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KernelRecord {
    /// The exercise's id.
    pub exercise: String,
    /// The kernel, and its reason where it must be rejected.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Hash of its code; empty in older records.
    #[serde(default)]
    pub code: String,
    /// The check's verdict.
    pub verdict: Verdict,
    /// Every goal.
    pub goals: Vec<GoalResult>,
    /// The timed cases.
    pub speed: Vec<SpeedReport>,
    /// What broke the contract: sentences.
    pub problems: Vec<String>,
}

/// One library call on one case, as `kernels/peers` prints it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PeerRecord {
    /// The exercise whose timed case it is.
    pub exercise: String,
    /// The function, e.g. `cub::DeviceReduce::Max`.
    pub peer: String,
    /// The library's version.
    pub version: String,
    /// The case, e.g. `2^28 floats`.
    pub case: String,
    /// Bytes that it must move at the least.
    pub bytes: f64,
    /// Floating-point operations; 0 where bytes are what counts.
    pub operations: f64,
    /// Bytes per second of a plain copy, timed in turn with it.
    pub copy_bytes_per_second: f64,
    /// Every sample, cold L2.
    pub microseconds: Vec<f64>,
}

impl PeerRecord {
    /// The median time.
    pub fn median_microseconds(&self) -> f64 {
        harness::measure::median(&self.microseconds)
    }
}

/// A figure in circulation as measured, as `kernels/peers` prints it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FigureRecord {
    /// What, e.g. `shared latency`.
    pub figure: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: String,
    /// Measured how.
    pub how: String,
}

impl Record {
    /// The GPU's short name, e.g. `H100` of `gpu:0 (NVIDIA H100 80GB HBM3) + sim:h200`.
    pub fn gpu(&self) -> &str {
        let name = self.device.split_once('(').map_or(self.device.as_str(), |(_, name)| name);
        name.trim_start_matches("NVIDIA ").split([' ', ')']).next().unwrap_or(name)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Wrong usage where it is missing or no record.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|error| {
            Trouble::usage(format!("could not read {}: {}", path.display(), files::explain(&error)), MAKE_IT)
        })?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Trouble::usage(format!("{} is no record: {error}", path.display()), MAKE_IT))
    }

    /// True if the kernel of this file, below the course's root, has run with this code. Older records don't say which code they ran: there
    /// the name must do.
    pub fn has_run(&self, file: &str, code: &str) -> bool {
        let is_it = |kernel: &KernelRecord| {
            kernel.candidate.file == Path::new(file) && (kernel.code.is_empty() || kernel.code == code)
        };
        self.kernels.iter().any(is_it)
    }

    /// What an older record has and this one lacks, if both are of the same devices and compiler: an
    /// exercise, the peers or the figures that were not measured this time.
    pub fn fill_from(&mut self, older: Record) {
        if older.device != self.device || !(self.compiler.is_empty() || older.compiler == self.compiler) {
            return;
        }
        self.compiler = older.compiler;
        let again: BTreeSet<String> = self.kernels.iter().map(|kernel| kernel.exercise.clone()).collect();
        self.kernels.extend(older.kernels.into_iter().filter(|kernel| !again.contains(&kernel.exercise)));
        // Stable: an exercise's kernels keep their order.
        self.kernels.sort_by(|a, b| a.exercise.cmp(&b.exercise));
        if self.peers.is_empty() {
            self.peers = older.peers;
        }
        if self.figures.is_empty() {
            self.figures = older.figures;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(device: &str, exercises: &[&str], date: &str) -> Record {
        let kernel = |exercise: &&str| KernelRecord {
            exercise: (*exercise).to_owned(),
            candidate: Candidate {
                role: grader::kernels::Role::Solution,
                file: date.into(),
                source: String::new(),
                fails: BTreeSet::new(),
                may_fail: BTreeSet::new(),
            },
            code: String::new(),
            verdict: Verdict::Passed,
            goals: Vec::new(),
            speed: Vec::new(),
            problems: Vec::new(),
        };
        Record {
            date: date.to_owned(),
            device: device.to_owned(),
            compiler: "NVRTC".to_owned(),
            kernels: exercises.iter().map(kernel).collect(),
            peers: Vec::new(),
            figures: Vec::new(),
            seconds: BTreeMap::new(),
        }
    }

    #[test]
    fn what_is_measured_again_replaces_what_was() {
        let mut new = record("h200", &["03"], "new");
        new.fill_from(record("h200", &["00", "03", "17"], "old"));
        let found: Vec<_> =
            new.kernels.iter().map(|k| format!("{} {}", k.exercise, k.candidate.file.display())).collect();
        assert_eq!(found, ["00 old", "03 new", "17 old"]);
        assert_eq!(new.date, "new");
    }

    #[test]
    fn a_gpu_has_a_short_name() {
        for device in ["gpu:0 (NVIDIA H100 80GB HBM3) + sim:h200", "gpu:1 (NVIDIA H100) + sim:h200", "H100"] {
            assert_eq!(record(device, &[], "").gpu(), "H100", "{device}");
        }
    }

    #[test]
    fn two_devices_are_never_mixed() {
        let mut new = record("h200", &["03"], "new");
        new.fill_from(record("a100", &["00", "03"], "old"));
        assert_eq!(new.kernels.len(), 1);
    }
}
