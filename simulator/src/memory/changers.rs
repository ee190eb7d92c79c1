//! Which block last changed a word of global memory by an atomic or another strong write, and whether
//! several blocks did: for whoever waits for such a change and for whoever draws numbers from a counter.
//! Nothing here decides a race.

use foldhash::HashMap;

/// Who changed a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changer {
    /// The block that did last.
    pub block: u32,
    /// Others did before.
    pub several: bool,
}

/// Changes of a word that are remembered where somebody waits for one.
const REMEMBERED: usize = 4;

/// The changes of a word since somebody waited for one.
#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    count: u32,
    /// The last ones: number `n` at `n` modulo their number.
    blocks: [u32; REMEMBERED],
}

/// Changers by word.
#[derive(Clone, Debug, Default)]
pub(super) struct Changers {
    last: HashMap<u64, Changer>,
    waited_for: HashMap<u64, Changes>,
}

impl Changers {
    pub(super) fn note(&mut self, address: u64, bytes: u8, block: u32) {
        for word in address / 4..(address + u64::from(bytes)).div_ceil(4) {
            let changer = self.last.entry(word).or_insert(Changer { block, several: false });
            changer.several |= changer.block != block;
            changer.block = block;
            if !self.waited_for.is_empty()
                && let Some(changes) = self.waited_for.get_mut(&word)
            {
                changes.blocks[changes.count as usize % REMEMBERED] = block;
                changes.count += 1;
            }
        }
    }

    pub(super) fn of(&self, address: u64) -> Option<Changer> {
        self.last.get(&(address / 4)).copied()
    }

    /// Somebody begins to wait for a change of this word: the number of the next one.
    pub(super) fn wait_for(&mut self, address: u64) -> u32 {
        self.waited_for.entry(address / 4).or_default().count
    }

    /// Who made a change of this number, where that is remembered.
    pub(super) fn of_change(&self, address: u64, number: u32) -> Option<u32> {
        let changes = self.waited_for.get(&(address / 4))?;
        let ago = changes.count.checked_sub(number)?;
        (1..=REMEMBERED as u32).contains(&ago).then(|| changes.blocks[number as usize % REMEMBERED])
    }

    pub(super) fn clear(&mut self) {
        *self = Changers::default();
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.last.capacity() * size_of::<(u64, Changer)>()
            + self.waited_for.capacity() * size_of::<(u64, Changes)>()
    }
}
