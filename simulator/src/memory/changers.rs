//! Which block last changed a word of global memory by an atomic or another strong write, and whether several blocks did:
//! for whoever waits for such a change and for whoever draws numbers from a counter. Nothing here decides a race.

use std::collections::HashMap;

/// Who changed a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changer {
    /// The block that did last.
    pub block: u32,
    /// Others did before.
    pub several: bool,
}

/// Changers by word.
#[derive(Clone, Debug, Default)]
pub(super) struct Changers(HashMap<u64, Changer>);

impl Changers {
    pub(super) fn note(&mut self, address: u64, bytes: u8, block: u32) {
        for word in address / 4..(address + u64::from(bytes)).div_ceil(4) {
            let changer = self.0.entry(word).or_insert(Changer { block, several: false });
            changer.several |= changer.block != block;
            changer.block = block;
        }
    }

    pub(super) fn of(&self, address: u64) -> Option<Changer> {
        self.0.get(&(address / 4)).copied()
    }

    pub(super) fn clear(&mut self) {
        self.0 = HashMap::new();
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(u64, Changer)>()
    }
}
