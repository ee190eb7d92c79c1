//! What stands between a hostile kernel and a pass, by name, so that the cheat book can take one away.
//!
//! Every cheat of the book must win with one defence missing and lose with all in place; only that shows that the
//! defence is what stops it. All are in place by default. Taking one away is for that proof: it takes a line of trusted host
//! code ([`Defences::without`]), no option, environment variable or file of a learner leads here.

use std::fmt;

/// One defence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Right is as close as the exercise says.
    Tolerance,
    /// A kernel may execute so many instructions and no more.
    Budget,
    /// Inputs must be as they were.
    Inputs,
    /// On the simulator's second pass the clock runs faster, and what was measured must follow it (`judge::clock`).
    StretchedClock,
}

impl Defence {
    /// All of them.
    pub const ALL: [Defence; 10] = [
        Defence::Audit,
        Defence::Confinement,
        Defence::Directives,
        Defence::CleanLog,
        Defence::CompileLimits,
        Defence::Findings,
        Defence::Tolerance,
        Defence::Budget,
        Defence::Inputs,
        Defence::StretchedClock,
    ];

    /// Its name in the cheat book.
    pub fn name(self) -> &'static str {
        match self {
            Defence::Audit => "audit",
            Defence::Confinement => "confinement",
            Defence::Directives => "directives",
            Defence::CleanLog => "clean-log",
            Defence::CompileLimits => "compile-limits",
            Defence::Findings => "findings",
            Defence::Tolerance => "tolerance",
            Defence::Budget => "budget",
            Defence::Inputs => "inputs",
            Defence::StretchedClock => "stretched-clock",
        }
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
    missing: Option<Defence>,
}

impl Defences {
    /// All but one: what a cheat wins against. Never for judging.
    pub fn without(missing: Defence) -> Self {
        Defences { missing: Some(missing) }
    }

    /// True if it is in place.
    pub fn has(&self, defence: Defence) -> bool {
        self.missing != Some(defence)
    }
}
