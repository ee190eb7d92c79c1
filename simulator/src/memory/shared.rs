//! A block's shared memory: what it holds, which of it is initialised, and who accessed it.
//!
//! It knows neither the block's clocks nor global memory: `block` brings them together.

use std::{collections::BTreeMap, sync::Arc};

use foldhash::HashMap;

use crate::finding::Allocation;

use super::{
    SharedLayout, SharedVariable, Site,
    block::Visit,
    data::{Bytes, Definition},
    deferred::Deferred,
    global::describe,
    knowledge::Release,
    mbarrier::Mbarriers,
    order::BlockOrder,
    partial::Partial,
    pattern::{Pattern, Tag},
    shadow::Cells,
    time::Time,
};

/// The shared memory of one running block.
#[derive(Debug)]
pub(super) struct SharedMemory {
    /// Where its variables lie.
    pub(super) layout: Arc<SharedLayout>,
    pub(super) data: Vec<u8>,
    /// Per word, which bytes are initialised.
    pub(super) defined: Vec<u8>,
    /// Words that are so in part.
    pub(super) partial: Partial,
    /// Per variable, how many of its bytes aren't.
    pub(super) undefined: Vec<u32>,
    /// Race cells by variable, from the word that holds its first byte on.
    pub(super) cells: Vec<Cells>,
    /// Reads that are still to be put down there.
    pub(super) deferred: Deferred,
    /// What strong writes published, by offset.
    pub(super) releases: HashMap<u32, Release>,
    pub(super) mbarriers: Mbarriers,
    /// Whose it is.
    pub(super) block: u32,
    /// When its block began.
    pub(super) begun: u32,
    /// Of each thread of other blocks of the cluster, by block and thread, its last access.
    pub(super) visits: BTreeMap<(u32, u16), Visit>,
    /// By place in the table of patterns, the variable that was last loaded from by this shape.
    variable_of_shape: Box<[u16; 256]>,
}

impl SharedMemory {
    pub(super) fn new(layout: Arc<SharedLayout>) -> Self {
        let bytes = layout.arena_bytes as usize;
        let words = |offset: u32, bytes: u32| ((offset & 3) + bytes).div_ceil(4) as usize;
        let cells =
            layout.variables.iter().map(|variable| Cells::new(words(variable.offset, variable.bytes)));
        Self {
            data: vec![0; bytes],
            defined: vec![0; bytes.div_ceil(4)],
            partial: Partial::default(),
            undefined: layout.variables.iter().map(|variable| variable.bytes).collect(),
            cells: cells.collect(),
            deferred: Deferred::new(layout.variables.len()),
            releases: HashMap::default(),
            mbarriers: Mbarriers::default(),
            block: 0,
            begun: 0,
            visits: BTreeMap::new(),
            variable_of_shape: Box::new([0; 256]),
            layout,
        }
    }

    /// Another block begins: all of it is uninitialised. What the cells say is out of date, and kept.
    pub(super) fn begin(&mut self, block: u32) {
        self.block = block;
        self.visits.clear();
        // What nobody wrote must not depend on who had this memory before.
        self.data.fill(0);
        self.defined.fill(0);
        self.partial.clear();
        for (undefined, variable) in self.undefined.iter_mut().zip(&self.layout.variables) {
            *undefined = variable.bytes;
            if variable.begins_as_zeros() {
                let words = variable.offset as usize / 4..(variable.offset + variable.bytes) as usize / 4;
                self.defined[words].fill(0xf);
                *undefined = 0;
            }
        }
        self.releases.clear();
        self.mbarriers.clear();
        self.deferred.forget();
        self.cells.iter_mut().for_each(Cells::restart);
    }

    /// Forgets who accessed it.
    pub(super) fn clear_cells(&mut self) {
        self.cells.iter_mut().for_each(Cells::clear);
    }

    /// Where a variable's cells begin: at the word that holds its first byte.
    #[inline(always)]
    pub(super) fn cells_start(&self, variable: usize) -> u32 {
        self.layout.variables[variable].offset & !3
    }

    /// The variable in which words lie, the first and the last of which are given. Accesses of one shape nearly
    /// always go to one variable.
    #[inline(always)]
    pub(super) fn variable_of(&mut self, shape: Tag, (low, high): (u32, u32)) -> Option<usize> {
        let last = usize::from(self.variable_of_shape[shape.slot()]);
        let place = self.layout.variables.get(last)?;
        if low >= place.offset && place.holds(high, 4) {
            return Some(last);
        }
        let variable = self.layout.find(low, 4).filter(|&at| self.layout.variables[at].holds(high, 4))?;
        self.variable_of_shape[shape.slot()] = u16::try_from(variable).ok()?;
        Some(variable)
    }

    /// Puts off a read by a warp at a site whose first active lane is at this offset, if it races with nothing;
    /// false if it must be put down at once.
    #[inline(always)]
    pub(super) fn note_read(
        &mut self,
        variable: usize,
        (pattern, first): (&Pattern, u32),
        by: (u16, Site),
        order: &BlockOrder,
        now: u32,
    ) -> bool {
        let cell = (first - self.cells_start(variable)) / 4;
        self.deferred.note(variable, &self.cells[variable], (pattern, cell), by, order, now)
    }

    /// Puts down the reads of a variable that were put off.
    #[inline(always)]
    pub(super) fn settle_reads_of(&mut self, variable: usize, order: &BlockOrder, time: &Time) {
        if self.deferred.waits(variable) {
            self.deferred.settle(variable, &mut self.cells[variable], order, time);
        }
    }

    /// What it holds.
    #[inline(always)]
    pub(super) fn contents(&self) -> Bytes<'_> {
        Bytes { data: &self.data, defined: &self.defined, partial: &self.partial }
    }

    /// The four bytes at an offset.
    pub(super) fn word(&self, offset: u32) -> u32 {
        let byte = |i: usize| self.data.get(offset as usize + i).copied().unwrap_or(0);
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    }

    /// Notes what a store does to a word of a variable.
    #[inline]
    pub(super) fn define(&mut self, variable: usize, definition: Definition, site: Site) {
        let undefined = &mut self.undefined[variable];
        define(&mut self.defined, &mut self.partial, undefined, definition, site);
    }

    /// The variable that an access at an offset falls in or is nearest to; `another`: as a thread of another block names it.
    #[cold]
    pub(super) fn allocation(&self, offset: u32, bytes: u8, another: bool) -> Option<Allocation> {
        let variable = match self.layout.find(offset, bytes.into()) {
            Some(index) => self.layout.variables.get(index),
            None => self.layout.nearest(offset),
        };
        variable.map(|variable| {
            let found = describe_shared(variable, offset, bytes);
            if another { of_another(found) } else { found }
        })
    }

    /// Bytes of its variables.
    pub(super) fn data_bytes(&self) -> u64 {
        self.layout.variables.iter().map(|variable| u64::from(variable.bytes)).sum()
    }

    /// Bytes that are taken to know who wrote and read what.
    pub(super) fn shadow_bytes(&self) -> usize {
        let cells = self.cells.iter().map(|cells| size_of::<Cells>() + cells.heap_bytes());
        cells.sum::<usize>()
            + self.deferred.heap_bytes()
            + self.defined.capacity()
            + self.releases.capacity() * size_of::<(u32, Release)>()
    }
}

/// The same for who has the parts in hand: which bytes are initialised, words in part, and how many bytes of
/// the variable aren't.
#[inline]
pub(super) fn define(
    defined: &mut [u8],
    partial: &mut Partial,
    undefined_bytes: &mut u32,
    definition: Definition,
    site: Site,
) {
    let Definition { word, bytes, undefined } = definition;
    let poisoned = definition.poisoned();
    let nibble = &mut defined[word];
    let new = (*nibble | bytes) & !poisoned;
    *undefined_bytes = *undefined_bytes + nibble.count_ones() - new.count_ones();
    *nibble = new;
    if poisoned != 0 {
        partial.store(word as u32, new, poisoned, undefined, site);
    }
}

/// Relates a shared access to a variable.
pub(super) fn describe_shared(variable: &SharedVariable, offset: u32, bytes: u8) -> Allocation {
    // Shared addresses are 32 bits wide: one just below 2^32 is before the first variable,
    // not far behind the last.
    let offset = i64::from(offset as i32);
    describe(&variable.name, variable.offset.into(), variable.bytes.into(), offset as u64, bytes)
}

/// The same variable as a thread of another block of the cluster names it.
pub(super) fn of_another(allocation: Allocation) -> Allocation {
    let named =
        if allocation.name.contains(' ') { allocation.name } else { format!("`{}`", allocation.name) };
    Allocation { name: format!("{named} of another block of the cluster"), ..allocation }
}
