//! What strong accesses do besides moving data: acquire, release, leave traces for reports.

use std::collections::HashMap;

use crate::ir::{Order, Scope};

use super::super::{
    Access, LaneWords,
    data::{Bytes, load_lane},
    order::{BlockOrder, Release, Time},
    shadow::Strong,
};

/// How many of the locations that a block read strongly are remembered for reports.
const OBSERVED: usize = 64;

/// Acquires from and releases to a location. True if what was published has a fence, but none that reaches other blocks.
pub(super) fn synchronise<K: std::hash::Hash + Eq>(
    order: &mut BlockOrder,
    time: &Time,
    releases: &mut HashMap<K, Release>,
    location: K,
    access: &Access,
    lane: usize,
    strong: Strong,
) -> bool {
    let scope = if access.order == Order::Volatile { Scope::System } else { access.scope };
    let releasing = access.order.is_release() && strong.writes;
    if releases.is_empty() && !order.is_detailed() && !releasing {
        return false;
    }
    if strong.reads
        && let Some(release) = releases.get(&location)
    {
        order.observe(access.warp, lane, release, access.order.is_acquire(), scope);
    }
    if !strong.writes {
        return false;
    }
    let published = order.publish(time, access.warp, lane, releasing, scope);
    if !strong.reads && access.bytes >= 4 {
        releases.remove(&location);
    }
    let narrow = published.device.is_empty() && !published.near.is_empty();
    if !published.near.is_empty() || !published.device.is_empty() {
        releases.entry(location).or_default().add(order.block(), &published);
    }
    narrow
}

pub(super) fn observe(observed: &mut Vec<u64>, address: u64) {
    if observed.last() == Some(&address) || observed.contains(&address) {
        return;
    }
    if observed.len() == OBSERVED {
        observed.remove(0);
    }
    observed.push(address);
}

/// True if memory already holds exactly what the lane is about to store.
pub(super) fn value_is(memory: Bytes<'_>, at: usize, bytes: u8, lane: usize, value: &LaneWords) -> bool {
    let mut current = LaneWords::ZERO;
    load_lane(memory, at, bytes, lane, &mut current);
    let width = if bytes >= 4 { u32::MAX } else { (1 << (8 * u32::from(bytes))) - 1 };
    (0..usize::from(bytes).div_ceil(4)).all(|word| {
        (current.poison[word] | value.poison[word]) >> lane & 1 == 0
            && (current.words[word][lane] ^ value.words[word][lane]) & width == 0
    })
}
