//! Logical time.
//!
//! Accesses are stamped with a logical time that ticks at every event that orders something. While blocks run
//! in parallel each has its own [`Time`]; while they are interleaved they share one, whose ticks also
//! remember which block was running, so that a stamp alone names its block.

/// Logical time of a block or, shared, of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Time {
    pub(crate) now: u32,
    /// Everything up to here happened before the launch (or block) began.
    pub(crate) floor: u32,
    /// The block that is running.
    pub(crate) running: u32,
    /// When it last began to run.
    pub(crate) resumed: u32,
    /// If shared: the running block at each tick from the floor on.
    owners: Option<Vec<u32>>,
}

/// No block.
pub(crate) const NOBODY: u32 = u32::MAX;

impl Time {
    /// Time of one block, or shared by all.
    pub(crate) fn new(shared: bool) -> Self {
        Self { now: 1, floor: 0, running: NOBODY, resumed: 1, owners: shared.then(Vec::new) }
    }

    /// Everything so far is in the past of everything to come. True if time was reset and all
    /// stamps must be forgotten.
    pub(crate) fn begin(&mut self) -> bool {
        let reset = self.now > 1 << 30;
        if reset {
            self.now = 1;
        }
        self.floor = self.now;
        self.running = NOBODY;
        if let Some(owners) = &mut self.owners {
            owners.clear();
        }
        self.tick();
        reset
    }

    pub(crate) fn tick(&mut self) {
        self.now += 1;
        if let Some(owners) = &mut self.owners {
            owners.push(self.running);
        }
    }

    /// Bytes allocated.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.owners.as_ref().map_or(0, |owners| owners.capacity() * size_of::<u32>())
    }

    /// The block goes on.
    #[inline]
    pub(crate) fn resume(&mut self, block: u32) {
        if self.running != block {
            self.running = block;
            self.tick();
            self.resumed = self.now;
        }
    }

    /// The block that made a stamp after the floor.
    #[inline]
    pub(crate) fn owner(&self, stamp: u32) -> u32 {
        match &self.owners {
            Some(owners) => owners[(stamp - self.floor - 1) as usize],
            None => self.running,
        }
    }
}
