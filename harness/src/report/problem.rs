//! What a kernel does that its exercise may forbid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an exercise forbids unless it says otherwise ([`crate::exercise::Permits`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A device variable that the kernel writes to outlives the launch.
    Variable,
    /// So does the device's heap.
    Heap,
    /// PTX of the learner's own (`asm`).
    OwnPtx,
    /// A macro that can write PTX into a header.
    Macro,
    /// A look at the clock.
    Clock,
    /// A look at where on the machine it runs.
    Machine,
}

/// One such thing in a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Which rule it touches.
    pub rule: Rule,
    /// The learner's line (from 1), where one is known.
    pub line: Option<u32>,
    /// What it concerns: the variables, the macro, the special registers.
    pub names: Vec<String>,
}
