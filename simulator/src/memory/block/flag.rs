//! What strong accesses do besides moving data: acquire, release, leave traces for reports.

use foldhash::HashMap;

use crate::ir::{Order, Scope};

use super::super::{
    Access, LaneWords,
    data::{Bytes, load_lane},
    knowledge::{Published, Release},
    order::BlockOrder,
    shadow::Strong,
    time::Time,
};

/// The last locations that a block read strongly, for reports.
#[derive(Debug)]
pub(in super::super) struct Observed {
    /// In no order.
    locations: Vec<u64>,
    last: u64,
    /// The oldest, once there are as many as are kept.
    oldest: usize,
    /// How many of them have a hash: mostly none, and then there is nothing to look for.
    by_hash: [u8; Self::HASHES],
}

impl Observed {
    const KEPT: usize = 64;
    const HASHES: usize = 1024;

    pub(super) fn new() -> Self {
        Self { locations: Vec::new(), last: u64::MAX, oldest: 0, by_hash: [0; Self::HASHES] }
    }

    pub(super) fn clear(&mut self) {
        for location in self.locations.drain(..) {
            self.by_hash[Self::hash(location)] = 0;
        }
        (self.last, self.oldest) = (u64::MAX, 0);
    }

    /// Neighbouring words have different ones.
    fn hash(location: u64) -> usize {
        (location >> 2) as usize % Self::HASHES
    }

    /// True if the location is among them.
    pub(in super::super) fn contains(&self, location: u64) -> bool {
        self.by_hash[Self::hash(location)] != 0 && self.locations.contains(&location)
    }

    #[inline]
    pub(super) fn add(&mut self, location: u64) {
        if self.last == location || self.contains(location) {
            return;
        }
        self.last = location;
        self.by_hash[Self::hash(location)] += 1;
        if self.locations.len() < Self::KEPT {
            self.locations.push(location);
        } else {
            let forgotten = std::mem::replace(&mut self.locations[self.oldest], location);
            self.by_hash[Self::hash(forgotten)] -= 1;
            self.oldest = (self.oldest + 1) % Self::KEPT;
        }
    }
}

/// Acquires from and releases to a location. Gives what was published, if it is a write.
pub(super) fn synchronise<K: std::hash::Hash + Eq>(
    order: &mut BlockOrder,
    time: &Time,
    releases: &mut HashMap<K, Release>,
    location: K,
    access: &Access,
    lane: usize,
    strong: Strong,
) -> Published {
    let scope = if access.order == Order::Volatile { Scope::System } else { access.scope };
    let releasing = access.order.is_release() && strong.writes;
    if releases.is_empty() && !order.is_detailed() && !releasing {
        return Published::default();
    }
    if strong.reads
        && let Some(release) = releases.get(&location)
    {
        order.observe(access.warp, lane, release, access.order.is_acquire(), scope);
    }
    if !strong.writes {
        return Published::default();
    }
    let published = order.publish(time, access.warp, lane, releasing, scope);
    if !strong.reads && access.bytes >= 4 {
        releases.remove(&location);
    }
    if published.is_any() {
        releases.entry(location).or_default().add(order, &published);
    }
    published
}

/// True if memory already holds exactly what the lane is about to store. Undefined bits are alike: which
/// of them stays makes no difference, and that they are undefined is another matter.
pub(super) fn value_is(memory: Bytes<'_>, at: usize, bytes: u8, lane: usize, value: &LaneWords) -> bool {
    let mut current = LaneWords::ZERO;
    load_lane(memory, at, bytes, lane, &mut current);
    let width = if bytes >= 4 { u32::MAX } else { (1 << (8 * u32::from(bytes))) - 1 };
    (0..usize::from(bytes).div_ceil(4)).all(|word| {
        let undefined = current.undefined(word, lane) & width;
        undefined == value.undefined(word, lane) & width
            && (current.words[word][lane] ^ value.words[word][lane]) & width & !undefined == 0
    })
}
