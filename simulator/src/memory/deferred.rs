//! Plain reads of shared memory that have not been put down in race cells.
//!
//! Between two barriers the warps of a block read the same words again and again, and most often nobody
//! writes there until the second barrier, to which all these reads are in the past: then nobody ever asks who
//! they were. So a read that can race with nothing that was done before it ([`Cells::reads_are_safe`]) is
//! only noted: its shape, where it lies, whose it is and when.
//!
//! What is noted is put down, in order, before anything looks at the variable's cells or changes what
//! threads know of each other, and forgotten at a barrier of the whole block. Cells are then exactly as if
//! nothing had ever been put off, so no finding depends on it. What waits takes 12 bytes for each word of
//! the variable at most, or 1.5 KiB for a small one; the cells of a variable whose reads are always
//! forgotten are never made.

use std::sync::Arc;

use super::{
    Site,
    cells::{pack, unpack},
    order::BlockOrder,
    pattern::{Pattern, Shape, Tag},
    shadow::{Cells, CurrentAccess},
    time::Time,
};

/// Shapes named at once, at most.
const SHAPES: usize = 256;

/// One warp's read.
#[derive(Clone, Copy, Debug)]
struct WarpRead {
    stamp: u32,
    /// Warp and site.
    by: u32,
    /// The cell of the first active lane, and the shape.
    place: u32,
}

/// Bits of a place that say which shape.
const SHAPE_BITS: u32 = SHAPES.trailing_zeros();

/// Reads by variable.
#[derive(Debug)]
pub(super) struct Deferred {
    variables: Vec<Vec<WarpRead>>,
    shapes: Vec<(Tag, Arc<Shape>)>,
    /// By place in the table of patterns, where its shape was last found among `shapes`.
    found: Box<[u8; 256]>,
    /// Some variable has reads.
    any: bool,
    /// Nothing is put off.
    #[cfg(test)]
    pub(super) off: bool,
}

impl Deferred {
    pub(super) fn new(variables: usize) -> Self {
        Self {
            variables: vec![Vec::new(); variables],
            shapes: Vec::new(),
            found: Box::new([0; 256]),
            any: false,
            #[cfg(test)]
            off: false,
        }
    }

    /// True if some read of any variable waits.
    #[inline(always)]
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// True if some read of this variable waits.
    #[inline(always)]
    pub(super) fn waits(&self, variable: usize) -> bool {
        self.any && !self.variables[variable].is_empty()
    }

    /// Notes a read of a variable by a warp, whose first active lane's word is in cell `first`. False if that
    /// can't be: it has to be put down at once.
    #[inline(always)]
    pub(super) fn note(
        &mut self,
        variable: usize,
        cells: &Cells,
        (pattern, first): (&Pattern, u32),
        (warp, site): (u16, Site),
        order: &BlockOrder,
        now: u32,
    ) -> bool {
        #[cfg(test)]
        if self.off {
            return false;
        }
        let reads = &mut self.variables[variable];
        if !cells.reads_are_safe(order.dead) || cells.by_bytes() || reads.len() >= cells.most_deferred() {
            return false;
        }
        let tag = pattern.tag();
        let mut shape = usize::from(self.found[tag.slot() % 256]);
        if self.shapes.get(shape).is_none_or(|known| known.0 != tag) {
            if self.shapes.len() == SHAPES || first >> (u32::BITS - SHAPE_BITS) != 0 {
                return false;
            }
            shape = self.shapes.len();
            self.shapes.push((tag, Arc::clone(pattern.shape())));
            self.found[tag.slot() % 256] = shape as u8;
        }
        let place = first << SHAPE_BITS | shape as u32;
        reads.push(WarpRead { stamp: now, by: pack(warp, site), place });
        self.any = true;
        true
    }

    /// All reads so far are in the past of everything to come.
    pub(super) fn forget(&mut self) {
        if self.any {
            self.variables.iter_mut().for_each(Vec::clear);
            self.none_left();
        }
    }

    fn none_left(&mut self) {
        self.any = false;
        if self.shapes.len() > SHAPES / 2 {
            self.shapes.clear();
        }
    }

    /// Puts down what was read of one variable.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(&mut self, variable: usize, cells: &mut Cells, order: &BlockOrder, time: &Time) {
        let mut conflicts = Vec::new();
        for read in &self.variables[variable] {
            let (warp, site) = unpack(read.by);
            let mut current = CurrentAccess {
                now: read.stamp,
                ..CurrentAccess::of_own(time, order, warp, site, &mut conflicts)
            };
            let (_, shape) = &self.shapes[(read.place % SHAPES as u32) as usize];
            for words in shape.runs() {
                let first = (read.place >> SHAPE_BITS).wrapping_add_signed(words.start as i32 >> 2);
                cells.read_run(&mut current, first as usize, words);
            }
        }
        debug_assert!(conflicts.is_empty(), "a read that races is not put off");
        self.variables[variable].clear();
        if self.variables.iter().all(Vec::is_empty) {
            self.none_left();
        }
    }

    /// Puts down everything.
    #[cold]
    #[inline(never)]
    pub(super) fn settle_all(&mut self, cells: &mut [Cells], order: &BlockOrder, time: &Time) {
        for (variable, cells) in cells.iter_mut().enumerate() {
            self.settle(variable, cells, order, time);
        }
    }

    /// Reads that wait.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.variables.iter().map(Vec::len).sum()
    }

    /// Bytes allocated.
    pub(super) fn heap_bytes(&self) -> usize {
        let reads: usize = self.variables.iter().map(|reads| reads.capacity() * size_of::<WarpRead>()).sum();
        reads
            + self.variables.capacity() * size_of::<Vec<WarpRead>>()
            + size_of_val(&*self.found)
            + self.shapes.capacity() * size_of::<(Tag, Arc<Shape>)>()
    }
}
