//! Collects findings while a launch runs: merges repeats, keeps the first example, and writes the sentences.
//!
//! A collector belongs to one block (or one launch); collectors are absorbed in block order, so the
//! result does not depend on how many threads simulated the blocks. Raw findings hold sites;
//! [`Findings::finish`] turns them into places.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use crate::{
    finding::{Allocation, Finding, FindingKind, Severity, Side, Space, Thread},
    memory::Site,
    source::Place,
};

mod next;
mod sentences;

/// A thread by its linear block and thread index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId {
    /// Linear `blockIdx` (x fastest).
    pub block: u32,
    /// Linear `threadIdx` (x fastest).
    pub thread: u32,
}

/// What a thread did to the bytes of a race or a stray address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A plain load.
    Read,
    /// A load that other threads' accesses are meant to meet (`volatile`, relaxed, acquire), or that of an
    /// asynchronous copy: no compiler makes it where the source has none.
    StrongRead,
    /// A store.
    Write,
    /// An atomic or reduction.
    Atomic,
}

/// Why two conflicting accesses count as a race; decides the advice given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceCause {
    /// Threads of one block, different warps, nothing orders them.
    SameBlock,
    /// Lanes of one warp without `__syncwarp`.
    SameWarp,
    /// Lanes of one warp, in one instruction.
    SameInstruction,
    /// Lanes of one warp that rely on `volatile`.
    VolatileInWarp,
    /// Different blocks.
    AcrossBlocks,
    /// Different blocks of a cluster, in the shared memory of one of them.
    AcrossCluster,
    /// Different clusters, and an operation or a fence that reaches no farther than its own.
    BeyondCluster,
    /// The writer set a flag without a fence before it.
    MissingRelease,
    /// The flag is set by another thread than the writer, with no barrier between.
    FlagOfAnother,
    /// The writer's side is in order; another thread of the reader's block saw the flag, and nothing orders
    /// that before the read.
    SeenByAnother,
    /// The writer's side is in order; nobody of the reader's block saw the flag set.
    FlagNotSeen,
    /// The writer's fence or flag reaches its own block only.
    NarrowScope,
    /// The reader saw the flag but has no fence after it.
    MissingAcquire,
    /// The reader has a fence after it saw the flag, which reaches no farther.
    NarrowAcquire(Reach),
    /// An operation between the two that is `.relaxed` would order them if it were not.
    RelaxedBetween(Relaxed, Sides),
    /// A barrier of a part of the block, by its number and count, that this side has passed since and the other has not.
    OtherRound(u8, u32),
    /// Two atomics whose scope does not include the other thread.
    AtomicScope(NarrowScopes),
    /// Two atomics of different widths on the same bytes.
    AtomicWidth,
    /// The earlier side is an asynchronous copy that nobody has waited for.
    UnderWay,
    /// The earlier side is a bulk copy into shared memory, of whose phase this side has not seen the end.
    BulkUnderWay,
    /// The earlier side is a copy out of shared memory or a product, whose thread has not waited for it.
    NotWaitedFor(Proxied),
    /// This side is the asynchronous proxy's, and nothing orders the other before it.
    ByProxy(Proxied),
    /// This side is the asynchronous proxy's; the other is before it, and no fence hands it over.
    ProxyFence(Proxied),
    /// The read is a guess, which a compare-and-swap checks.
    Guess,
    /// Both initialise a barrier in memory.
    BarrierInit,
    /// The read goes through the read-only cache, which does not see what the launch wrote before.
    ReadOnlyCache,
    /// A read of a texture or surface, which need not see what the launch has written.
    TextureCache,
    /// In memory that only the toolkit's headers use, between their own instructions.
    InHeader,
}

/// How far something reaches that reaches not far enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// The threads of its own block.
    Block,
    /// Those of its own cluster.
    Cluster,
}

/// How the source asks for the scope of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spelled {
    /// Nobody has looked, or it does not show.
    Unknown,
    /// By a function whose name ends in `_block`.
    Suffix,
    /// By `cuda::thread_scope_block`.
    ThreadScope,
    /// By PTX.
    Ptx(Reach),
}

/// Which of two accesses have a scope that is their own block's: this one, the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NarrowScopes(pub [Option<Spelled>; 2]);

/// An operation that may order what is before it with what is behind it, and is `.relaxed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relaxed {
    /// An arrival at a barrier in shared memory.
    Arrival,
    /// A wait for a phase of a barrier in shared memory.
    Wait,
    /// An arrival at the barrier of the cluster.
    ClusterArrival,
}

impl Relaxed {
    /// All, in the order of their numbers.
    pub const ALL: [Relaxed; 3] = [Relaxed::Arrival, Relaxed::Wait, Relaxed::ClusterArrival];
}

/// Which sides of a race threads have begun and do not do themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sides {
    /// This one, by the asynchronous proxy.
    pub this: Option<Proxied>,
    /// The earlier one is an asynchronous copy.
    pub other_is_copy: bool,
}

/// What the asynchronous proxy does for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proxied {
    /// A bulk copy.
    Copy,
    /// A product of matrices by a warpgroup.
    Product,
}

/// What an undefined value decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decides {
    /// What is executed.
    Path,
    /// Where a load, store or atomic goes.
    Address,
    /// What is stored to global memory.
    Output,
}

/// Where an undefined value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A byte that was loaded, of which nothing was written.
    Memory,
    /// A byte of which some bits were written, as of a word of bit fields.
    PartOfByte,
    /// The same as either, but the value was stored elsewhere and loaded again since.
    PassedOn,
    /// A byte that was loaded, in which a store had left an undefined value.
    Stored,
    /// A shuffle that read a lane which takes no part.
    Shuffle,
    /// An integer divided by zero.
    Division,
    /// A channel that the texture does not have.
    AbsentChannel,
    /// A variable in registers that was never given a value.
    Variable,
}

/// What is wrong, for findings that memory itself makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// An address in the null page.
    Null(Action),
    /// An address outside every allocation; `allocation` says how far from the nearest. And the access size where the
    /// address is no multiple of it either, else 0.
    Stray(Action, u8),
    /// Not a multiple of the access size (given).
    Misaligned(Action, u8),
    /// An asynchronous copy that is to read more bytes than it writes (given).
    MoreThanCopied(u8),
    /// A bulk copy of so many bytes.
    PartOfPiece(u32),
    /// A box of a tensor that does not begin at a multiple of so many bytes of shared memory.
    MisalignedTile(u8),
    /// What reads or writes a block's shared memory when all its threads have left.
    LeftBehind(Action, Proxied),
    /// An access to the shared memory of a rank that the cluster, of so many blocks, does not have.
    NoSuchRank(Action, u32),
    /// An access by an address of another thread's local memory.
    AnothersLocal(Action),
    /// An access to another block's shared memory, which that block's end is not after.
    OwnerLeft(Action),
    /// The same where nothing says that the block has begun.
    OwnerAbsent(Action),
    /// A write to memory that kernels may only read.
    ReadOnly(Action),
    /// An atomic on bytes that nothing wrote.
    UndefinedAtomic,
    /// An undefined value decides something.
    Undefined(Decides, Source),
    /// A race: what this side did, what the earlier side did, whether both wrote the same value, and why.
    Race(Action, Action, bool, RaceCause),
}

/// The sentence of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Written when the finding is finished.
    Memory(Reason),
    /// As given.
    Text(Cow<'static, str>),
    /// As given, with what to do next, where `{at}` stands for its line.
    Advised(Cow<'static, str>, &'static str),
    /// As given: the launch used up this budget.
    Budget(u64, String),
    /// As given: other errors cause it, and beside one it is not said.
    Consequence(Cow<'static, str>),
}

/// A finding whose positions are still sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFinding {
    /// Its class.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// The state space concerned.
    pub space: Option<Space>,
    /// Where it happened.
    pub site: Option<Site>,
    /// The other side.
    pub other: Option<Site>,
    /// Example threads, this side's first; at most 4 are kept.
    pub threads: Vec<ThreadId>,
    /// Example address.
    pub address: Option<u64>,
    /// The allocation concerned.
    pub allocation: Option<Allocation>,
    /// Bytes of the elements that are accessed; 0 where that is not known.
    pub element: u8,
    /// Thread-level occurrences.
    pub count: u64,
    /// What to say.
    pub message: Message,
}

impl RawFinding {
    /// A race that is one only if something comes of a plain load.
    fn is_suspect(&self) -> bool {
        self.severity == Severity::Error && !self.plain_reads().is_empty()
    }

    fn is_consequence(&self) -> bool {
        matches!(self.message, Message::Consequence(_))
    }

    /// Of a race, what each side does.
    fn sides(&self) -> Vec<Side> {
        let Message::Memory(Reason::Race(this, other, ..)) = self.message else { return Vec::new() };
        let side = |action| match action {
            Action::Read | Action::StrongRead => Side::Read,
            Action::Write => Side::Write,
            Action::Atomic => Side::Atomic,
        };
        vec![side(this), side(other)]
    }

    /// Of a race, the sites of its plain loads.
    pub fn plain_reads(&self) -> Vec<Site> {
        let Message::Memory(Reason::Race(this, other, ..)) = self.message else { return Vec::new() };
        let sides = [(this, self.site), (other, self.other)];
        sides.into_iter().filter(|side| side.0 == Action::Read).filter_map(|side| side.1).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: FindingKind,
    severity: Severity,
    site: Option<Site>,
    other: Option<Site>,
    allocation: Option<String>,
    reason: Option<Reason>,
}

impl Key {
    fn of(finding: &RawFinding) -> Self {
        Self {
            kind: finding.kind,
            severity: finding.severity,
            site: finding.site,
            other: finding.other,
            allocation: finding.allocation.as_ref().map(|allocation| allocation.name.clone()),
            reason: match finding.message {
                Message::Memory(reason) => Some(reason),
                Message::Text(_) | Message::Advised(..) | Message::Budget(..) | Message::Consequence(_) => {
                    None
                }
            },
        }
    }
}

/// The findings of a block or a launch, merged by kind, severity, both sites, allocation and reason.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<RawFinding>,
    index: HashMap<Key, usize>,
    parted: Option<Site>,
    used: BTreeSet<Site>,
}

impl Findings {
    /// An empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// True if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How often anything was found.
    pub fn count(&self) -> u64 {
        self.list.iter().map(|finding| finding.count).sum()
    }

    /// The merged findings in order of first occurrence.
    pub fn list(&self) -> &[RawFinding] {
        &self.list
    }

    /// Adds one, or counts it to an equal one that is there.
    pub fn add(&mut self, mut finding: RawFinding) {
        let key = Key::of(&finding);
        if let Some(&at) = self.index.get(&key) {
            self.list[at].count += finding.count;
            return;
        }
        finding.threads.truncate(4);
        self.index.insert(key, self.list.len());
        self.list.push(finding);
    }

    /// Lanes that ran together come to an `activemask` in parts: what is found may come of that.
    pub fn part(&mut self, at: Site) {
        self.parted.get_or_insert(at);
    }

    /// Where that was first.
    pub fn parted(&self) -> Option<Site> {
        self.parted
    }

    /// What a load that a replay has marked gave decides something.
    pub fn mark_used(&mut self, load: Site) {
        self.used.insert(load);
    }

    /// The sites of such loads.
    pub fn used(&self) -> &BTreeSet<Site> {
        &self.used
    }

    /// Takes out the races that are one only if something comes of a plain load.
    pub fn take_suspects(&mut self) -> Vec<RawFinding> {
        let (suspects, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.list).into_iter().partition(|finding| finding.is_suspect());
        self.index.clear();
        rest.into_iter().for_each(|finding| self.add(finding));
        suspects
    }

    /// Takes over another collector's findings, which come after this one's.
    pub fn absorb(&mut self, other: &mut Self) {
        other.index.clear();
        self.parted = self.parted.or(other.parted.take());
        self.used.append(&mut other.used);
        for finding in other.list.drain(..) {
            self.add(finding);
        }
    }

    /// Makes races of atomics with reads that are only guesses into remarks.
    pub fn excuse_guesses(&mut self, is_guess: impl Fn(Site) -> bool) {
        for finding in &mut self.list {
            let Message::Memory(Reason::Race(this, other, _, cause)) = &mut finding.message else { continue };
            let read = match (this, other) {
                (Action::Read, Action::Atomic) => finding.site,
                (Action::Atomic, Action::Read) => finding.other,
                _ => None,
            };
            if read.is_some_and(&is_guess) {
                finding.severity = Severity::Note;
                *cause = RaceCause::Guess;
            }
        }
    }

    /// Says of scopes that are too narrow how the source asks for them at a site.
    pub fn name_scopes(&mut self, spelled: impl Fn(Site) -> Spelled) {
        for finding in &mut self.list {
            let sites = [finding.site, finding.other];
            let Message::Memory(Reason::Race(.., RaceCause::AtomicScope(NarrowScopes(scopes)))) =
                &mut finding.message
            else {
                continue;
            };
            for (scope, site) in scopes.iter_mut().zip(sites) {
                if let (Some(scope), Some(site)) = (scope, site) {
                    *scope = spelled(site);
                }
            }
        }
    }

    /// The public form: places from sites, coordinates from linear indices; errors first, then by place.
    ///
    /// `grid` and `block` are the launch's dimensions; `place` gives a site's line in the learner's source.
    /// Findings of different sites on the same place stay apart only if they differ otherwise.
    pub fn finish(
        self,
        grid: [u32; 3],
        block: [u32; 3],
        place: impl Fn(Site) -> Option<Place>,
    ) -> Vec<Finding> {
        let coordinates = |index: u32, of: [u32; 3]| {
            let (x, y) = (of[0].max(1), of[1].max(1));
            [index % x, index / x % y, index / x / y]
        };
        let is_cause = |raw: &RawFinding| raw.severity == Severity::Error && !raw.is_consequence();
        let has_cause = self.list.iter().any(is_cause);
        let mut finished: Vec<Finding> = Vec::with_capacity(self.list.len());
        let mut causes: Vec<Option<RaceCause>> = Vec::with_capacity(self.list.len());
        for raw in self.list.into_iter().filter(|raw| !(has_cause && raw.is_consequence())) {
            let cause = match raw.message {
                Message::Memory(Reason::Race(.., cause)) => Some(cause),
                _ => None,
            };
            let threads: Vec<Thread> = raw
                .threads
                .iter()
                .map(|id| Thread {
                    block: coordinates(id.block, grid),
                    thread: coordinates(id.thread, block),
                })
                .collect();
            let mut finding = Finding {
                kind: raw.kind,
                severity: raw.severity,
                space: raw.space,
                place: raw.site.and_then(&place),
                other: raw.other.and_then(&place),
                threads,
                sides: raw.sides(),
                address: raw.address,
                allocation: raw.allocation,
                element_bytes: (raw.element != 0).then_some(raw.element),
                budget: match raw.message {
                    Message::Budget(budget, _) => Some(budget),
                    Message::Memory(_)
                    | Message::Text(_)
                    | Message::Advised(..)
                    | Message::Consequence(_) => None,
                },
                count: raw.count,
                message: String::new(),
                schedule: None,
                next: None,
            };
            finding.next = match &raw.message {
                Message::Memory(reason) => next::step(*reason, &finding),
                Message::Advised(_, next) => Some(next::at_its_line(next, &finding)),
                Message::Text(_) | Message::Budget(..) | Message::Consequence(_) => None,
            };
            finding.message = match raw.message {
                Message::Text(text) | Message::Advised(text, _) | Message::Consequence(text) => {
                    text.into_owned()
                }
                Message::Budget(_, text) => text,
                Message::Memory(reason) => sentences::sentence(reason, &finding),
            };
            // An unrolled loop has one line but many sites.
            let same = finished.iter().position(|earlier| {
                earlier.kind == finding.kind
                    && earlier.severity == finding.severity
                    && earlier.place == finding.place
                    && earlier.other == finding.other
                    && earlier.space == finding.space
                    && earlier.allocation.as_ref().map(|a| &a.name)
                        == finding.allocation.as_ref().map(|a| &a.name)
                    && finding.place.is_some()
            });
            match same {
                // What orders the warps of a block orders the lanes of a warp too, and not the other way round; what
                // makes one thread's look at a flag good for others makes it good for itself; a barrier that is there is to be named.
                Some(at)
                    if matches!(
                        (causes[at], cause),
                        (Some(RaceCause::SameWarp), Some(RaceCause::SameBlock | RaceCause::OtherRound(..)))
                            | (Some(RaceCause::SameBlock), Some(RaceCause::OtherRound(..)))
                            | (
                                Some(RaceCause::MissingAcquire | RaceCause::NarrowAcquire(_)),
                                Some(RaceCause::SeenByAnother)
                            )
                    ) =>
                {
                    finding.count += finished[at].count;
                    (finished[at], causes[at]) = (finding, cause);
                }
                Some(at) => finished[at].count += finding.count,
                None => {
                    finished.push(finding);
                    causes.push(cause);
                }
            }
        }
        forget_harmless_races(&mut finished);
        sort(&mut finished);
        finished
    }
}

/// That two threads write the same value somewhere is no remark beside a race of the same two places in which
/// it matters.
fn forget_harmless_races(findings: &mut Vec<Finding>) {
    let places = |finding: &Finding| {
        let (one, other) = (finding.place.clone(), finding.other.clone());
        if one <= other { (one, other) } else { (other, one) }
    };
    let races =
        |finding: &Finding, severity| finding.kind == FindingKind::Race && finding.severity == severity;
    let wrong: Vec<_> =
        findings.iter().filter(|finding| races(finding, Severity::Error)).map(places).collect();
    findings.retain(|finding| !(races(finding, Severity::Note) && wrong.contains(&places(finding))));
}

/// Errors first, then by place. Of one line an address that is wrong comes before what comes of it: who goes
/// where it should not meets others there.
pub(crate) fn sort(findings: &mut [Finding]) {
    let wrong_address =
        |finding: &Finding| matches!(finding.kind, FindingKind::OutOfBounds | FindingKind::Misaligned);
    let line = |finding: &Finding| finding.place.as_ref().map(|place| (place.file.clone(), place.line));
    findings.sort_by_cached_key(|finding| {
        let place = (line(finding), !wrong_address(finding), finding.place.clone());
        (finding.severity, place, finding.kind, finding.other.clone())
    });
}
