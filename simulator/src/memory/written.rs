//! What a finished block of a parallel launch wrote, until it is published: far less than the copies of pages
//! that it ran with, which the next block uses.

use super::{
    overlay::{Copied, Page},
    partial::Entry,
    summary::Overlap,
};

/// Neighbouring words that a block wrote as a whole and left initialised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    pub(super) first: u8,
    pub(super) count: u8,
}

/// Another word that a block wrote to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    /// Which of the page.
    pub(super) word: u8,
    /// Bytes written.
    pub(super) written: u8,
    /// Bytes initialised.
    pub(super) defined: u8,
    pub(super) data: [u8; 4],
}

/// A page that a block wrote to, and where what belongs to it ends in the lists of all pages.
#[derive(Clone, Copy, Debug)]
struct WrittenPage {
    number: u32,
    ends: Ends,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    whole: u32,
    words: u32,
    stored: u32,
}

/// All that one block wrote, and where it met earlier blocks.
#[derive(Debug, Default)]
pub struct Written {
    pub(super) block: u32,
    pages: Vec<WrittenPage>,
    whole: Vec<Whole>,
    /// The words of `whole`, one after the other.
    words: Vec<[u8; 4]>,
    stored: Vec<Stored>,
    /// What is known of words in `stored`, by their position.
    partial: Vec<(u32, Entry)>,
    pub(super) overlaps: Vec<Overlap>,
}

/// What was written to one page.
#[derive(Clone, Copy)]
pub(super) struct PageWrites<'a> {
    pub(super) number: u32,
    whole: &'a [Whole],
    words: &'a [[u8; 4]],
    pub(super) stored: &'a [Stored],
    first_stored: usize,
    partial: &'a [(u32, Entry)],
}

impl PageWrites<'_> {
    /// What is known of a word in `stored`, by its position there.
    pub(super) fn entry(&self, position: usize) -> Option<Entry> {
        let key = (self.first_stored + position) as u32;
        let at = self.partial.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(self.partial[at].1)
    }

    /// Runs of words written as a whole, each with its first word's place in the page.
    pub(super) fn whole(&self) -> impl Iterator<Item = (usize, &[[u8; 4]])> {
        let mut rest = self.words;
        self.whole.iter().map(move |whole| {
            let (words, after) = rest.split_at(whole.count.into());
            rest = after;
            (whole.first.into(), words)
        })
    }

    /// True if the block left this byte of the page initialised, with this value.
    fn left(&self, within: usize, value: u8) -> bool {
        let (word, byte) = (within / 4, within % 4);
        let whole = self.whole().find_map(|(first, words)| words.get(word.checked_sub(first)?));
        let stored = self.stored.iter().find(|stored| usize::from(stored.word) == word);
        whole.is_some_and(|data| data[byte] == value)
            || stored.is_some_and(|stored| stored.defined >> byte & 1 == 1 && stored.data[byte] == value)
    }
}

impl Written {
    /// Begins the list of another block.
    pub(super) fn begin(&mut self, block: u32) {
        self.block = block;
        self.pages.clear();
        self.whole.clear();
        self.words.clear();
        self.stored.clear();
        self.partial.clear();
        self.overlaps.clear();
    }

    /// Adds what was written to a page, if anything was.
    pub(super) fn add(&mut self, page: &Page) {
        let Some(copy) = page.copy() else { return };
        let before = (self.whole.len(), self.stored.len());
        self.add_words(copy);
        if before != (self.whole.len(), self.stored.len()) {
            let ends = Ends {
                whole: self.whole.len() as u32,
                words: self.words.len() as u32,
                stored: self.stored.len() as u32,
            };
            self.pages.push(WrittenPage { number: page.number, ends });
        }
    }

    /// Adds the words that were written, several at a time where they are alike.
    fn add_words(&mut self, copy: &Copied) {
        const AT_ONCE: usize = 8;
        let begin = self.whole.len();
        let chunks = copy.written.chunks_exact(AT_ONCE).zip(copy.defined.chunks_exact(AT_ONCE));
        for (chunk, (written, defined)) in chunks.enumerate() {
            let first = AT_ONCE * chunk;
            if written == [0; AT_ONCE] {
                continue;
            }
            if written == [0xf; AT_ONCE] && defined == [0xf; AT_ONCE] {
                self.add_whole(begin, copy, first, AT_ONCE);
                continue;
            }
            for (at, (&written, &defined)) in written.iter().zip(defined).enumerate() {
                let word = first + at;
                if written == 0xf && defined == 0xf {
                    self.add_whole(begin, copy, word, 1);
                } else if written != 0 {
                    if let Some(entry) = copy.partial.get(word as u32) {
                        self.partial.push((self.stored.len() as u32, entry));
                    }
                    let data = std::array::from_fn(|byte| copy.data[4 * word + byte]);
                    self.stored.push(Stored { word: word as u8, written, defined, data });
                }
            }
        }
    }

    fn add_whole(&mut self, begin: usize, copy: &Copied, first: usize, count: usize) {
        let (words, _) = copy.data.as_chunks();
        self.words.extend_from_slice(&words[first..first + count]);
        match self.whole[begin..].last_mut() {
            Some(last) if usize::from(last.first + last.count) == first => last.count += count as u8,
            _ => self.whole.push(Whole { first: first as u8, count: count as u8 }),
        }
    }

    /// Page by page, in the order of first touch.
    pub(super) fn parts(&self) -> impl Iterator<Item = PageWrites<'_>> {
        let mut from = Ends::default();
        self.pages.iter().map(move |&WrittenPage { number, ends }| {
            let part = PageWrites {
                number,
                whole: &self.whole[from.whole as usize..ends.whole as usize],
                words: &self.words[from.words as usize..ends.words as usize],
                stored: &self.stored[from.stored as usize..ends.stored as usize],
                first_stored: from.stored as usize,
                partial: &self.partial,
            };
            from = ends;
            part
        })
    }

    /// True if the block left this byte of a page initialised, with this value.
    pub(super) fn left(&self, page: u32, within: usize, value: u8) -> bool {
        self.parts().any(|part| part.number == page && part.left(within, value))
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<WrittenPage>()
            + self.whole.capacity() * size_of::<Whole>()
            + self.words.capacity() * size_of::<[u8; 4]>()
            + self.stored.capacity() * size_of::<Stored>()
            + self.partial.capacity() * size_of::<(u32, Entry)>()
            + self.overlaps.capacity() * size_of::<Overlap>()
    }
}
