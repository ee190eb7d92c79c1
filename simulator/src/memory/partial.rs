//! Words of memory that were written in part: what a nibble per word cannot say.
//!
//! A byte counts as initialised when all its bits are. Of the others nothing is known here as long
//! as no store has left them undefined; a store of a value that is defined in part, as of a bit
//! field's word, leaves an entry.

use foldhash::HashMap;

use super::Site;

/// What is known of one word; counts only for bytes that aren't initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The bits that are undefined.
    pub(crate) undefined: u32,
    /// Bytes that a store left undefined, in part or altogether.
    pub(crate) stored: u8,
    /// The last such store.
    pub(crate) site: Site,
    /// What it stored, if that is known: where those bits come from.
    pub(crate) passed: Option<Passed>,
}

impl Entry {
    /// The last stores left nothing of it defined. A word of which some bits were set and stored back is none
    /// such: its other bits are as they were.
    pub(crate) fn is_stored_whole(&self) -> bool {
        self.stored == 0xf && self.undefined == u32::MAX
    }
}

/// Where a value comes from that was undefined when it was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// What gave it, as the block's threads number that.
    pub origin: u32,
    /// The address of the byte that the first undefined bits were loaded from.
    pub address: u64,
    /// Other bits of that byte were defined.
    pub part_of_byte: bool,
}

/// Entries by word number. Whoever makes a byte uninitialised otherwise than by [`Partial::store`] must call
/// [`Partial::forget`]; making it initialised needs nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partial {
    words: HashMap<u32, Entry>,
}

impl Partial {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        if !self.words.is_empty() {
            self.words.clear();
        }
    }

    /// True if nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The undefined bits of a word of which these bytes are initialised.
    pub(crate) fn undefined(&self, word: u32, initialised: u8) -> u32 {
        let known = self.words.get(&word).map_or(u32::MAX, |entry| entry.undefined);
        known & !spread(initialised)
    }

    /// A store leaves bits of these bytes undefined.
    #[cold]
    pub(crate) fn store(&mut self, word: u32, initialised: u8, bytes: u8, undefined: u32, site: Site) {
        let stored = spread(bytes);
        let new = Entry { undefined: u32::MAX, stored: 0, site, passed: None };
        let entry = self.words.entry(word).or_insert(new);
        entry.undefined = entry.undefined & !stored | undefined & stored;
        entry.stored = (entry.stored | bytes) & !initialised;
        (entry.site, entry.passed) = (site, None);
    }

    /// The last store left what comes from there.
    pub(crate) fn pass(&mut self, word: u32, passed: Passed) {
        if let Some(entry) = self.words.get_mut(&word) {
            entry.passed = Some(passed);
        }
    }

    /// What a store left of a word.
    pub(crate) fn get(&self, word: u32) -> Option<Entry> {
        self.words.get(&word).copied()
    }

    /// Takes over what is known of a word.
    pub(crate) fn set(&mut self, word: u32, entry: Entry) {
        self.words.insert(word, entry);
    }

    /// Entries of a run of words, numbered from its start; in no order.
    pub(crate) fn range(&self, words: std::ops::Range<u32>) -> impl Iterator<Item = (u32, Entry)> {
        // Nearly always there are none; else a run is a page, and mostly shorter than the list.
        let runs = if self.words.is_empty() { 0..0 } else { words.clone() };
        runs.filter_map(move |word| Some((word - words.start, self.get(word)?)))
    }

    /// These bytes are as if nothing had ever been stored.
    pub(crate) fn forget(&mut self, word: u32, bytes: u8) {
        if let Some(entry) = self.words.get_mut(&word) {
            entry.undefined |= spread(bytes);
            entry.stored &= !bytes;
        }
    }
}

/// All bits of some bytes.
pub(crate) fn spread(bytes: u8) -> u32 {
    (0..4).filter(|byte| bytes >> byte & 1 == 1).fold(0, |bits, byte| bits | 0xff << (8 * byte))
}
