//! What stands between a hostile kernel and a pass, by name, so that the cheat book can take one away.
//!
//! Every cheat of the book must win with one defence missing and lose with all in place; only that
//! shows that the defence is what stops it. Where several would each stop a cheat, it must win with all
//! of them missing and lose with any one. All are in place by default. Taking some away is for that
//! proof: it takes a line of trusted host code ([`Defences::without`]), no option, environment variable
//! or file of a learner leads here.

use std::{collections::BTreeSet, fmt};

use strum::{IntoStaticStr, VariantArray};

use crate::device::timed::Safeguards;

/// One defence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Defence {
    /// What a kernel keeps between launches, its own PTX and its looks at the machine are found in its PTX
    /// (`judge::audit`).
    Audit,
    /// The compiler is shut in.
    Confinement,
    /// `#line` is refused.
    Directives,
    /// What the compiler prints is made harmless before anyone reads it.
    CleanLog,
    /// A compilation may use so much memory and time and no more.
    CompileLimits,
    /// Defects that change no output (races, undefined data) fail a kernel.
    Findings,
    /// A plan is run in a second environment, with other addresses, clocks, last bits and orders.
    Environments,
    /// Right is as close as the exercise says.
    Tolerance,
    /// A kernel may execute so many instructions and no more.
    Budget,
    /// Inputs must be as they were.
    Inputs,
    /// On the simulator's second pass reads of shared memory take times that nobody can foretell, and what
    /// was measured must follow them (`device::clock`).
    SecretClock,
    /// Every timed run has values of its own.
    FreshValues,
    /// Elements of another size lie in secret places of timed inputs, so that neither their distribution nor a sample
    /// says what comes of them.
    Strays,
    /// No time is believed that is far below what a copy of as many bytes takes.
    MemorySpeed,
    /// Every timed run has its buffers elsewhere.
    ShuffledAddresses,
    /// A module's variables are before every timed run what they were when it was loaded.
    ResetVariables,
    /// Whatever an earlier run left in memory, outputs and all that is no buffer included, is
    /// overwritten before a timed run.
    Prefill,
    /// A timed run begins with nothing of use in the L2 cache.
    ColdCache,
    /// A timed run must leave alone what lies around its buffers.
    Guards,
    /// What is right reaches the GPU after a timed run has ended.
    LateExpectations,
    /// Every timed run is checked, not only the first of a case.
    EverySample,
    /// The host computes some elements of a timed run again.
    Recomputation,
}

impl Defence {
    /// Its name in the cheat book.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Defence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The defences in place; by default all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defences {
    missing: BTreeSet<Defence>,
}

impl Defences {
    /// All but these: what a cheat wins against. Never for judging.
    pub fn without(missing: impl IntoIterator<Item = Defence>) -> Self {
        Defences { missing: missing.into_iter().collect() }
    }

    /// True if it is in place.
    pub fn has(&self, defence: Defence) -> bool {
        !self.missing.contains(&defence)
    }

    /// Those that a worker which times has to see to.
    pub(super) fn of_timing(&self) -> Safeguards {
        Safeguards {
            shuffled_addresses: self.has(Defence::ShuffledAddresses),
            reset_variables: self.has(Defence::ResetVariables),
            prefill: self.has(Defence::Prefill),
            cold_cache: self.has(Defence::ColdCache),
            guards: self.has(Defence::Guards),
            inputs: self.has(Defence::Inputs),
            late_expectations: self.has(Defence::LateExpectations),
        }
    }
}
