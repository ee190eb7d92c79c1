//! Requests to shared memory, lane by lane: who meets whom in which bank.
//!
//! Counters say that a line has conflicts; which lanes they are between shows one request. Of each source line the one
//! that took most wavefronts beyond the ideal is kept, where that is asked for.

use serde::{Deserialize, Serialize};

use crate::source::Place;

/// What a request does with what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RequestKind {
    /// Reads: lanes that want the same word are served together.
    Load,
    /// Writes.
    Store,
    /// Both at once: lanes that want the same word take turns.
    Atomic,
}

/// One warp-level request to shared memory that took more wavefronts than it would have without conflicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WorstRequest {
    /// The line (column 0).
    pub place: Place,
    /// What it did.
    pub kind: RequestKind,
    /// The block, linear.
    pub block: u32,
    /// The warp in its block.
    pub warp: u32,
    /// Bytes that each lane asked for.
    pub bytes: u32,
    /// By lane, where in the block's shared memory it asked, in bytes from its start; none for a lane that took no part.
    pub offsets: Vec<Option<u32>>,
    /// Who was served in each wavefront, one after the other.
    pub wavefronts: Vec<Wavefront>,
    /// Wavefronts that it would have taken without conflicts.
    pub ideal_wavefronts: u32,
}

/// One pass over the banks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Wavefront {
    /// The banks that served somebody, by rising number.
    pub banks: Vec<ServedBank>,
}

/// A bank, and the lanes that it served in a wavefront: all of them with the same word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ServedBank {
    /// From 0 to 31.
    pub bank: u32,
    /// By rising number.
    pub lanes: Vec<u32>,
}

impl WorstRequest {
    /// Wavefronts beyond the ideal.
    pub fn conflicts(&self) -> u64 {
        (self.wavefronts.len() as u64).saturating_sub(self.ideal_wavefronts.into())
    }

    /// The bank that served in most wavefronts, the first of equal ones, and whom it served in each: lanes that met there.
    pub fn busiest_bank(&self) -> Option<(u32, Vec<Vec<u32>>)> {
        let served = |bank: u32| -> Vec<Vec<u32>> {
            let of = |wavefront: &Wavefront| {
                wavefront.banks.iter().find(|served| served.bank == bank).map(|served| served.lanes.clone())
            };
            self.wavefronts.iter().filter_map(of).collect()
        };
        let all = (0..32).map(|bank| (bank, served(bank)));
        all.filter(|(_, served)| !served.is_empty()).max_by_key(|(bank, served)| (served.len(), 32 - bank))
    }
}
