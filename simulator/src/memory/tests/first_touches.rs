//! Which touches of global memory by blocks that run in parallel are only listed, and that
//! they count all the same.

use proptest::prelude::*;

use super::*;
use AddressSpace::Global as InGlobal;

/// A buffer of 1024 zeros for blocks of two warps, each run to its end before the next begins.
struct Apart {
    memory: GlobalMemory,
    buffer: u64,
    site: u32,
}

impl Apart {
    fn new() -> Self {
        let mut memory = GlobalMemory::new();
        let buffer = memory.allocate(4096, "buffer");
        memory.write(buffer, &[0; 4096]).expect("in bounds");
        memory.begin_launch();
        Self { memory, buffer, site: 100 }
    }

    /// Begins a block to which rows of words are known.
    fn begin(&mut self, number: u32) -> BlockMemory {
        let mut block = BlockMemory::new(Arc::new(SharedLayout::default()), 64, false);
        block.begin(&mut Global::Overlay(&self.memory), number);
        for _ in 0..2 {
            self.load(&mut block, 0, |lane| 960 + lane);
        }
        block
    }

    fn access(&mut self, warp: u16, word: impl Fn(u64) -> u64) -> Access {
        self.site += 1;
        Access {
            space: InGlobal,
            addresses: std::array::from_fn(|lane| self.buffer + 4 * word(lane as u64)),
            mask: u32::MAX,
            bytes: 4,
            order: Order::Weak,
            scope: Scope::Gpu,
            site: Site(self.site),
            warp,
        }
    }

    fn load(&mut self, block: &mut BlockMemory, warp: u16, word: impl Fn(u64) -> u64) -> u32 {
        let access = self.access(warp, word);
        let mut words = LaneWords::ZERO;
        block.load(&mut Global::Overlay(&self.memory), &access, &mut words);
        self.site
    }

    fn store(&mut self, block: &mut BlockMemory, warp: u16, word: impl Fn(u64) -> u64) -> u32 {
        let access = self.access(warp, word);
        let mut words = LaneWords::ZERO;
        words.words[0] = std::array::from_fn(|lane| 1000 * self.site + lane as u32);
        block.store(&mut Global::Overlay(&self.memory), &access, &words);
        self.site
    }
}

/// Sites of races, later side first.
fn races(block: &BlockMemory) -> Vec<(u32, u32)> {
    let site = |site: Option<Site>| site.map_or(0, |site| site.0);
    block.findings.list().iter().map(|finding| (site(finding.site), site(finding.other))).collect()
}

#[test]
fn a_page_whose_words_are_touched_once_has_no_cells_and_still_races() {
    let mut apart = Apart::new();
    let mut first = apart.begin(0);
    let before = first.footprint().shadow_bytes;
    let read = apart.load(&mut first, 0, |lane| lane);
    let written = apart.store(&mut first, 1, |lane| 32 + lane);
    assert_eq!(first.rows_listed(), 2);
    // Room for a copy of the page's data, but none for cells, which would take twice as much.
    assert!(first.footprint().shadow_bytes - before < 800);
    apart.memory.commit(&mut first);
    assert_eq!(races(&first), []);
    let mut second = apart.begin(1);
    let over_read = apart.store(&mut second, 0, |lane| lane);
    let of_written = apart.load(&mut second, 0, |lane| 32 + lane);
    assert_eq!(second.rows_listed(), 2);
    apart.memory.commit(&mut second);
    assert_eq!(races(&second), [(over_read, read), (of_written, written)]);
}

#[test]
fn a_word_touched_again_is_compared_with_what_was_listed() {
    let mut apart = Apart::new();
    let mut block = apart.begin(0);
    let read = apart.load(&mut block, 0, |lane| lane);
    let written = apart.store(&mut block, 0, |lane| 32 + lane);
    assert_eq!(block.rows_listed(), 2);
    let over_read = apart.store(&mut block, 1, |lane| lane);
    assert_eq!(block.rows_listed(), 0);
    let of_written = apart.load(&mut block, 1, |lane| 32 + lane);
    assert_eq!(races(&block), [(over_read, read), (of_written, written)]);
}

#[test]
fn what_is_listed_may_wait_over_a_barrier() {
    let mut apart = Apart::new();
    let mut block = apart.begin(0);
    apart.load(&mut block, 0, |lane| lane);
    block.barrier(&mut Global::Overlay(&apart.memory));
    assert_eq!(block.rows_listed(), 1);
    let written = apart.store(&mut block, 1, |lane| lane);
    assert_eq!(races(&block), []);
    let read = apart.load(&mut block, 0, |lane| lane);
    assert_eq!(races(&block), [(read, written)]);
}

#[test]
fn more_rows_than_are_listed_all_count() {
    let mut apart = Apart::new();
    let mut block = apart.begin(0);
    // Every third word alone.
    for _ in 0..2 {
        apart.load(&mut block, 0, |lane| 500 + 3 * lane);
    }
    let read = apart.load(&mut block, 0, |lane| 3 * lane);
    assert_eq!(block.rows_listed(), 10, "32 words on one page are too many, ten on the next are not");
    let written = apart.store(&mut block, 1, |lane| 3 * lane);
    assert_eq!(races(&block), [(written, read)]);
}

proptest! {
    /// Whether what blocks do is listed or not, they race alike and leave the same.
    #[test]
    fn listing_changes_nothing(
        steps in prop::collection::vec((0u32..3, 0u16..2, 0u64..160, 0u64..4, any::<bool>(), 0u8..6), 1..60),
    ) {
        let run = |lists: bool| {
            let mut apart = Apart::new();
            let mut seen = Vec::new();
            for number in 0..3 {
                let mut block = apart.begin(number);
                if !lists {
                    block.put_nothing_off();
                }
                for &(_, warp, start, step, stores, synchronises) in steps.iter().filter(|step| step.0 == number) {
                    let word = |lane| start + step * lane;
                    match stores {
                        true => apart.store(&mut block, warp, word),
                        false => apart.load(&mut block, warp, word),
                    };
                    match synchronises {
                        0 => block.barrier(&mut Global::Overlay(&apart.memory)),
                        1 => block.sync_warp(&mut Global::Overlay(&apart.memory), warp, u32::MAX),
                        _ => {}
                    }
                }
                apart.memory.commit(&mut block);
                seen.push(block.findings.list().to_vec());
            }
            (seen, apart.memory.read(apart.buffer, 4096).expect("in bounds"))
        };
        prop_assert_eq!(run(true), run(false));
    }
}
