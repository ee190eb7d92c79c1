//! What the simulator reports: a defect or remark, told in the learner's own source lines.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::source::Place;

/// The class of a finding. The snake_case names are part of the JSON format.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum FindingKind {
    /// Two accesses to the same bytes, at least one a write, that nothing orders.
    Race,
    /// Threads of one block that did not meet at the same barrier.
    BarrierDivergence,
    /// A warp-level operation whose mask names lanes that do not take part, or lacks the lane itself. Reading
    /// from a lane that takes no part is a note; using what was read is an [`FindingKind::UninitializedRead`].
    InvalidMask,
    /// Every remaining thread waits for something that cannot come.
    Deadlock,
    /// The instruction budget ran out before the kernel ended.
    Unfinished,
    /// An access outside every allocation, or outside the one its address was derived from.
    OutOfBounds,
    /// An address that is not a multiple of the access size.
    Misaligned,
    /// A value that nothing wrote decided a branch, an address or an output.
    UninitializedRead,
    /// `assert` failed.
    Assertion,
    /// The kernel executed `trap`.
    Trap,
    /// Calls nested deeper than the stack allows.
    StackOverflow,
    /// Device-side `malloc` ran out.
    HeapOverflow,
    /// An instruction or feature that the simulator lacks.
    Unsupported,
}

impl FindingKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// How bad a finding is. Only errors make a kernel unclean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Severity {
    /// The kernel is wrong, whatever today's hardware makes of it.
    Error,
    /// Risky, or right only by a guarantee that the source does not state.
    Warning,
    /// Worth knowing; changes no verdict.
    Note,
}

impl Severity {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The PTX state space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Space {
    /// Visible to the whole grid.
    Global,
    /// Visible to one block.
    Shared,
    /// Private to one thread.
    Local,
    /// Read-only, filled by the host.
    Constant,
    /// Kernel parameters.
    Param,
}

/// A thread's coordinates in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thread {
    /// `blockIdx` as x, y, z.
    pub block: [u32; 3],
    /// `threadIdx` as x, y, z.
    pub thread: [u32; 3],
}

/// Where an address lies relative to the allocation it belongs to or is nearest to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Allocation {
    /// The variable's or buffer's name, e.g. `tile` or `argument 0`.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The access's first byte relative to the allocation's first byte; negative before it.
    pub offset: i64,
    /// How many bytes outside the allocation the access ends up; 0 when inside.
    pub distance: u64,
}

/// What one side of a finding does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Side {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It updates by an atomic.
    Atomic,
}

/// One defect or remark, merged over all the threads that showed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// Its class.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// The state space concerned, where there is one.
    pub space: Option<Space>,
    /// Where it happened, in the learner's source.
    pub place: Option<Place>,
    /// The other side: the earlier access of a race, the other barrier.
    pub other: Option<Place>,
    /// The first threads concerned, this side's first (at most 4).
    pub threads: Vec<Thread>,
    /// Of a race, what is done at [`Finding::place`] and at [`Finding::other`]; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
    /// The first address concerned.
    pub address: Option<u64>,
    /// The allocation concerned and where the address lies in it.
    pub allocation: Option<Allocation>,
    /// Bytes of the elements that are accessed, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_bytes: Option<u8>,
    /// The budget in warp instructions, where the finding is that the launch used it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// How many thread-level occurrences were merged into this finding.
    pub count: u64,
    /// A sentence that says what, why and what to do.
    pub message: String,
    /// Which order of warps and blocks shows it ([`crate::Schedules`]), where that is
    /// not the first that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<u64>,
    /// One sentence: what to do next, where the class alone does not say it. Not in JSON, where the report has one for all.
    #[serde(skip)]
    pub next: Option<String>,
}

impl Finding {
    /// A finding that is known by no more than these; what else is known is put into its fields.
    pub fn new(kind: FindingKind, severity: Severity, message: impl Into<String>) -> Finding {
        Finding {
            kind,
            severity,
            space: None,
            place: None,
            other: None,
            threads: Vec::new(),
            sides: Vec::new(),
            address: None,
            allocation: None,
            element_bytes: None,
            budget: None,
            count: 1,
            message: message.into(),
            schedule: None,
            next: None,
        }
    }

    /// How many whole elements so many bytes of the allocation are, where elements are worth counting: what lies on a
    /// thread's stack is no array, and an access of 16 bytes says little about what the array is made of.
    pub fn elements(&self, bytes: i64) -> Option<i64> {
        let element = i64::from(self.element_bytes?);
        let counts = (2..=8).contains(&element) && self.space != Some(Space::Local);
        (counts && bytes % element == 0).then(|| bytes / element)
    }

    /// True for findings that make a kernel unclean.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
