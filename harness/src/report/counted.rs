//! Counters as JSON has them: with the sums and ratios that follow from them, so that a reader need not know
//! which.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use warpsim::{Counters, LineCounters, Place};

/// Counters and what follows from them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Counters")]
pub struct Counted {
    #[serde(flatten)]
    counters: Counters,
    /// Wavefronts of shared loads and stores beyond the ideal.
    shared_bank_conflicts: u64,
    /// The same of shared atomics.
    shared_atomic_conflicts: u64,
    /// Bytes of global memory moved, in whole sectors.
    global_bytes_moved: u64,
    /// Floating-point operations per byte moved; none where nothing was moved.
    arithmetic_intensity: Option<f64>,
    /// Active lanes as a share of all lanes of the issued instructions, 0 to 1; none where nothing was issued.
    simt_efficiency: Option<f64>,
}

/// The counters of one source line.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LineCounters")]
pub struct CountedLine {
    /// The line (column 0).
    place: Place,
    #[serde(flatten)]
    counters: Counted,
}

impl From<Counters> for Counted {
    fn from(counters: Counters) -> Self {
        Counted {
            counters,
            shared_bank_conflicts: counters.shared_bank_conflicts(),
            shared_atomic_conflicts: counters.shared_atomic_conflicts(),
            global_bytes_moved: counters.global_bytes_moved(),
            arithmetic_intensity: counters.arithmetic_intensity(),
            simt_efficiency: counters.simt_efficiency(),
        }
    }
}

/// Writes a launch's counters, for `serialize_with`.
///
/// # Errors
/// The serializer's.
pub fn total<S: Serializer>(counters: &Option<Counters>, serializer: S) -> Result<S::Ok, S::Error> {
    counters.map(Counted::from).serialize(serializer)
}

/// Writes the counters of lines, for `serialize_with`.
///
/// # Errors
/// The serializer's.
pub fn lines<S: Serializer>(lines: &[LineCounters], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(
        lines
            .iter()
            .map(|line| CountedLine { place: line.place.clone(), counters: Counted::from(line.counters) }),
    )
}
