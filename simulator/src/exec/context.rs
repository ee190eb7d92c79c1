//! What is fixed for a whole launch, and what the warps of one block share.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use crate::{
    environment::Environment,
    exec::{
        barrier::{Barriers, cluster::ClusterSide},
        matrix::group::Products,
        registers::Registers,
        schedule::Schedule,
        undefined::Origins,
        warp::Frame,
        warpgroup::Together,
    },
    finding::{FindingKind, Severity},
    findings::{Findings, Message, RawFinding, ThreadId},
    ir::{Constants, FunctionIndex, Program, SourceIndex, Words},
    memory::{BlockMemory, Global, LaneWords, Replay, SharedLayout, Site, Tiling},
    profile::Profile,
    texture::TextureObjects,
};

/// The parts of a launch that nothing changes while it runs.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The module.
    pub program: &'a Program,
    /// The kernel.
    pub entry: FunctionIndex,
    /// Per function, its constants with all addresses known.
    pub constants: Vec<Constants>,
    /// The GPU.
    pub profile: &'static Profile,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Which blocks make a cluster.
    pub tiling: Tiling,
    /// Somebody said how many.
    pub is_tiled: bool,
    /// Kernel parameters, as the kernel sees them.
    pub parameters: Vec<u8>,
    /// Where they lie in the generic address space.
    pub parameter_address: u64,
    /// Where the shared variables lie.
    pub layout: Arc<SharedLayout>,
    /// Bytes of shared memory asked for by the launch.
    pub dynamic_shared: u32,
    /// Per warp of a block, the lanes' `threadIdx`.
    pub thread_indices: Vec<[Words; 3]>,
    /// Textures and surfaces by their handles.
    pub textures: &'a TextureObjects,
    /// What a cooperative launch's grid barrier works on; 0 for other launches.
    pub workspace: u64,
    /// Device-side `malloc`. Kernels that call it run on one thread.
    pub heap: &'a Mutex<Heap>,
    /// Who is next.
    pub schedule: Schedule,
    /// Something orders some of a block's threads and not the others.
    pub orders_parts: bool,
    /// What a load from shared memory costs, by its wavefronts beyond the first; their
    /// number where it is not listed.
    pub load_cycles: &'a [u64],
    /// The kernel looks at a clock.
    pub reads_clock: bool,
    /// What the clocks say as a warp begins.
    pub clock_start: u64,
    /// How what GPUs leave open is settled.
    pub environment: Environment,
    /// Whether each line's worst request to shared memory is kept.
    pub keeps_worst: bool,
    /// What this replay of a launch is for; none for the launch itself.
    pub replay: Option<Arc<Replay>>,
}

/// The heap of device-side `malloc`; lives as long as the context.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// Live pieces: address and size.
    pub pieces: BTreeMap<u64, u64>,
    /// Bytes in them.
    pub used: u64,
}

impl Heap {
    /// What the heap holds unless the host asks for more (CUDA C++ Programming Guide, "Dynamic
    /// global memory allocation").
    pub const BYTES: u64 = 8 << 20;
}

impl Context<'_> {
    /// Threads per block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks in the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// The coordinates of a block.
    pub fn block_index(&self, block: u32) -> [u32; 3] {
        self.tiling.block_index(block)
    }

    /// Clusters have more than one block.
    pub fn has_clusters(&self) -> bool {
        self.tiling.blocks() > 1
    }
}

/// What stopped a launch before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An instruction failed; the findings say how.
    Faulted,
    /// Something that the simulator lacks.
    Unsupported,
    /// Every remaining thread waits in vain.
    Deadlock,
    /// A thread goes round in a loop that cannot end.
    Endless,
    /// The instruction budget ran out.
    Budget,
}

/// Most bytes of `printf` output that a launch keeps: the size of the device's own buffer, which is 1 MiB
/// unless the host asks for more (CUDA C++ Programming Guide, "Formatted output").
pub const PRINTF_BYTES: usize = 1 << 20;

/// A wait that another block ended.
#[derive(Clone, Debug)]
pub struct Helped {
    /// The loop.
    pub at: Site,
    /// Who ended it, where that is known.
    pub helper: Option<u32>,
    /// That one was running for certain, so that no order of launch was needed; it is still one
    /// block waiting for another.
    pub excused: bool,
    /// Words that the block had counted up before; if other blocks did so too, it drew a ticket there.
    pub tickets: Vec<u64>,
}

/// What the warps of a block share. Used for one block after the other.
#[derive(Debug)]
pub struct Unit {
    /// The block, linear.
    pub block: u32,
    /// Its coordinates.
    pub block_index: [u32; 3],
    /// Shared and local memory, and the findings.
    pub memory: BlockMemory,
    /// Who waits at which barrier.
    pub barriers: Barriers,
    /// Who has arrived at the barrier of the cluster.
    pub cluster: ClusterSide,
    /// What `printf` wrote.
    pub printf: Vec<u8>,
    /// Bytes of it that are kept.
    pub printf_room: usize,
    /// Instructions that this block has issued.
    pub issued: u64,
    /// Instructions that the budget was charged for besides ([`Unit::charge`]).
    pub charged: u64,
    /// Instructions that it may issue.
    pub limit: u64,
    /// Turns that this block has had.
    pub turn: u64,
    /// Where loads put their words.
    pub scratch: LaneWords,
    /// What gave undefined values.
    pub origins: Origins,
    /// What each warp's products in the background were.
    pub products: Vec<Products>,
    /// What all warps of a warpgroup must execute.
    pub together: Together,
    /// Each `__syncwarp()` that was said to name lanes that had left, and whether they had met others before.
    pub named_gone: Vec<(Site, bool)>,
    /// How often this block has changed memory.
    pub own_changes: u64,
    /// Words of global memory that this block has counted up and looked at, before another block let it go
    /// on: one of them may be where it drew its number.
    pub counted: Vec<u64>,
    /// Other blocks whose changes an atomic of this block has found: they have started.
    pub met: Vec<u32>,
    /// A loop that another block's change of memory let go on.
    pub helped: Option<Helped>,
    /// Registers of finished frames, by function.
    pub spare: Vec<Vec<Registers>>,
}

impl Unit {
    /// For blocks of this launch.
    pub fn new(cx: &Context<'_>) -> Unit {
        Unit {
            block: 0,
            block_index: [0; 3],
            memory: BlockMemory::new(cx.layout.clone(), cx.threads(), cx.orders_parts)
                .replaying(cx.replay.clone())
                .keeping_worst(cx.keeps_worst)
                .with_local_from(cx.environment.local_start())
                .in_clusters(cx.tiling),
            barriers: Barriers::default(),
            cluster: ClusterSide::default(),
            printf: Vec::new(),
            printf_room: PRINTF_BYTES,
            issued: 0,
            charged: 0,
            limit: u64::MAX,
            turn: 0,
            scratch: LaneWords::ZERO,
            origins: Origins::default(),
            products: Vec::new(),
            together: Together::default(),
            named_gone: Vec::new(),
            own_changes: 0,
            counted: Vec::new(),
            met: Vec::new(),
            helped: None,
            spare: vec![Vec::new(); cx.program.functions.len()],
        }
    }

    /// Starts a block that may issue `limit` instructions.
    pub fn begin(&mut self, cx: &Context<'_>, global: &mut Global<'_>, block: u32, limit: u64) {
        self.block = block;
        self.block_index = cx.block_index(block);
        self.memory.begin(global, block);
        self.barriers.begin(cx.threads().div_ceil(32) as usize);
        self.cluster.begin(cx.threads().div_ceil(32) as usize);
        self.printf.clear();
        self.issued = 0;
        self.charged = 0;
        self.limit = limit;
        self.turn = 0;
        self.scratch = LaneWords::ZERO;
        self.origins.clear();
        self.products.clear();
        self.together.clear();
        self.named_gone.clear();
        self.own_changes = 0;
        self.counted.clear();
        self.met.clear();
        self.helped = None;
    }

    /// What a warp's products in the background were.
    pub fn products_of(&mut self, warp: u32) -> &mut Products {
        let warp = warp as usize;
        if self.products.len() <= warp {
            self.products.resize_with(warp + 1, Products::default);
        }
        &mut self.products[warp]
    }

    /// Charges the budget for work that one instruction gave: as much as so many others.
    pub fn charge(&mut self, instructions: u64) {
        self.charged += instructions;
        self.limit = self.limit.saturating_sub(instructions);
    }

    /// What this block took from the budget.
    pub fn cost(&self) -> u64 {
        self.issued + self.charged
    }

    /// The version of the memory that this block sees: greater after every change.
    pub fn version(&self, global: &Global<'_>) -> u64 {
        global.get().changes() + self.memory.changes()
    }

    /// A word of global memory has been counted up by this block, which looked at what was there.
    pub fn count(&mut self, address: u64) {
        /// Words that are remembered.
        const KEPT: usize = 8;
        let word = address & !3;
        if self.counted.len() < KEPT && !self.counted.contains(&word) {
            self.counted.push(word);
        }
    }

    /// An atomic of this block has found what `block` left.
    pub fn meet(&mut self, block: u32) {
        /// Blocks that are remembered.
        const KEPT: usize = 32;
        if block != self.block && self.met.len() < KEPT && !self.met.contains(&block) {
            self.met.push(block);
        }
    }

    /// Registers for a new frame of `function`.
    pub fn registers(&mut self, cx: &Context<'_>, function: FunctionIndex) -> Registers {
        match self.spare[function.0 as usize].pop() {
            Some(mut registers) => {
                registers.enter(cx.program.function(function));
                registers
            }
            None => Registers::new(cx.program.function(function)),
        }
    }

    /// Keeps the registers of a finished warp for others.
    pub fn recycle(&mut self, frames: Vec<Frame>) {
        for frame in frames {
            self.spare[frame.function.0 as usize].push(frame.registers);
        }
    }
}

/// A site from a source index.
#[inline(always)]
pub fn site(source: SourceIndex) -> Site {
    Site(source.0)
}

/// A site, unless no line is known.
pub fn known(site: Site) -> Option<Site> {
    (site.0 != 0).then_some(site)
}

/// The lanes of a warp as threads.
pub fn threads(block: u32, warp: u32, mask: u32) -> Vec<ThreadId> {
    crate::memory::lanes(mask).map(|lane| ThreadId { block, thread: warp * 32 + lane as u32 }).collect()
}

/// Adds a finding that concerns no address.
#[expect(clippy::too_many_arguments, reason = "a finding has that many sides")]
pub fn report(
    findings: &mut Findings,
    kind: FindingKind,
    severity: Severity,
    at: Site,
    other: Site,
    threads: Vec<ThreadId>,
    count: u64,
    message: impl Into<std::borrow::Cow<'static, str>>,
) {
    say(findings, kind, severity, at, other, threads, count, Message::Text(message.into()));
}

/// The same where what is to be said is more than a text.
#[expect(clippy::too_many_arguments, reason = "all that a finding has")]
pub fn say(
    findings: &mut Findings,
    kind: FindingKind,
    severity: Severity,
    at: Site,
    other: Site,
    threads: Vec<ThreadId>,
    count: u64,
    message: Message,
) {
    findings.add(RawFinding {
        kind,
        severity,
        space: None,
        site: known(at),
        other: known(other),
        threads,
        address: None,
        allocation: None,
        element: 0,
        count,
        message,
    });
}

/// The place of a site, where one is known.
pub fn place(cx: &Context<'_>, at: Site) -> Option<crate::source::Place> {
    known(at).and_then(|site| cx.program.sources.place(SourceIndex(site.0)).cloned())
}
