//! Every rule of the memory contract, played directly: accesses and synchronisation in, findings out.

mod clusters;
mod deferred;
mod first_touches;
mod flags;
mod oracle;
mod partial;
mod paths;
mod properties;
mod proxies;
mod races;
mod spaces;

use std::sync::Arc;

use crate::{
    finding::{FindingKind, Severity},
    findings::RawFinding,
    ir::{AddressSpace, AtomicOp, AtomicType, FenceKind, Order, Scope},
};

use super::{Access, BlockMemory, Global, GlobalMemory, LaneWords, Outcome, SharedLayout, Site, Tiling};

/// Some blocks that share one memory, interleaved by the order of calls.
struct World {
    global: GlobalMemory,
    blocks: Vec<BlockMemory>,
    site: u32,
}

/// One lane or several of a warp of a block.
#[derive(Clone, Copy)]
struct Who {
    block: usize,
    warp: u16,
    mask: u32,
}

fn thread(block: usize, thread: u32) -> Who {
    Who { block, warp: (thread / 32) as u16, mask: 1 << (thread % 32) }
}

fn warp(block: usize, warp: u16) -> Who {
    Who { block, warp, mask: u32::MAX }
}

const ALL: u32 = u32::MAX;

impl World {
    /// Blocks of so many threads with one shared array of 4096 bytes and a global buffer of 4096 zeros.
    fn new(blocks: usize, threads: u32) -> (Self, u64, u64) {
        Self::in_clusters(blocks, 1, threads)
    }

    /// The same in clusters of so many blocks.
    fn in_clusters(blocks: usize, of: u32, threads: u32) -> (Self, u64, u64) {
        let mut global = GlobalMemory::new();
        let buffer = global.allocate(4096, "buffer");
        global.write(buffer, &[0; 4096]).expect("in bounds");
        global.begin_launch();
        let layout = Arc::new(SharedLayout::new(&[("tile", 4096, 16)], true));
        let tile = u64::from(layout.offset("tile").expect("it is there"));
        let mut world = Self { global, blocks: Vec::new(), site: 0 };
        for block in 0..blocks {
            let tiling = Tiling::new([blocks as u32, 1, 1], [of, 1, 1]);
            let mut memory = BlockMemory::new(Arc::clone(&layout), threads, true).in_clusters(tiling);
            memory.begin(&mut Global::Direct(&mut world.global), block as u32);
            world.blocks.push(memory);
        }
        (world, buffer, tile)
    }

    /// The same where no read is put off.
    fn at_once((mut world, buffer, tile): (Self, u64, u64)) -> (Self, u64, u64) {
        world.blocks.iter_mut().for_each(BlockMemory::put_nothing_off);
        (world, buffer, tile)
    }

    fn access(&mut self, who: Who, space: AddressSpace, address: impl Fn(u64) -> u64, bytes: u8) -> Access {
        self.site += 1;
        Access {
            space,
            addresses: std::array::from_fn(|lane| address(lane as u64)),
            mask: who.mask,
            bytes,
            order: Order::Weak,
            scope: Scope::Gpu,
            site: Site(self.site),
            warp: who.warp,
        }
    }

    fn do_load(&mut self, who: Who, access: &Access) -> (LaneWords, Outcome) {
        let mut out = LaneWords::ZERO;
        let outcome = self.blocks[who.block].load(&mut Global::Direct(&mut self.global), access, &mut out);
        (out, outcome)
    }

    fn do_store(&mut self, who: Who, access: &Access, value: impl Fn(usize) -> u32) -> Outcome {
        let mut words = LaneWords::ZERO;
        for word in 0..4 {
            words.words[word] = std::array::from_fn(&value);
        }
        self.blocks[who.block].store(&mut Global::Direct(&mut self.global), access, &words)
    }

    /// A plain 4-byte load; the site's number.
    fn load(&mut self, who: Who, space: AddressSpace, address: impl Fn(u64) -> u64) -> u32 {
        let access = self.access(who, space, address, 4);
        self.do_load(who, &access);
        self.site
    }

    /// A plain 4-byte store of values that all differ.
    fn store(&mut self, who: Who, space: AddressSpace, address: impl Fn(u64) -> u64) -> u32 {
        let access = self.access(who, space, address, 4);
        let site = self.site;
        self.do_store(who, &access, |lane| site * 1000 + lane as u32);
        site
    }

    fn strong_load(
        &mut self,
        who: Who,
        space: AddressSpace,
        address: u64,
        order: Order,
        scope: Scope,
    ) -> u32 {
        let access = Access { order, scope, ..self.access(who, space, |_| address, 4) };
        self.do_load(who, &access);
        self.site
    }

    fn strong_store(
        &mut self,
        who: Who,
        space: AddressSpace,
        address: u64,
        order: Order,
        scope: Scope,
    ) -> u32 {
        let access = Access { order, scope, ..self.access(who, space, |_| address, 4) };
        let site = self.site;
        self.do_store(who, &access, |_| site);
        site
    }

    fn atomic(
        &mut self,
        who: Who,
        space: AddressSpace,
        address: u64,
        order: Order,
        scope: Scope,
    ) -> LaneWords {
        self.rmw(who, space, address, order, scope, AtomicOp::Add, 1, 0)
    }

    #[expect(clippy::too_many_arguments, reason = "a test helper")]
    fn rmw(
        &mut self,
        who: Who,
        space: AddressSpace,
        address: u64,
        order: Order,
        scope: Scope,
        operation: AtomicOp,
        first: u32,
        second: u32,
    ) -> LaneWords {
        let access = Access { order, scope, ..self.access(who, space, |_| address, 4) };
        let splat = |value| LaneWords { words: [[value; 32], [0; 32], [0; 32], [0; 32]], ..LaneWords::ZERO };
        let mut old = LaneWords::ZERO;
        self.blocks[who.block].atomic(
            &mut Global::Direct(&mut self.global),
            &access,
            operation,
            AtomicType::U32,
            &splat(first),
            &splat(second),
            Some(&mut old),
        );
        old
    }

    fn barrier(&mut self, block: usize) {
        self.blocks[block].barrier(&mut Global::Direct(&mut self.global));
    }

    fn sync_warp(&mut self, block: usize, warp: u16, mask: u32) {
        self.blocks[block].sync_warp(&mut Global::Direct(&mut self.global), warp, mask);
    }

    fn fence(&mut self, who: Who, scope: Scope) {
        self.fence_of(who, scope, FenceKind::SequentiallyConsistent);
    }

    fn fence_of(&mut self, who: Who, scope: Scope, kind: FenceKind) {
        let Who { block, warp, mask } = who;
        self.blocks[block].fence(&mut Global::Direct(&mut self.global), warp, mask, scope, kind);
    }

    fn findings(&self) -> Vec<&RawFinding> {
        self.blocks.iter().flat_map(|block| block.findings.list()).collect()
    }

    /// (this site, other site, severity) of all races.
    fn races(&self) -> Vec<(u32, u32, Severity)> {
        self.findings()
            .into_iter()
            .filter(|finding| finding.kind == FindingKind::Race)
            .map(|finding| {
                (
                    finding.site.map_or(0, |site| site.0),
                    finding.other.map_or(0, |site| site.0),
                    finding.severity,
                )
            })
            .collect()
    }

    #[track_caller]
    fn clean(&self) {
        assert_eq!(self.findings(), Vec::<&RawFinding>::new());
    }

    /// The sentences of all findings.
    fn sentences(&mut self) -> Vec<String> {
        let mut all = crate::findings::Findings::new();
        for block in &mut self.blocks {
            all.absorb(&mut block.findings);
        }
        all.finish([8, 1, 1], [64, 1, 1], |_| None).into_iter().map(|finding| finding.message).collect()
    }
}

use AddressSpace::{Generic, Global as InGlobal, Local as InLocal, Shared as InShared};
