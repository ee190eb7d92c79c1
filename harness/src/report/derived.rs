//! What follows from counting: sums, differences and ratios of counters, so that whoever reads JSON need not
//! know which.

use serde::Serialize;
use warpsim::Counters;

/// What follows from a launch's counters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Derived {
    /// Wavefronts of shared loads and stores beyond the ideal.
    pub shared_bank_conflicts: u64,
    /// The same of shared atomics.
    pub shared_atomic_conflicts: u64,
    /// Bytes of global memory moved, in whole sectors.
    pub global_bytes_moved: u64,
    /// Floating-point operations per byte moved; none where nothing was moved.
    pub arithmetic_intensity: Option<f64>,
    /// Active lanes as a share of all lanes of the issued instructions, 0 to 1; none where nothing was issued.
    pub simt_efficiency: Option<f64>,
}

impl From<&Counters> for Derived {
    fn from(counters: &Counters) -> Self {
        Derived {
            shared_bank_conflicts: counters.shared_bank_conflicts(),
            shared_atomic_conflicts: counters.shared_atomic_conflicts(),
            global_bytes_moved: counters.global_bytes_moved(),
            arithmetic_intensity: counters.arithmetic_intensity(),
            simt_efficiency: counters.simt_efficiency(),
        }
    }
}
