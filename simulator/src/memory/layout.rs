//! Where a block's shared variables lie.
//!
//! Densely packed, as the hardware has them, an index that runs past one `__shared__` variable silently reads
//! the next. With red zones every variable is moved up by a multiple of 128 bytes, which leaves all bank
//! numbers alone, so that such an index hits nothing and is reported. Where the hardware looks at more of an address than the
//! bank (the swapped chunks of [`crate::ir::GroupMultiply`]), it is a multiple of 1024: on the hardware a block's window begins at one.

use crate::ir::SYSTEM_RESERVED;

/// One `__shared__` variable, or the dynamic pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name in the source.
    pub name: String,
    /// First byte, counted from the block's shared window.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
}

impl SharedVariable {
    /// True if it holds zeros where a block begins, and nothing undefined.
    pub(crate) fn begins_as_zeros(&self) -> bool {
        self.name == SYSTEM_RESERVED
    }

    /// True if only the toolkit's headers know of it.
    pub(crate) fn is_the_systems(&self) -> bool {
        self.name == SYSTEM_RESERVED
    }

    /// True if all of the bytes are inside, given that the offset is not before the start.
    #[inline]
    pub(crate) fn holds(&self, offset: u32, bytes: u32) -> bool {
        u64::from(offset) + u64::from(bytes) <= u64::from(self.offset) + u64::from(self.bytes)
    }
}

/// The placed variables of one kernel launch, in address order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedLayout {
    /// The variables.
    pub variables: Vec<SharedVariable>,
    /// Bytes from the window's start to the end of the last red zone.
    pub arena_bytes: u32,
    /// Bytes that the kernel asks the hardware for: the variables without red zones, and
    /// without what the system keeps.
    pub packed_bytes: u32,
}

/// At least this much lies between two variables when red zones are on.
const RED_ZONE: u32 = 256;

/// The same where the hardware swaps chunks of shared memory by their addresses.
const WIDE_RED_ZONE: u32 = 1024;

impl SharedLayout {
    /// Places variables given as (name, bytes, alignment) in order. The dynamic pool, if any, comes last.
    pub fn new(variables: &[(&str, u32, u32)], red_zones: bool) -> Self {
        Self::from(variables, if red_zones { RED_ZONE } else { 0 }, 0)
    }

    /// The same with red zones that keep what the hardware swaps by address where it is on the hardware.
    pub fn with_wide_red_zones(variables: &[(&str, u32, u32)]) -> Self {
        Self::from(variables, WIDE_RED_ZONE, 0)
    }

    /// The same as close to each other as the hardware has them, from an offset on, which is a multiple of 128.
    pub fn dense(variables: &[(&str, u32, u32)], start: u32) -> Self {
        let alignment = variables.iter().map(|variable| variable.2).max().unwrap_or(1);
        Self::from(variables, 0, start.next_multiple_of(alignment.max(128)))
    }

    fn from(variables: &[(&str, u32, u32)], red_zone: u32, start: u32) -> Self {
        let mut layout = Self::default();
        let mut shift = start + red_zone;
        // Shifts keep bank numbers, and what else of an address the red zone keeps.
        let unit = if red_zone == WIDE_RED_ZONE { red_zone } else { 128 };
        for &(name, bytes, alignment) in variables {
            if name == SYSTEM_RESERVED {
                let before = layout.packed_bytes + shift;
                let offset = before.next_multiple_of(128);
                layout.variables.push(SharedVariable { name: name.to_owned(), offset, bytes });
                layout.arena_bytes = offset + bytes;
                shift += (layout.arena_bytes - before).next_multiple_of(unit) + red_zone;
                continue;
            }
            let packed = layout.packed_bytes.next_multiple_of(alignment.max(1));
            layout.packed_bytes = packed + bytes;
            let mut offset = packed + shift;
            if alignment > 128 {
                let aligned = offset.next_multiple_of(alignment);
                shift += aligned - offset;
                offset = aligned;
            }
            layout.variables.push(SharedVariable { name: name.to_owned(), offset, bytes });
            layout.arena_bytes = offset + bytes;
            shift += red_zone;
        }
        layout.arena_bytes = (layout.arena_bytes + shift.min(RED_ZONE)).next_multiple_of(128);
        layout
    }

    /// The variable's offset from the shared window's start.
    pub fn offset(&self, name: &str) -> Option<u32> {
        self.variables.iter().find(|variable| variable.name == name).map(|variable| variable.offset)
    }

    /// The variable that holds all of `offset..offset + bytes`.
    pub(crate) fn find(&self, offset: u32, bytes: u32) -> Option<usize> {
        let index = self.variables.partition_point(|variable| variable.offset <= offset).checked_sub(1)?;
        self.variables[index].holds(offset, bytes).then_some(index)
    }

    /// The variable that lies nearest to an address outside all of them.
    pub(crate) fn nearest(&self, offset: u32) -> Option<&SharedVariable> {
        self.variables.iter().min_by_key(|variable| {
            let end = variable.offset + variable.bytes;
            if offset >= end { offset - end } else { variable.offset.saturating_sub(offset) }
        })
    }
}
