//! How far the blocks of a window have come, for host threads that run others.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What the blocks of a window tell each other. What comes behind the block at which the launch ends is
/// thrown away, so it need not be done: without this, a kernel that never ends takes the budget once for
/// every block of the window.
pub(super) struct Headway {
    /// What all of them may take together.
    pub(super) budget: u64,
    blocks: Vec<Way>,
    /// The first that did not come to its end, or need not.
    ended: AtomicUsize,
}

/// How far a block has come.
#[derive(Default)]
struct Way {
    /// What it has taken of the budget, now and then.
    cost: AtomicU64,
    finished: AtomicBool,
}

impl Headway {
    pub(super) fn new(budget: u64, blocks: usize) -> Headway {
        let blocks = std::iter::repeat_with(Way::default).take(blocks).collect();
        Headway { budget, blocks, ended: AtomicUsize::new(usize::MAX) }
    }

    pub(super) fn has_taken(&self, index: usize, cost: u64) {
        self.blocks[index].cost.store(cost, Ordering::Relaxed);
    }

    /// What the block left is in its slot.
    pub(super) fn finished(&self, index: usize) {
        self.blocks[index].finished.store(true, Ordering::SeqCst);
    }

    /// True if there is such a block and what it left is in its slot.
    pub(super) fn has_finished(&self, index: usize) -> bool {
        self.blocks.get(index).is_some_and(|block| block.finished.load(Ordering::SeqCst))
    }

    pub(super) fn ended(&self, index: usize) {
        self.ended.fetch_min(index, Ordering::Relaxed);
    }

    /// True if the launch ends at a block before this one, whatever this one does.
    pub(super) fn is_in_vain(&self, index: usize) -> bool {
        let before = self.blocks[..index].iter().fold(0u64, |sum, block| {
            sum.saturating_add(block.cost.load(Ordering::Relaxed)) // counts only ever grow
        });
        before > self.budget || self.ended.load(Ordering::Relaxed) < index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_behind_the_end_of_a_launch_are_left() {
        let headway = Headway::new(1000, 64);
        headway.has_taken(0, 600);
        headway.has_taken(2, 400);
        assert!((0..64).all(|index| !headway.is_in_vain(index)), "a thousand is what they may take");
        headway.has_taken(2, 401);
        let first = (0..64).find(|&index| headway.is_in_vain(index));
        assert_eq!(first, Some(3), "with block 2 it is too much, and block 2 must say so");
        headway.ended(1);
        assert_eq!((0..64).find(|&index| headway.is_in_vain(index)), Some(2));
    }
}
