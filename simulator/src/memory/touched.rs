//! What a finished block of a parallel launch leaves behind until its turn to be published: who touched which words, and
//! what it wrote. Far less than the cells and copies that it ran with, which the next block uses.

use super::{overlay::Page, partial::Entry, shadow::SITE_BITS};

/// Neighbouring cells that neighbouring threads touched at one site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) first: u8,
    pub(crate) last: u8,
    pub(crate) writes: bool,
    /// Thread and site of the first; each next one is the next thread's.
    by: u32,
}

impl Run {
    /// Adds a cell to the runs from `begin` on, in ascending order.
    #[inline]
    pub(super) fn add(runs: &mut Vec<Self>, begin: usize, cell: usize, writes: bool, by: u32) {
        if let Some(run) = runs[begin..].last_mut()
            && usize::from(run.last) + 1 == cell
            && run.by_at(cell as u8) == by
        {
            run.last = cell as u8;
            return;
        }
        runs.push(Self { first: cell as u8, last: cell as u8, writes, by });
    }

    /// Thread and site of a cell of the run.
    #[inline]
    pub(super) fn by_at(&self, cell: u8) -> u32 {
        self.by.wrapping_add(u32::from(cell - self.first) << SITE_BITS)
    }
}

/// A word that a block wrote to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    /// Which of the page.
    pub(crate) word: u8,
    /// Bytes written.
    pub(crate) written: u8,
    /// Bytes initialised.
    pub(crate) defined: u8,
    pub(crate) data: [u8; 4],
}

/// A page that a block touched.
#[derive(Clone, Copy, Debug)]
struct TouchedPage {
    number: u32,
    /// Its cells are bytes.
    by_bytes: bool,
    /// Ends of its runs and words.
    runs: u32,
    words: u32,
}

/// All that one block touched.
#[derive(Debug, Default)]
pub struct Touched {
    pub(super) block: u32,
    pages: Vec<TouchedPage>,
    runs: Vec<Run>,
    words: Vec<Stored>,
    /// What is known of words written that are initialised in part, by their position.
    partial: Vec<(u32, Entry)>,
}

/// The same of one page.
pub(super) struct Part<'a> {
    pub(super) number: u32,
    pub(super) by_bytes: bool,
    pub(super) runs: &'a [Run],
    pub(super) words: &'a [Stored],
    first_word: usize,
    partial: &'a [(u32, Entry)],
}

impl Part<'_> {
    /// What is known of a word, by its position among those of the page.
    pub(super) fn entry(&self, position: usize) -> Option<Entry> {
        let key = (self.first_word + position) as u32;
        let at = self.partial.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(self.partial[at].1)
    }

    /// True if the block left this byte of the page initialised, with this value.
    pub(super) fn left(&self, within: usize, value: u8) -> bool {
        let word = (within / 4) as u8;
        self.words.binary_search_by_key(&word, |stored| stored.word).is_ok_and(|at| {
            let stored = self.words[at];
            stored.defined >> (within % 4) & 1 == 1 && stored.data[within % 4] == value
        })
    }
}

impl Touched {
    /// Begins the list of another block.
    pub(super) fn begin(&mut self, block: u32) {
        self.block = block;
        self.pages.clear();
        self.runs.clear();
        self.words.clear();
        self.partial.clear();
    }

    /// Adds a page that was touched after a stamp.
    pub(super) fn add(&mut self, page: &Page, start: u32) {
        page.cells.touched_since(start, &mut self.runs);
        if let Some(copy) = page.copy() {
            for (word, &written) in copy.written.iter().enumerate().filter(|(_, written)| **written != 0) {
                if let Some(entry) = copy.partial.get(word as u32) {
                    self.partial.push((self.words.len() as u32, entry));
                }
                let data = std::array::from_fn(|byte| copy.data[4 * word + byte]);
                let defined = copy.defined[word];
                self.words.push(Stored { word: word as u8, written, defined, data });
            }
        }
        self.pages.push(TouchedPage {
            number: page.number,
            by_bytes: page.cells.by_bytes(),
            runs: self.runs.len() as u32,
            words: self.words.len() as u32,
        });
    }

    /// Page by page, in the order of first touch.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let (mut first_run, mut first_word) = (0, 0);
        self.pages.iter().map(move |page| {
            let part = Part {
                number: page.number,
                by_bytes: page.by_bytes,
                runs: &self.runs[first_run..page.runs as usize],
                words: &self.words[first_word..page.words as usize],
                first_word,
                partial: &self.partial,
            };
            (first_run, first_word) = (page.runs as usize, page.words as usize);
            part
        })
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<TouchedPage>()
            + self.runs.capacity() * size_of::<Run>()
            + self.words.capacity() * size_of::<Stored>()
            + self.partial.capacity() * size_of::<(u32, Entry)>()
    }
}
