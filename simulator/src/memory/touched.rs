//! What a finished block of a parallel launch leaves behind until its turn to be published: who touched which words, and
//! what it wrote. Far less than the cells and copies that it ran with, which the next block uses.

use super::{
    commit::Overlap,
    first_touches::Row,
    overlay::{Copied, Page},
    partial::Entry,
    shadow::SITE_BITS,
};

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
    /// Cells from `first` to `last`; thread and site of the first.
    pub(super) fn of(first: u8, last: u8, writes: bool, by: u32) -> Self {
        Self { first, last, writes, by }
    }

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
        runs.push(Self::of(cell as u8, cell as u8, writes, by));
    }

    /// True if the two are one.
    #[inline]
    fn goes_on_with(&self, next: &Self) -> bool {
        let follows = usize::from(self.last) + 1 == usize::from(next.first) && self.writes == next.writes;
        follows && self.by_at(next.first) == next.by
    }

    /// True if the cell is one of the run.
    #[inline]
    pub(super) fn holds(&self, cell: u8) -> bool {
        (self.first..=self.last).contains(&cell)
    }

    /// A part of it.
    #[inline]
    pub(super) fn part(&self, first: u8, last: u8) -> Self {
        Self { first, last, by: self.by_at(first), ..*self }
    }

    /// Thread and site of a cell of the run.
    #[inline]
    pub(super) fn by_at(&self, cell: u8) -> u32 {
        self.by.wrapping_add(u32::from(cell - self.first) << SITE_BITS)
    }
}

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

/// A page that a block touched, and where what belongs to it ends in the lists of all pages.
#[derive(Clone, Copy, Debug)]
struct TouchedPage {
    number: u32,
    /// Its cells are bytes.
    by_bytes: bool,
    ends: Ends,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    runs: u32,
    whole: u32,
    words: u32,
    stored: u32,
}

/// All that one block touched.
#[derive(Debug, Default)]
pub struct Touched {
    pub(super) block: u32,
    pages: Vec<TouchedPage>,
    /// Positions in `pages` of those written to.
    written: Vec<u32>,
    runs: Vec<Run>,
    whole: Vec<Whole>,
    /// The words of `whole`, one after the other.
    words: Vec<[u8; 4]>,
    stored: Vec<Stored>,
    /// What is known of words in `stored`, by their position.
    partial: Vec<(u32, Entry)>,
    /// Where it met earlier blocks, by position of the page.
    pub(super) overlaps: Vec<(usize, Overlap)>,
}

/// The same of one page.
pub(super) struct Part<'a> {
    pub(super) number: u32,
    pub(super) by_bytes: bool,
    pub(super) runs: &'a [Run],
    whole: &'a [Whole],
    words: &'a [[u8; 4]],
    pub(super) stored: &'a [Stored],
    first_stored: usize,
    partial: &'a [(u32, Entry)],
}

impl Part<'_> {
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
    pub(super) fn left(&self, within: usize, value: u8) -> bool {
        let (word, byte) = (within / 4, within % 4);
        let whole = self.whole().find_map(|(first, words)| words.get(word.checked_sub(first)?));
        let stored = self.stored.iter().find(|stored| usize::from(stored.word) == word);
        whole.is_some_and(|data| data[byte] == value)
            || stored.is_some_and(|stored| stored.defined >> byte & 1 == 1 && stored.data[byte] == value)
    }
}

impl Touched {
    /// Begins the list of another block.
    pub(super) fn begin(&mut self, block: u32) {
        self.block = block;
        self.pages.clear();
        self.written.clear();
        self.runs.clear();
        self.whole.clear();
        self.words.clear();
        self.stored.clear();
        self.partial.clear();
        self.overlaps.clear();
    }

    /// Adds a page that was touched after a stamp.
    pub(super) fn add(&mut self, page: &Page, start: u32) {
        match page.first.all() {
            Some(rows) => self.add_rows(rows),
            None => page.cells.touched_since(start, &mut self.runs),
        }
        if let Some(copy) = page.copy() {
            self.add_words(copy);
        }
        let ends = Ends {
            runs: self.runs.len() as u32,
            whole: self.whole.len() as u32,
            words: self.words.len() as u32,
            stored: self.stored.len() as u32,
        };
        let before = self.begins(self.pages.len());
        if (before.whole, before.stored) != (ends.whole, ends.stored) {
            self.written.push(self.pages.len() as u32);
        }
        self.pages.push(TouchedPage { number: page.number, by_bytes: page.cells.by_bytes(), ends });
    }

    /// Adds rows, none of which overlaps another.
    fn add_rows(&mut self, rows: &[Row]) {
        let begin = self.runs.len();
        self.runs.extend(rows.iter().map(|row| row.run));
        self.runs[begin..].sort_unstable_by_key(|run| (!run.writes, run.first));
        let mut last = begin;
        for next in begin + 1..self.runs.len() {
            let run = self.runs[next];
            if !self.runs[last].goes_on_with(&run) {
                last += 1;
                self.runs[last] = run;
            } else {
                self.runs[last].last = run.last;
            }
        }
        self.runs.truncate(last + 1);
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
    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let mut from = Ends::default();
        self.pages.iter().map(move |page| {
            let part = self.part_between(page, from);
            from = page.ends;
            part
        })
    }

    /// The pages written to, with their positions among all.
    pub(super) fn written(&self) -> impl Iterator<Item = (usize, Part<'_>)> {
        self.written.iter().map(|&position| (position as usize, self.part(position as usize)))
    }

    /// The page at a position.
    pub(super) fn part(&self, position: usize) -> Part<'_> {
        self.part_between(&self.pages[position], self.begins(position))
    }

    /// Where what belongs to the page at a position begins.
    fn begins(&self, position: usize) -> Ends {
        position.checked_sub(1).map_or(Ends::default(), |before| self.pages[before].ends)
    }

    fn part_between(&self, &TouchedPage { number, by_bytes, ends }: &TouchedPage, from: Ends) -> Part<'_> {
        Part {
            number,
            by_bytes,
            runs: &self.runs[from.runs as usize..ends.runs as usize],
            whole: &self.whole[from.whole as usize..ends.whole as usize],
            words: &self.words[from.words as usize..ends.words as usize],
            stored: &self.stored[from.stored as usize..ends.stored as usize],
            first_stored: from.stored as usize,
            partial: &self.partial,
        }
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<TouchedPage>()
            + self.written.capacity() * size_of::<u32>()
            + self.runs.capacity() * size_of::<Run>()
            + self.whole.capacity() * size_of::<Whole>()
            + self.words.capacity() * size_of::<[u8; 4]>()
            + self.stored.capacity() * size_of::<Stored>()
            + self.partial.capacity() * size_of::<(u32, Entry)>()
            + self.overlaps.capacity() * size_of::<(usize, Overlap)>()
    }
}
