//! From addresses to allocations: which space, in bounds, aligned, permitted.

use crate::{findings::Action, ir::AddressSpace};

use super::{
    Access, GlobalMemory, LOCAL_WINDOW, LOCAL_WINDOW_BYTES, SHARED_WINDOW, SharedLayout, WINDOW_BYTES, lanes,
    local::LocalMemory,
};

/// No window lies here or beyond.
const WINDOWS_END: u64 = LOCAL_WINDOW + LOCAL_WINDOW_BYTES;
// An address is in a window exactly if its distance from the window's start has no higher
// bit than the size allows.
const _: () = assert!(WINDOW_BYTES.is_power_of_two() && SHARED_WINDOW < LOCAL_WINDOW);

/// Which lanes of an access go to which space.
pub(super) struct Spaces {
    /// Global, constant and parameter memory; also addresses that are in no window.
    pub(super) global: u32,
    pub(super) shared: u32,
    pub(super) local: u32,
}

impl Spaces {
    /// Nearly always all lanes go to one space, which is seen at once.
    #[inline(always)]
    fn found_out(access: &Access) -> Self {
        let mask = access.mask;
        let first = access.addresses[mask.trailing_zeros() as usize & 31];
        let (mut beyond_shared, mut far) = (0, true);
        for lane in 0..32 {
            let address = if mask >> lane & 1 == 0 { first } else { access.addresses[lane] };
            beyond_shared |= address.wrapping_sub(SHARED_WINDOW);
            far &= address >= WINDOWS_END;
        }
        if beyond_shared < WINDOW_BYTES {
            Self { global: 0, shared: mask, local: 0 }
        } else if far {
            Self { global: mask, shared: 0, local: 0 }
        } else {
            Self::lane_by_lane(access)
        }
    }

    #[inline(never)]
    fn lane_by_lane(access: &Access) -> Self {
        let (mut shared, mut local) = (0, 0);
        for lane in lanes(access.mask) {
            let space = LaneSpace::of_generic(access.addresses[lane]);
            shared |= u32::from(space == LaneSpace::Shared) << lane;
            local |= u32::from(space == LaneSpace::Local) << lane;
        }
        Self { global: access.mask & !shared & !local, shared, local }
    }

    #[inline(always)]
    pub(super) fn of(access: &Access) -> Self {
        let mask = access.mask;
        match access.space {
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Param => {
                Self { global: mask, shared: 0, local: 0 }
            }
            AddressSpace::Shared | AddressSpace::Cluster => Self { global: 0, shared: mask, local: 0 },
            AddressSpace::Local => Self { global: 0, shared: 0, local: mask },
            AddressSpace::Generic => Self::found_out(access),
        }
    }
}

/// Which space one lane of an access goes to: what [`Spaces`] says of all, for those who ask for one at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneSpace {
    /// As in [`Spaces`].
    Global,
    /// The block's or the cluster's shared memory.
    Shared,
    /// The thread's own.
    Local,
}

impl LaneSpace {
    #[inline]
    fn of_generic(address: u64) -> Self {
        if address.wrapping_sub(SHARED_WINDOW) < WINDOW_BYTES {
            LaneSpace::Shared
        } else if address.wrapping_sub(LOCAL_WINDOW) < LOCAL_WINDOW_BYTES {
            LaneSpace::Local
        } else {
            LaneSpace::Global
        }
    }

    #[inline]
    pub(super) fn of(access: &Access, lane: usize) -> Self {
        match access.space {
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Param => LaneSpace::Global,
            AddressSpace::Shared | AddressSpace::Cluster => LaneSpace::Shared,
            AddressSpace::Local => LaneSpace::Local,
            AddressSpace::Generic => Self::of_generic(access.addresses[lane]),
        }
    }
}

/// The lanes of an access by the allocation (or shared variable) that they fall in, and the lanes that fault.
#[derive(Default)]
pub(super) struct Resolved {
    /// The first allocation's index and its lanes; nearly always the only one.
    pub(super) first: (usize, u32),
    /// Further ones.
    pub(super) more: Vec<(usize, u32)>,
    /// From the lowest to the highest address, for accesses that fall in one allocation.
    pub(super) bytes: u64,
    pub(super) stray: u32,
    pub(super) misaligned: u32,
    pub(super) read_only: u32,
}

impl Resolved {
    /// Lanes that are fine.
    pub(super) fn good(&self) -> u32 {
        self.more.iter().fold(self.first.1, |all, &(_, mask)| all | mask)
    }

    /// Lanes that fault.
    pub(super) fn bad(&self) -> u32 {
        self.stray | self.misaligned | self.read_only
    }

    /// Allocations with their lanes.
    pub(super) fn regions(&self) -> impl Iterator<Item = (usize, u32)> {
        std::iter::once(self.first).chain(self.more.iter().copied()).filter(|&(_, mask)| mask != 0)
    }

    fn add(&mut self, index: usize, lane: usize) {
        let bit = 1 << lane;
        if self.first.1 == 0 {
            self.first = (index, bit);
        } else if self.first.0 == index {
            self.first.1 |= bit;
        } else if let Some((_, mask)) = self.more.iter_mut().find(|(other, _)| *other == index) {
            *mask |= bit;
        } else {
            self.more.push((index, bit));
        }
    }
}

/// Offsets in the shared window.
#[inline(always)]
pub(super) fn shared_offsets(access: &Access) -> [u32; 32] {
    let mut offsets = [0; 32];
    for lane in 0..32 {
        offsets[lane] = shared_offset(access, lane);
    }
    offsets
}

/// A lane's offset in the shared window.
#[inline(always)]
pub(super) fn shared_offset(access: &Access, lane: usize) -> u32 {
    let start = if access.space == AddressSpace::Generic { SHARED_WINDOW } else { 0 };
    access.addresses[lane].wrapping_sub(start) as u32
}

/// An offset in a lane's local memory.
#[inline]
pub(super) fn local_offset(memory: &LocalMemory, access: &Access, lane: usize) -> u64 {
    let generic = access.space == AddressSpace::Generic;
    let start = if generic { LOCAL_WINDOW + memory.start_of(lane) } else { 0 };
    access.addresses[lane].wrapping_sub(start)
}

/// Lanes of a mask in vector form: all ones or zero.
#[inline(always)]
fn spread(mask: u32) -> [u32; 32] {
    let mut spread = [0; 32];
    for (lane, all) in spread.iter_mut().enumerate() {
        *all = 0u32.wrapping_sub(mask >> lane & 1);
    }
    spread
}

/// Shared accesses by variable. `extent`: the lowest and highest offset, where it is
/// known that all are aligned.
#[inline(always)]
pub(super) fn shared(
    layout: &SharedLayout,
    offsets: &[u32; 32],
    mask: u32,
    bytes: u8,
    extent: Option<(u32, u32)>,
) -> Resolved {
    if let Some((low, high)) = extent
        && let Some(index) = layout.find(low, bytes.into())
        && layout.variables[index].holds(high, bytes.into())
    {
        return Resolved { first: (index, mask), ..Resolved::default() };
    }
    shared_by_extent(layout, offsets, mask, bytes)
}

#[inline(never)]
fn shared_by_extent(layout: &SharedLayout, offsets: &[u32; 32], mask: u32, bytes: u8) -> Resolved {
    let active = spread(mask);
    let (mut low, mut high, mut any) = (u32::MAX, 0, 0);
    for lane in 0..32 {
        low = low.min(offsets[lane] | !active[lane]);
        high = high.max(offsets[lane] & active[lane]);
        any |= offsets[lane] & active[lane];
    }
    if any & (u32::from(bytes) - 1) == 0
        && let Some(index) = layout.find(low, bytes.into())
        && layout.variables[index].holds(high, bytes.into())
    {
        return Resolved { first: (index, mask), ..Resolved::default() };
    }
    shared_lane_by_lane(layout, offsets, mask, bytes)
}

#[inline(never)]
fn shared_lane_by_lane(layout: &SharedLayout, offsets: &[u32; 32], mask: u32, bytes: u8) -> Resolved {
    let mut resolved = Resolved::default();
    for lane in lanes(mask) {
        match layout.find(offsets[lane], bytes.into()) {
            None => resolved.stray |= 1 << lane,
            Some(_) if !offsets[lane].is_multiple_of(u32::from(bytes)) => resolved.misaligned |= 1 << lane,
            Some(index) => resolved.add(index, lane),
        }
    }
    resolved
}

/// Global accesses by allocation.
#[inline(always)]
pub(super) fn global(memory: &GlobalMemory, access: &Access, mask: u32, writes: bool) -> Resolved {
    let bytes = u64::from(access.bytes);
    let mut resolved = Resolved::default();
    let (mut low, mut high, mut any) = (u64::MAX, 0, 0);
    if mask == u32::MAX {
        for &address in &access.addresses {
            low = low.min(address);
            high = high.max(address);
            any |= address;
        }
    } else {
        for lane in lanes(mask) {
            let address = access.addresses[lane];
            low = low.min(address);
            high = high.max(address);
            any |= address;
        }
    }
    if any & (bytes - 1) == 0
        && let Some(index) = memory.find(low, bytes)
        && memory.allocation(index).holds(high, bytes)
        && (!writes || memory.allocation(index).is_writable())
    {
        resolved.first = (index, mask);
        resolved.bytes = high - low;
        return resolved;
    }
    global_by_lane(memory, access, mask, writes)
}

#[inline(never)]
fn global_by_lane(memory: &GlobalMemory, access: &Access, mask: u32, writes: bool) -> Resolved {
    let bytes = u64::from(access.bytes);
    let mut resolved = Resolved::default();
    for lane in lanes(mask) {
        let address = access.addresses[lane];
        match memory.find(address, bytes) {
            None => resolved.stray |= 1 << lane,
            Some(_) if !address.is_multiple_of(bytes) => resolved.misaligned |= 1 << lane,
            Some(index) if writes && !memory.allocation(index).is_writable() => {
                resolved.read_only |= 1 << lane
            }
            Some(index) => resolved.add(index, lane),
        }
    }
    resolved
}

/// Local accesses: all good lanes are in region 0. The last is which of them load a byte of a function that has returned.
pub(super) fn local(
    memory: &LocalMemory,
    access: &Access,
    mask: u32,
    action: Action,
) -> ([u32; 32], Resolved, u32) {
    let mut offsets = [0; 32];
    let (mut resolved, mut left) = (Resolved::default(), 0);
    for lane in lanes(mask) {
        let offset = local_offset(memory, access, lane);
        if !memory.holds(lane, offset, access.bytes) {
            if action != Action::Read || access.bytes != 1 || !memory.was_of_a_frame(lane, offset) {
                resolved.stray |= 1 << lane;
                continue;
            }
            left |= 1 << lane;
        } else if !offset.is_multiple_of(u64::from(access.bytes)) {
            resolved.misaligned |= 1 << lane;
            continue;
        }
        offsets[lane] = offset as u32;
        resolved.add(0, lane);
    }
    (offsets, resolved, left)
}
