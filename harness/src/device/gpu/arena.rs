//! A plan's buffers in one piece of device memory, with guard bands between them.
//!
//! Guard bands and uninitialised buffers hold bytes made from a secret, so that a write outside a buffer and
//! an element that nothing wrote are both seen afterwards. Each buffer starts at a multiple of 1 KiB: where in
//! one it starts can make atomics on it twice as fast (`kernels/peers/figures.cu` measures that), and a
//! speedup must not depend on where a layout happened to put it.

use std::ops::Range;

use cudarc::driver::result::DriverError;

use super::driver::Memory;
use crate::{
    fill,
    plan::{Buffer, Fill, Plan},
};

/// Bytes of a guard band at the least. An index that is wrong by a whole row of 16 Ki
/// floats still lands in it.
const GUARD: usize = 64 << 10;
/// Buffers start at multiples of this.
pub(super) const ALIGNMENT: usize = 1 << 10;
/// Bytes by which a shuffled layout moves a buffer further at the most.
const MOST_GAP: usize = 1 << 20;

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Each buffer's bytes.
    pub buffers: Vec<Range<usize>>,
    /// The buffers in the order of their addresses.
    order: Vec<usize>,
    /// Bytes in all.
    pub bytes: usize,
}

impl Layout {
    /// In the plan's order, as close as guard bands allow.
    pub fn of(plan: &Plan) -> Self {
        Layout::placed(plan, (0..plan.buffers.len()).collect(), |_| 0)
    }

    /// In an order and at distances made from a secret, so that no address tells one run from another.
    pub fn shuffled(plan: &Plan, secret: u64) -> Self {
        let mut order: Vec<usize> = (0..plan.buffers.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, (fill::hash(secret, last as u64) % (last as u64 + 1)) as usize);
        }
        let steps = (MOST_GAP / ALIGNMENT) as u64;
        Layout::placed(plan, order, |place| (fill::hash(!secret, place as u64) % steps) as usize * ALIGNMENT)
    }

    /// Bytes that no shuffled layout exceeds.
    pub fn most_bytes(plan: &Plan) -> usize {
        Layout::of(plan).bytes + (plan.buffers.len() + 1) * MOST_GAP
    }

    /// The last guard band reaches to the end of memory of so many bytes: nothing in it is nobody's.
    pub fn within(self, bytes: usize) -> Self {
        Layout { bytes: self.bytes.max(bytes), ..self }
    }

    fn placed(plan: &Plan, order: Vec<usize>, gap: impl Fn(usize) -> usize) -> Self {
        let mut next = GUARD + gap(0);
        let mut buffers = vec![0..0; order.len()];
        for (place, &index) in order.iter().enumerate() {
            let end = next + plan.buffers[index].bytes();
            buffers[index] = next..end;
            next = end.next_multiple_of(ALIGNMENT) + GUARD + gap(place + 1);
        }
        Layout { buffers, order, bytes: next }
    }

    /// The bands before, between and after the buffers: one more than there are buffers.
    pub fn guards(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ordered = || self.order.iter().map(|&index| &self.buffers[index]);
        let starts = std::iter::once(0).chain(ordered().map(|buffer| buffer.end));
        let ends = ordered().map(|buffer| buffer.start).chain(std::iter::once(self.bytes));
        starts.zip(ends).map(|(start, end)| start..end)
    }

    /// What was changed in a band, in words: how many bytes, the first and the last,
    /// told from the nearer buffer.
    pub fn describe(&self, plan: &Plan, guard: usize, count: u64, first: usize, last: usize) -> String {
        let name = |place: usize| self.order.get(place).map(|&index| plan.buffers[index].name.as_str());
        let bytes = self.guards().nth(guard).map_or(0, |guard| guard.len());
        let after = guard.checked_sub(1).and_then(name).map(|name| (name, first));
        let before = name(guard).map(|name| (name, bytes - 1 - last));
        match (after, before) {
            (Some((name, distance)), before) if before.is_none_or(|(_, other)| distance <= other) => {
                format!("wrote {count} bytes beyond the end of `{name}`, the first {distance} bytes after it")
            }
            (_, Some((name, distance))) => format!(
                "wrote {count} bytes before the start of `{name}`, the last {} bytes before it",
                distance + 1
            ),
            (_, None) => format!("wrote {count} bytes outside every buffer"),
        }
    }

    /// Writes guard bands and first contents.
    pub fn upload(&self, plan: &Plan, memory: &Memory, secret: u64) -> Result<(), DriverError> {
        for (index, guard) in self.guards().enumerate() {
            memory.write(guard.start, &scrambled(guard.len(), guard_seed(secret, index)))?;
        }
        for (index, (buffer, range)) in plan.buffers.iter().zip(&self.buffers).enumerate() {
            match fill::contents(buffer) {
                // The judge checked that contents have their buffer's size.
                Some(contents) => memory.write(range.start, &contents[..range.len()])?,
                None => memory.write(range.start, &scrambled(range.len(), prefill_seed(secret, index)))?,
            }
        }
        Ok(())
    }

    /// What was written outside the buffers, in words.
    pub fn violations(&self, plan: &Plan, memory: &Memory, secret: u64) -> Result<Vec<String>, DriverError> {
        let mut violations = Vec::new();
        for (index, guard) in self.guards().enumerate() {
            let mut found = vec![0; guard.len()];
            memory.read(guard.start, &mut found)?;
            let expected = scrambled(guard.len(), guard_seed(secret, index));
            if found != expected {
                let changed: Vec<usize> = (0..guard.len()).filter(|&at| found[at] != expected[at]).collect();
                if let (Some(&first), Some(&last)) = (changed.first(), changed.last()) {
                    violations.push(self.describe(plan, index, changed.len() as u64, first, last));
                }
            }
        }
        Ok(violations)
    }
}

/// The ranges of bytes in which an uninitialised buffer still holds its prefill, whole elements only. A
/// single element of one or two bytes may hold it by chance, so only runs of eight bytes count.
pub(super) fn unwritten(buffer: &Buffer, index: usize, bytes: &[u8], secret: u64) -> Vec<Range<usize>> {
    if buffer.fill != Fill::Uninitialized {
        return Vec::new();
    }
    let size = buffer.element.bytes();
    let prefill = scrambled(bytes.len(), prefill_seed(secret, index));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for start in (0..bytes.len()).step_by(size) {
        let element = start..start + size;
        if bytes[element.clone()] == prefill[element.clone()] {
            match ranges.last_mut() {
                Some(range) if range.end == start => range.end = element.end,
                _ => ranges.push(element),
            }
        }
    }
    ranges.retain(|range| size >= 4 || range.len() >= 8 || range.len() == bytes.len());
    ranges
}

fn scrambled(bytes: usize, seed: u64) -> Vec<u8> {
    let mut all = vec![0; bytes];
    fill::scramble(&mut all, seed);
    all
}

fn guard_seed(secret: u64, index: usize) -> u64 {
    fill::one_way(secret, 2 * index as u64)
}

fn prefill_seed(secret: u64, index: usize) -> u64 {
    fill::one_way(secret, 2 * index as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Element;

    fn plan() -> Plan {
        let mut plan = Plan::new();
        plan.buffer("in", Element::U8, &[100], Fill::Zeros);
        plan.buffer("out", Element::F32, &[64], Fill::Uninitialized);
        plan
    }

    #[test]
    fn buffers_are_aligned_and_guarded() {
        let layout = Layout::of(&plan());
        assert!(layout.buffers.iter().all(|buffer| buffer.start % ALIGNMENT == 0));
        let guards: Vec<_> = layout.guards().collect();
        assert_eq!(guards.len(), 3);
        assert!(guards.iter().all(|guard| guard.len() >= GUARD));
        assert_eq!(guards[1].start, layout.buffers[0].end);
        assert_eq!(guards[2].end, layout.bytes);
    }

    #[test]
    fn shuffled_layouts_differ_fit_and_never_overlap() {
        let mut plan = plan();
        plan.buffer("more", Element::F64, &[1000], Fill::Zeros);
        let layouts: Vec<Layout> = (0..50).map(|secret| Layout::shuffled(&plan, secret)).collect();
        let orders: std::collections::BTreeSet<_> = layouts.iter().map(|layout| &layout.order).collect();
        assert_eq!(orders.len(), 6);
        for layout in &layouts {
            assert!(layout.bytes <= Layout::most_bytes(&plan));
            assert!(layout.buffers.iter().all(|buffer| buffer.start % ALIGNMENT == 0));
            assert!(layout.guards().all(|guard| guard.len() >= GUARD), "{layout:?}");
        }
        let starts: std::collections::BTreeSet<_> =
            layouts.iter().map(|layout| layout.buffers[0].start).collect();
        assert!(starts.len() > 40);
    }

    #[test]
    fn the_last_guard_reaches_to_the_end_of_the_memory() {
        let plan = plan();
        let layout = Layout::shuffled(&plan, 3);
        let end = layout.bytes;
        assert_eq!(layout.clone().within(end + 999).guards().last().map(|guard| guard.end), Some(end + 999));
        assert_eq!(layout.clone().within(1), layout, "it never becomes smaller");
    }

    #[test]
    fn violations_name_the_nearer_buffer() {
        let plan = plan();
        let layout = Layout::of(&plan);
        let describe = |guard: usize, changed: &[usize]| {
            layout.describe(&plan, guard, changed.len() as u64, changed[0], changed[changed.len() - 1])
        };
        assert!(describe(0, &[GUARD - 1]).contains("before the start of `in`, the last 1 bytes"));
        assert!(describe(1, &[0, 1]).contains("2 bytes beyond the end of `in`, the first 0 bytes"));
        assert!(describe(1, &[GUARD - 4]).contains("before the start of `out`"));
        assert!(describe(2, &[7]).contains("beyond the end of `out`"));
    }

    /// The seed that `fill::hash` was given for position `index`.
    fn unhash(hash: u64, index: u64) -> u64 {
        const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;
        let inverse =
            |odd: u64| (0..6).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))));
        let unshift = |z: u64, by: u32| (0..64 / by).fold(z, |x, _| z ^ (x >> by));
        let unfinish = |z: u64| {
            let z = unshift(z, 31).wrapping_mul(inverse(0x94D0_49BB_1331_11EB));
            let z = unshift(z, 27).wrapping_mul(inverse(0xBF58_476D_1CE4_E5B9));
            unshift(z, 30)
        };
        let z = unfinish(hash).wrapping_sub(GAMMA).wrapping_sub(index.wrapping_mul(GAMMA));
        unfinish(z) ^ 0x5851_F42D_4C95_7F2D
    }

    #[test]
    fn a_guard_band_does_not_tell_the_secret() {
        assert_eq!(unhash(fill::hash(42, 5), 5), 42, "the attack works");
        let band = scrambled(8, guard_seed(42, 1));
        let seed = unhash(u64::from_le_bytes(band.try_into().expect("eight bytes")), 0);
        assert_eq!(seed, guard_seed(42, 1), "the band tells its seed");
        assert_ne!(unhash(seed, 2), 42);
    }

    #[test]
    fn what_still_holds_the_prefill_was_not_written() {
        let plan = plan();
        let mut bytes = scrambled(256, prefill_seed(9, 1));
        bytes[4..12].fill(0);
        assert_eq!(unwritten(&plan.buffers[1], 1, &bytes, 9), [0..4, 12..256]);
        assert!(unwritten(&plan.buffers[0], 0, &[0; 100], 9).is_empty());
    }
}
