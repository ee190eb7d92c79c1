//! Of each site the request to shared memory that took most wavefronts beyond the ideal.
//!
//! Kept only where that was asked for. Which of several equal ones it is depends on nothing but the blocks' numbers.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{
    Site,
    traffic::{Requested, Wavefronts},
};

/// A request, as it was made.
#[derive(Clone, Debug)]
pub struct ConflictingRequest {
    /// What it did.
    pub requested: Requested,
    /// By lane, the offset in shared memory; ignored for lanes not in `mask`.
    pub offsets: [u32; 32],
    /// The lanes that took part.
    pub mask: u32,
    /// Bytes of each lane.
    pub bytes: u8,
    /// What it took.
    pub wavefronts: Wavefronts,
    /// The block.
    pub block: u32,
    /// The warp in its block.
    pub warp: u16,
}

impl ConflictingRequest {
    /// Whether it is to be kept in the place of another one.
    pub fn is_worse_than(&self, other: &ConflictingRequest) -> bool {
        let badness = |request: &ConflictingRequest| {
            let Wavefronts { taken, ideal } = request.wavefronts;
            (taken.saturating_sub(ideal), taken, Reverse(request.block))
        };
        badness(self) > badness(other)
    }
}

/// The worst of each site.
#[derive(Clone, Debug, Default)]
pub struct WorstRequests(pub BTreeMap<Site, ConflictingRequest>);

impl WorstRequests {
    /// Keeps a request if it is the worst so far; of equal ones of a block the first.
    pub fn note(&mut self, site: Site, request: ConflictingRequest) {
        let known = self.0.entry(site).or_insert_with(|| request.clone());
        if request.is_worse_than(known) {
            *known = request;
        }
    }

    /// Takes those of others.
    pub fn absorb(&mut self, others: WorstRequests) {
        others.0.into_iter().for_each(|(site, request)| self.note(site, request));
    }
}
