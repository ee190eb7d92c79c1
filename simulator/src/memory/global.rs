//! Memory that every block can reach and that outlives a launch: buffers, module variables, constants.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use foldhash::HashMap;

use crate::{
    environment::{Environment, SLOT_SHIFT},
    finding::{Allocation, Space},
    footprint::Footprint,
};

use super::{
    NULL_PAGE, Peers, Site,
    changers::{Changer, Changers},
    data::{Bytes, Definition},
    flags::Flags,
    knowledge::Release,
    overlay::Overlay,
    partial::{Entry, Partial},
    shadow::Cells,
    speculation::LoadedWord,
    summary::Summary,
    time::Time,
};

/// What an allocation is called once it has been freed.
const FREED: &str = "memory that was freed";

/// A buffer or module variable.
#[derive(Clone, Debug)]
pub(crate) struct GlobalAllocation {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) space: Space,
    pub(crate) data: Vec<u8>,
    /// Per 4-byte word, which of its bytes are initialised (bit 0 = lowest address).
    pub(crate) defined: Vec<u8>,
    /// How many bytes aren't initialised.
    pub(crate) undefined_bytes: u64,
    /// What is known of words that are so in part.
    pub(crate) partial: Partial,
    /// The first of its pages, counted over all allocations.
    pub(crate) first_page: u32,
    /// Where somebody asks for it: the first byte that a kernel has given another value, [`u64::MAX`] if none. Copies share it.
    pub(crate) first_change: Option<Arc<AtomicU64>>,
}

impl GlobalAllocation {
    /// True if kernels may write to it.
    pub(crate) fn is_writable(&self) -> bool {
        self.space == Space::Global
    }

    /// True if all of the bytes are inside, given that the address is not before the start.
    #[inline]
    pub(crate) fn holds(&self, address: u64, bytes: u64) -> bool {
        address - self.address + bytes <= self.bytes
    }

    /// Its contents.
    #[inline]
    pub(super) fn contents(&self) -> Bytes<'_> {
        Bytes { data: &self.data, defined: &self.defined, partial: &self.partial }
    }

    /// A kernel gives a byte another value.
    #[cold]
    pub(super) fn note_first_change(&self, byte: u64) {
        if let Some(first) = &self.first_change {
            first.fetch_min(byte, Ordering::Relaxed);
        }
    }

    /// Notes what a store does to a word.
    #[inline]
    pub(super) fn define(&mut self, definition: Definition, site: Site) {
        let Definition { word, bytes, undefined } = definition;
        let poisoned = definition.poisoned();
        self.mark(word, bytes & !poisoned, true);
        if poisoned != 0 {
            self.mark(word, poisoned, false);
            self.partial.store(word as u32, self.defined[word], poisoned, undefined, site);
        }
    }

    /// Whole words have been written, with all of their bits.
    pub(super) fn define_words(&mut self, words: Range<usize>) {
        if self.undefined_bytes == 0 {
            return;
        }
        let words = &mut self.defined[words];
        let before: u64 = words.iter().map(|bits| u64::from(bits.count_ones())).sum();
        words.fill(0xf);
        self.undefined_bytes -= 4 * words.len() as u64 - before;
    }

    /// Sets the nibble of a word.
    fn mark(&mut self, word: usize, bits: u8, defined: bool) {
        let old = self.defined[word];
        let new = if defined { old | bits } else { old & !bits };
        if old != new {
            self.undefined_bytes += u64::from(old.count_ones());
            self.undefined_bytes -= u64::from(new.count_ones());
            self.defined[word] = new;
        }
    }
}

/// Global and constant memory.
#[derive(Clone, Debug)]
pub struct GlobalMemory {
    allocations: Vec<GlobalAllocation>,
    /// Allocation index by slot, slot 0 being nobody's.
    slots: Vec<Option<u32>>,
    /// Where allocations lie.
    environment: Environment,
    /// Slots that are taken.
    used: u64,
    pages: u32,
    changes: u64,
    /// Of launches whose blocks are interleaved.
    pub(super) changers: Changers,
    /// Of launches whose blocks are interleaved.
    pub(super) time: Time,
    /// Of the same: cells by page.
    pub(super) shadow: Shadow,
    /// Of the same: what strong writes published, by address.
    pub(super) releases: HashMap<u64, Release>,
    /// Of the same: the flags that each block set.
    pub(super) flags: HashMap<u32, Flags>,
    /// Of the same, in a replay that logs them: by word, who loaded it.
    pub(super) reads: HashMap<u64, Vec<LoadedWord>>,
    /// Of the same: what blocks of a cluster lend each other.
    pub(super) peers: Peers,
    /// Of launches whose blocks run in parallel.
    pub(crate) summary: Summary,
}

/// Race cells by page number.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    pages: Vec<Option<Box<Cells>>>,
}

impl Shadow {
    #[inline]
    pub(super) fn cells(&mut self, number: u32, pages: u32) -> &mut Cells {
        if self.pages.len() < pages as usize {
            self.pages.resize_with(pages as usize, || None);
        }
        self.pages[number as usize].get_or_insert_with(|| Box::new(Cells::new(Overlay::PAGE_WORDS)))
    }

    /// A page's cells, if it has some.
    #[inline]
    pub(super) fn seen(&self, number: u32) -> Option<&Cells> {
        self.pages.get(number as usize)?.as_deref()
    }

    /// The pages that have cells.
    fn touched(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.pages).filter(|(_, cells)| cells.is_some()).map(|(number, _)| number)
    }

    fn heap_bytes(&self) -> usize {
        let of_page = |cells: &Cells| size_of::<Cells>() + cells.heap_bytes();
        self.pages.capacity() * size_of::<Option<Box<Cells>>>()
            + self.pages.iter().flatten().map(|cells| of_page(cells)).sum::<usize>()
    }
}

/// How a running block reaches global memory.
#[derive(Debug)]
pub enum Global<'a> {
    /// Directly: one block runs at a time and others see its writes at once.
    Direct(&'a mut GlobalMemory),
    /// Through the block's private overlay, published when the wave has ended. Atomics aren't possible.
    Overlay(&'a GlobalMemory),
}

impl Global<'_> {
    /// The memory underneath.
    pub fn get(&self) -> &GlobalMemory {
        match self {
            Self::Direct(memory) => memory,
            Self::Overlay(memory) => memory,
        }
    }
}

/// The host asked for bytes that no allocation holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes at {address:#x} are not inside one allocation{nearest}")]
#[non_exhaustive]
pub struct HostAccessError {
    /// First byte asked for.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// "; the nearest is ..." or empty.
    pub nearest: String,
}

impl GlobalMemory {
    /// No allocations.
    pub fn new() -> Self {
        Self::of(Environment::Usual)
    }

    /// The same where the environment says where they will lie.
    pub fn of(environment: Environment) -> Self {
        Self {
            allocations: Vec::new(),
            slots: vec![None],
            environment,
            used: 0,
            pages: 0,
            changes: 0,
            changers: Changers::default(),
            time: Time::new(true),
            shadow: Shadow::default(),
            releases: HashMap::default(),
            flags: HashMap::default(),
            reads: HashMap::default(),
            peers: Peers::default(),
            summary: Summary::default(),
        }
    }

    /// The same contents, for a launch of its own: what it does there is not seen here.
    pub fn fork(&self) -> Self {
        Self {
            allocations: self.allocations.clone(),
            slots: self.slots.clone(),
            environment: self.environment,
            used: self.used,
            pages: self.pages,
            ..Self::new()
        }
    }

    /// Bytes of all allocations.
    pub fn bytes(&self) -> u64 {
        self.allocations.iter().map(|allocation| allocation.data.len() as u64).sum()
    }

    /// Starts a launch: everything before it is ordered before everything in it.
    pub fn begin_launch(&mut self) {
        self.time.begin();
        self.end_launch();
    }

    /// Lets go of all that only the launch needed.
    pub fn end_launch(&mut self) {
        self.shadow = Shadow::default();
        self.releases = HashMap::default();
        self.flags = HashMap::default();
        self.reads = HashMap::default();
        self.peers = Peers::default();
        self.changers.clear();
        self.summary.clear();
    }

    /// What the launch takes now of memory for global memory: that which blocks that
    /// run take is not among it.
    pub(crate) fn footprint(&self) -> Footprint {
        let page = u64::from(Overlay::PAGE_BYTES);
        let data: u64 = (self.shadow.touched().chain(self.summary.touched()))
            .map(|number| {
                let allocation = &self.allocations[self.allocation_of_page(number)];
                page.min(allocation.bytes.saturating_sub(u64::from(number - allocation.first_page) * page))
            })
            .sum();
        let releases: usize = self.releases.capacity() * size_of::<(u64, Release)>();
        let flags: usize = self.flags.capacity() * size_of::<(u32, Flags)>()
            + self.flags.values().map(Flags::heap_bytes).sum::<usize>();
        let shadow = self.shadow.heap_bytes()
            + self.summary.heap_bytes()
            + self.changers.heap_bytes()
            + self.time.heap_bytes()
            + releases
            + flags;
        // A byte for every word says which of its bytes are initialised.
        Footprint { data_bytes: data, shadow_bytes: shadow as u64 + data.div_ceil(4) }
    }

    /// A buffer of uninitialised bytes. Gives its address, a multiple of 256.
    pub fn allocate(&mut self, bytes: u64, name: &str) -> u64 {
        self.allocate_in(Space::Global, bytes, name)
    }

    /// The same in a space of choice: kernels can't write to [`Space::Constant`] and [`Space::Param`].
    pub fn allocate_in(&mut self, space: Space, bytes: u64, name: &str) -> u64 {
        let count = self.environment.slots(bytes);
        let (slot, used) = self.environment.slot(self.used, count);
        self.used = used;
        let address = (slot << SLOT_SHIFT) + self.environment.slot_start(slot);
        let words = bytes.div_ceil(4) as usize;
        let index = self.allocations.len() as u32;
        let end = (slot + count) as usize;
        if self.slots.len() < end {
            self.slots.resize(end, None);
        }
        self.slots[slot as usize..end].fill(Some(index));
        self.allocations.push(GlobalAllocation {
            name: name.to_owned(),
            address,
            bytes,
            space,
            data: vec![0; words * 4],
            defined: vec![0; words],
            undefined_bytes: bytes,
            partial: Partial::default(),
            first_page: self.pages,
            first_change: None,
        });
        if let (Some(last), true) =
            (self.allocations.last_mut().and_then(|a| a.defined.last_mut()), !bytes.is_multiple_of(4))
        {
            // Bytes of the last word past the end count as initialised; bounds keep everyone away from them.
            *last = 0xf & (0xf << (bytes % 4));
        }
        self.pages += bytes.div_ceil(u64::from(Overlay::PAGE_BYTES)) as u32;
        address
    }

    /// Says how much of the allocation that begins at the address is in use; at most what it was made with.
    /// Beyond that it is out of bounds.
    pub fn fit(&mut self, address: u64, bytes: u64) {
        if let Some(index) = self.find(address, 0) {
            let allocation = &mut self.allocations[index];
            allocation.bytes = bytes.min(allocation.data.len() as u64);
        }
    }

    /// From now on it is noted where kernels change the allocation that begins at the address. False if there is none.
    pub fn watch(&mut self, address: u64) -> bool {
        let Some(index) = self.find(address, 0) else { return false };
        let allocation = &mut self.allocations[index];
        let begins = allocation.address == address;
        if begins {
            allocation.first_change = Some(Arc::new(AtomicU64::new(u64::MAX)));
        }
        begins
    }

    /// The first byte that a kernel has given another value since [`GlobalMemory::watch`].
    pub fn first_change(&self, address: u64) -> Option<u64> {
        let allocation = &self.allocations[self.find(address, 0)?];
        let first = allocation.first_change.as_ref()?.load(Ordering::Relaxed);
        (first != u64::MAX).then_some(first)
    }

    /// Removes the allocation that begins at the address; its addresses are never used
    /// again. False if there is none.
    pub fn release(&mut self, address: u64) -> bool {
        let Some(index) = self.find(address, 0) else { return false };
        let allocation = &mut self.allocations[index];
        if allocation.address != address || allocation.name == FREED {
            return false;
        }
        // It keeps its slots, so that later accesses are known for what they are.
        FREED.clone_into(&mut allocation.name);
        allocation.bytes = 0;
        allocation.data = Vec::new();
        allocation.defined = Vec::new();
        allocation.partial.clear();
        true
    }

    /// Host write; initialises the bytes.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), HostAccessError> {
        let index = self.host_find(address, bytes.len() as u64)?;
        let allocation = &mut self.allocations[index];
        let start = (address - allocation.address) as usize;
        let end = start + bytes.len();
        allocation.data[start..end].copy_from_slice(bytes);
        let (first_whole, end_whole) = (start.div_ceil(4), end / 4);
        if first_whole < end_whole {
            allocation.define_words(first_whole..end_whole);
        }
        for at in (start..end.min(first_whole * 4)).chain((end_whole * 4).max(start)..end) {
            allocation.mark(at / 4, 1 << (at % 4), true);
        }
        Ok(())
    }

    /// Marks bytes as never written.
    pub fn forget(&mut self, address: u64, bytes: u64) -> Result<(), HostAccessError> {
        let index = self.host_find(address, bytes)?;
        let allocation = &mut self.allocations[index];
        let start = (address - allocation.address) as usize;
        for at in start..start + bytes as usize {
            allocation.mark(at / 4, 1 << (at % 4), false);
            allocation.partial.forget((at / 4) as u32, 1 << (at % 4));
        }
        Ok(())
    }

    /// Host read: the bytes, and which of them were never written.
    pub fn read(&self, address: u64, bytes: u64) -> Result<(Vec<u8>, Vec<Range<usize>>), HostAccessError> {
        let index = self.host_find(address, bytes)?;
        let allocation = &self.allocations[index];
        let start = (address - allocation.address) as usize;
        let end = start + bytes as usize;
        let mut undefined: Vec<Range<usize>> = Vec::new();
        // Mostly all of it is initialised: whole words are looked at first.
        let words = allocation.defined[start / 4..end.div_ceil(4)].iter().zip(start / 4..);
        for (bits, word) in words.filter(|(bits, _)| **bits != 0xf) {
            let of_word = (4 * word).max(start)..(4 * word + 4).min(end);
            for at in of_word.filter(|at| bits >> (at % 4) & 1 == 0).map(|at| at - start) {
                match undefined.last_mut() {
                    Some(last) if last.end == at => last.end = at + 1,
                    _ => undefined.push(at..at + 1),
                }
            }
        }
        Ok((allocation.data[start..end].to_vec(), undefined))
    }

    /// Of bytes that count as never written, those that a store wrote with undefined data: where,
    /// and the last such store.
    pub(crate) fn stored_undefined(&self, address: u64, bytes: u64) -> Vec<(usize, Site)> {
        let Ok(index) = self.host_find(address, bytes) else { return Vec::new() };
        let allocation = &self.allocations[index];
        let start = (address - allocation.address) as usize;
        let end = start + bytes as usize;
        let words = (start / 4) as u32..end.div_ceil(4) as u32;
        let of_word = |(word, entry): (u32, Entry)| {
            let word = start / 4 + word as usize;
            let bytes = entry.stored & !allocation.defined[word];
            (0..4)
                .filter(move |byte| bytes >> byte & 1 == 1)
                .map(move |byte| (4 * word + byte, entry.site))
                .filter(move |(at, _)| (start..end).contains(at))
                .map(move |(at, site)| (at - start, site))
        };
        allocation.partial.range(words).flat_map(of_word).collect()
    }

    /// The address of the first allocation of that name, e.g. a module variable.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        self.allocations
            .iter()
            .find(|allocation| allocation.name == name)
            .map(|allocation| allocation.address)
    }

    /// The name of the allocation that holds an address.
    pub(super) fn name_at(&self, address: u64) -> Option<&str> {
        self.find(address, 1).map(|index| self.allocations[index].name.as_str())
    }

    /// The space of the allocation that holds an address.
    pub fn space_at(&self, address: u64) -> Option<Space> {
        self.find(address, 0).map(|index| self.allocations[index].space)
    }

    /// Gives an allocation another name, e.g. when it becomes `argument 2`. False if none begins there.
    pub fn rename(&mut self, address: u64, name: &str) -> bool {
        match self.find(address, 0) {
            Some(index) if self.allocations[index].address == address => {
                name.clone_into(&mut self.allocations[index].name);
                true
            }
            _ => false,
        }
    }

    /// How many stores and atomics have changed a value so far; a spin that waits in vain leaves it alone.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Who has changed a word by an atomic or a strong store, in a launch whose blocks are interleaved.
    pub fn changer(&self, address: u64) -> Option<Changer> {
        self.changers.of(address)
    }

    /// Somebody begins to wait for a change of the word at this address: the number of the next strong one.
    pub fn wait_for_change(&mut self, address: u64) -> u32 {
        self.changers.wait_for(address)
    }

    /// The block that made the change of this number, where that is remembered.
    pub fn changer_of(&self, address: u64, number: u32) -> Option<u32> {
        self.changers.of_change(address, number)
    }

    /// The four bytes that begin at a multiple of four; 0 outside all allocations.
    pub fn word(&self, address: u64) -> u32 {
        let Some(index) = self.find(address, 1) else { return 0 };
        let allocation = &self.allocations[index];
        let at = (address - allocation.address) as usize;
        let byte = |i: usize| allocation.data.get(at + i).copied().unwrap_or(0);
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    }

    pub(crate) fn note_change(&mut self) {
        self.changes += 1;
    }

    /// The four bytes of shared memory of the block of a rank at an offset, if it is lent.
    pub(crate) fn word_of_peer(&self, rank: u32, offset: u32) -> u32 {
        self.peers.look(rank).map_or(0, |memory| memory.word(offset))
    }

    /// Pages over all allocations.
    pub(crate) fn pages(&self) -> u32 {
        self.pages
    }

    pub(crate) fn allocation(&self, index: usize) -> &GlobalAllocation {
        &self.allocations[index]
    }

    pub(crate) fn allocation_mut(&mut self, index: usize) -> &mut GlobalAllocation {
        &mut self.allocations[index]
    }

    /// The allocation that holds a page.
    pub(crate) fn allocation_of_page(&self, page: u32) -> usize {
        self.allocations.partition_point(|allocation| allocation.first_page <= page) - 1
    }

    /// The allocation that holds all of the bytes.
    #[inline]
    pub(crate) fn find(&self, address: u64, bytes: u64) -> Option<usize> {
        let index = (*self.slots.get((address >> SLOT_SHIFT) as usize)?)? as usize;
        let allocation = &self.allocations[index];
        let offset = address.wrapping_sub(allocation.address);
        (offset <= allocation.bytes && bytes <= allocation.bytes - offset).then_some(index)
    }

    /// Where a stray access lies: the allocation of its slot, or else the nearest
    /// one. None for the null page.
    pub(crate) fn nearest(&self, address: u64, bytes: u8) -> Option<Allocation> {
        let allocation = self.nearest_allocation(address)?;
        Some(describe(&allocation.name, allocation.address, allocation.bytes, address, bytes))
    }

    /// The space of that allocation.
    pub(crate) fn nearest_space(&self, address: u64) -> Option<Space> {
        self.nearest_allocation(address).map(|allocation| allocation.space)
    }

    fn nearest_allocation(&self, address: u64) -> Option<&GlobalAllocation> {
        if address < NULL_PAGE {
            return None;
        }
        let own = self.slots.get((address >> SLOT_SHIFT) as usize).copied().flatten();
        let allocation = match own {
            Some(index) => &self.allocations[index as usize],
            None => {
                self.allocations.iter().filter(|a| a.bytes == 0 || !a.data.is_empty()).min_by_key(|a| {
                    let end = a.address + a.bytes;
                    if address >= end { address - end } else { a.address.saturating_sub(address) }
                })?
            }
        };
        // Farther than the slots of an allocation reach: it has nothing to do with it.
        (address.abs_diff(allocation.address) <= allocation.bytes + (1 << SLOT_SHIFT)).then_some(allocation)
    }

    fn host_find(&self, address: u64, bytes: u64) -> Result<usize, HostAccessError> {
        self.find(address, bytes).ok_or_else(|| HostAccessError {
            address,
            bytes,
            nearest: self.nearest(address, 1).map_or(String::new(), |nearest| {
                format!(
                    "; the nearest is `{}` of {} bytes, which the address is {} bytes into",
                    nearest.name, nearest.bytes, nearest.offset
                )
            }),
        })
    }
}

/// Relates an access to an allocation.
pub(crate) fn describe(name: &str, start: u64, size: u64, address: u64, bytes: u8) -> Allocation {
    let offset = address.wrapping_sub(start) as i64;
    let distance = if offset < 0 {
        offset.unsigned_abs()
    } else {
        // From the allocation's end to the access's end: reading an int at index n is 4 bytes past the end.
        (offset as u64 + u64::from(bytes)).saturating_sub(size)
    };
    Allocation { name: name.to_owned(), bytes: size, offset, distance }
}

impl Default for GlobalMemory {
    fn default() -> Self {
        Self::new()
    }
}
