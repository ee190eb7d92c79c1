//! What the judge and a worker that times say to each other. Data only.
//!
//! A worker times one side, the kernel or the baseline, in a context of its own. The judge asks for one
//! sample after the other, now here and now there, so that the two never run at once.

use serde::{Deserialize, Serialize};

use super::Code;
use crate::plan::{BufferId, Expectation, Plan};

/// Everything that a worker needs before it can take samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The GPU.
    pub uuid: String,
    /// What is timed.
    pub code: Code,
    /// The cases; samples name them by position.
    pub cases: Vec<TimedCase>,
    /// The trusted kernel that says what is right; empty where nothing is compared with it.
    pub reference: Code,
    /// Trusted kernels that flush the cache and measure the roof (`kernels/probes.cu`).
    pub probes: Code,
    /// Trusted kernels that fill and check (`kernels/checks.cu`).
    pub checks: Code,
    /// What every run is protected by: all of it, but in a proof that each is needed.
    pub safeguards: Safeguards,
}

/// What a worker does around every run so that a kernel gains nothing from any other
/// (`judge::Defence` says what each is).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Safeguards {
    pub shuffled_addresses: bool,
    pub reset_variables: bool,
    pub prefill: bool,
    pub cold_cache: bool,
    pub guards: bool,
    pub inputs: bool,
    /// Without it, expected elements lie at the very end of the memory while the kernel runs, and are
    /// what it is compared with.
    pub late_expectations: bool,
}

impl Default for Safeguards {
    fn default() -> Self {
        Safeguards {
            shuffled_addresses: true,
            reset_variables: true,
            prefill: true,
            cold_cache: true,
            guards: true,
            inputs: true,
            late_expectations: true,
        }
    }
}

/// One case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedCase {
    /// The plan; what it expects is in `expectations` and reaches the GPU only after the kernel has ended.
    pub plan: Plan,
    /// What its outputs must be; none where nothing is to be checked.
    pub expectations: Vec<Expectation>,
    /// The reference kernel's plan, where an expectation needs it.
    pub reference: Option<Plan>,
    /// True if every run gets new values. Listed elements are right only for the plan's own.
    pub fresh: bool,
}

impl TimedCase {
    /// A plan with a run's values.
    pub fn with_values(&self, plan: &Plan, values: u64) -> Plan {
        if self.fresh { plan.reseeded(values) } else { plan.clone() }
    }
}

/// What a worker says when it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    /// What two marks with nothing between them are apart; subtracted from every time.
    pub clock_microseconds: f64,
    /// The GPU's L2 cache in bytes.
    pub l2_bytes: u64,
}

/// A sample to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Run a case's plan.
    Run {
        /// Which case.
        case: usize,
        /// Whether everything that it wrote is checked.
        checked: bool,
        /// The secret that the values are made from.
        values: u64,
        /// The secret that addresses, guard bands and what outputs hold before are made from.
        memory: u64,
        /// Elements of outputs that are wanted back.
        spots: Vec<(BufferId, usize)>,
    },
    /// Copy so many bytes at the roof.
    Copy {
        /// Read, and as many written.
        bytes: u64,
    },
}

/// A sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// The time.
    pub microseconds: f64,
    /// The elements asked for.
    pub spots: Vec<Vec<u8>>,
}
