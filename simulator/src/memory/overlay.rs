//! A block's private view of global memory while blocks run in parallel.
//!
//! Pages are copied from the base on the first write and remember which bytes were written; a commit in block
//! order publishes exactly those.

use super::{
    Site,
    data::{Bytes, Definition},
    first_touches::{FirstTouches, RowTouch},
    global::GlobalAllocation,
    partial::Partial,
    shadow::Cells,
};

/// One page of the overlay.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its number over all allocations.
    pub(crate) number: u32,
    /// False until the first write: the base's data is still good.
    copied: bool,
    /// Its own data, if it ever had some.
    copy: Option<Box<Copied>>,
    /// Who touched it, if all of its words were touched once at most.
    pub(super) first: FirstTouches,
    /// Who touched it otherwise. Stamps of the blocks that used this storage before are in the past.
    pub(crate) cells: Cells,
}

/// A block's own copy of a page.
#[derive(Clone, Debug)]
pub(crate) struct Copied {
    pub(crate) data: [u8; Overlay::PAGE_BYTES as usize],
    /// Per word, which bytes this block wrote.
    pub(crate) written: [u8; Overlay::PAGE_WORDS],
    /// Per word, which bytes are initialised.
    pub(crate) defined: [u8; Overlay::PAGE_WORDS],
    /// Words that are so in part, by word of the page.
    pub(crate) partial: Partial,
}

impl Default for Copied {
    fn default() -> Self {
        Self {
            data: [0; Overlay::PAGE_BYTES as usize],
            written: [0; Overlay::PAGE_WORDS],
            defined: [0; Overlay::PAGE_WORDS],
            partial: Partial::default(),
        }
    }
}

impl Page {
    /// Its own copy of the data, if it was written to.
    #[inline]
    pub(crate) fn copy(&self) -> Option<&Copied> {
        self.copy.as_deref().filter(|_| self.copied)
    }
}

impl Copied {
    /// Its contents.
    #[inline]
    pub(super) fn bytes(&self) -> Bytes<'_> {
        Bytes { data: &self.data, defined: &self.defined, partial: &self.partial }
    }

    /// Stores a word of which all bits are defined. True if it changed.
    #[inline]
    pub(super) fn put(&mut self, word: usize, value: u32) -> bool {
        let (words, _) = self.data.as_chunks_mut();
        let new = value.to_le_bytes();
        let changed = words[word] != new;
        words[word] = new;
        (self.written[word], self.defined[word]) = (0xf, 0xf);
        changed
    }

    /// Notes what a store does to a word of the page.
    #[inline]
    pub(super) fn define(&mut self, definition: Definition, site: Site) {
        let Definition { word, bytes, undefined } = definition;
        self.written[word] |= bytes;
        let poisoned = definition.poisoned();
        self.defined[word] = (self.defined[word] | bytes) & !poisoned;
        if poisoned != 0 {
            self.partial.store(word as u32, self.defined[word], poisoned, undefined, site);
        }
    }
}

/// The pages that one block has touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    /// By page number: position in `pages` plus one, or 0.
    index: Vec<u32>,
    pages: Vec<Page>,
    used: usize,
    copies: bool,
    /// Everything goes to cells at once.
    #[cfg(test)]
    pub(super) lists_nothing: bool,
}

impl Overlay {
    pub(crate) const PAGE_BYTES: u32 = 256;
    pub(crate) const PAGE_WORDS: usize = 64;

    /// Forgets all pages, keeping their storage.
    pub(crate) fn clear(&mut self) {
        for page in &self.pages[..self.used] {
            self.index[page.number as usize] = 0;
        }
        self.used = 0;
        self.copies = false;
    }

    /// The touched pages in the order of first touch.
    pub(crate) fn touched(&self) -> &[Page] {
        &self.pages[..self.used]
    }

    /// The page's position, if the block has touched it.
    #[inline]
    fn find(&self, number: u32) -> Option<usize> {
        let position = *self.index.get(number as usize)?;
        (position as usize).checked_sub(1)
    }

    /// True if any page may have its own copy of the data.
    #[inline]
    pub(crate) fn has_copies(&self) -> bool {
        self.copies
    }

    /// A page that has its own copy of the data, if any.
    #[inline]
    pub(crate) fn copied(&self, number: u32) -> Option<&Copied> {
        self.find(number).and_then(|at| self.pages[at].copy())
    }

    /// A page that the block has touched.
    #[inline]
    pub(super) fn seen(&self, number: u32) -> Option<&Page> {
        self.find(number).map(|at| &self.pages[at])
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        let of_page = |page: &Page| {
            let copy = page.copy.as_ref().map_or(0, |_| size_of::<Copied>());
            copy + page.first.heap_bytes() + page.cells.heap_bytes()
        };
        self.index.capacity() * size_of::<u32>()
            + self.pages.capacity() * size_of::<Page>()
            + self.pages.iter().map(of_page).sum::<usize>()
    }

    /// Forgets all stamps, also those of pages that are not in use.
    pub(crate) fn forget_stamps(&mut self) {
        self.pages.iter_mut().for_each(|page| page.cells.clear());
    }

    /// Lists a row of a page's words that were touched. False if it has to be put down in cells.
    #[inline(always)]
    pub(super) fn list(&mut self, number: u32, pages: u32, row: RowTouch) -> bool {
        #[cfg(test)]
        if self.lists_nothing {
            return false;
        }
        let at = self.touch(number, pages);
        self.pages[at].first.list(row)
    }

    /// A page's cells, with all that the block did there.
    #[inline]
    pub(crate) fn cells(&mut self, number: u32, pages: u32) -> &mut Cells {
        let at = self.touch(number, pages);
        let page = &mut self.pages[at];
        page.first.settle(&mut page.cells);
        &mut page.cells
    }

    /// The page's position, touching it if need be.
    #[inline]
    fn touch(&mut self, number: u32, pages: u32) -> usize {
        if self.index.len() < pages as usize {
            self.index.resize(pages as usize, 0);
        }
        let position = self.index[number as usize];
        if position != 0 {
            return position as usize - 1;
        }
        if self.used == self.pages.len() {
            let (first, cells) = (FirstTouches::default(), Cells::new(Self::PAGE_WORDS));
            self.pages.push(Page { number, copied: false, copy: None, first, cells });
        }
        let page = &mut self.pages[self.used];
        page.number = number;
        page.copied = false;
        page.first.begin();
        page.cells.restart();
        self.used += 1;
        self.index[number as usize] = self.used as u32;
        self.used - 1
    }

    /// A page to write to, with the base's data copied in.
    pub(crate) fn page_for_writing(
        &mut self,
        number: u32,
        pages: u32,
        base: &GlobalAllocation,
    ) -> &mut Copied {
        let at = self.touch(number, pages);
        self.copies = true;
        let page = &mut self.pages[at];
        let copy = page.copy.get_or_insert_default();
        if !page.copied {
            page.copied = true;
            copy.written = [0; Self::PAGE_WORDS];
            let start = (number - base.first_page) as usize * Self::PAGE_BYTES as usize;
            let end = base.data.len().min(start + Self::PAGE_BYTES as usize);
            copy.data[..end - start].copy_from_slice(&base.data[start..end]);
            copy.defined[..(end - start) / 4].copy_from_slice(&base.defined[start / 4..end / 4]);
            copy.partial.clear();
            for (word, entry) in base.partial.range((start / 4) as u32..(end / 4) as u32) {
                copy.partial.set(word, entry);
            }
        }
        copy
    }
}
