//! What is known about a value that is not all defined: which of its bits, and where they come from.
//!
//! Registers and memory carry one bit per value or byte that says "some of this is undefined". This
//! is what stands behind such a bit, kept only while there is one: valgrind memcheck's validity bits
//! (Seward and Nethercote, "Using Valgrind to detect undefined value errors with bit-precision",
//! USENIX 2005), made lazily.
//!
//! Bits are followed through registers, lanes (shuffles, votes, reductions), calls, and local, shared and
//! global memory, in which a word may be set field by field. They are judged where they decide a branch
//! or an address, and where they are stored to global memory: there a value that was only moved from
//! where part of it was written (a structure with its padding), or that goes back to where it came from
//! with some bits set, is let pass. Its undefined bits stay undefined in global memory, and whoever uses
//! them later is told, the host too.

use foldhash::HashMap;

use crate::{
    finding::{Allocation, FindingKind, Severity, Space},
    findings::{Decides, Findings, Message, RawFinding, Reason, Source, ThreadId},
    ir::{AddressSpace, Pair, Pairs, Predicate, Word, Words},
    memory::Site,
};

/// A register of any file, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// 32 bits.
    Word(Word),
    /// 64 bits.
    Pair(Pair),
    /// One bit.
    Predicate(Predicate),
}

impl Register {
    /// All its bits.
    pub fn all(self) -> u64 {
        match self {
            Register::Word(_) => u32::MAX.into(),
            Register::Pair(_) => u64::MAX,
            Register::Predicate(_) => 1,
        }
    }
}

/// One lane's value, as far as it is undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undefined {
    /// The bits whose value is not defined; 0: all are defined.
    pub bits: u64,
    /// Where they come from, in the block's [`Origins`].
    pub origin: OriginId,
    /// The address of the byte that the first of them was loaded from.
    pub address: u64,
    /// Other bits of that byte were defined.
    pub part_of_byte: bool,
    /// Every bit stands where it stood there: a word that is changed in part and stored back leaves its
    /// other bits as they were.
    pub in_place: bool,
    /// Stored and loaded again since, by this thread or another.
    pub passed_on: bool,
    /// Loaded with other bits that are defined, and only moved since: a structure travels with its padding.
    pub moved: bool,
}

impl Undefined {
    /// All defined.
    pub const NONE: Undefined = Undefined {
        bits: 0,
        origin: OriginId(0),
        address: 0,
        part_of_byte: false,
        in_place: false,
        passed_on: false,
        moved: false,
    };

    /// What a result owes to this operand and another one: the first that is undefined
    /// is the one that is blamed.
    pub fn merge(self, other: Undefined) -> Undefined {
        match (self.bits, other.bits) {
            (_, 0) => self,
            (0, _) => other,
            // What is undefined is reported without any replay.
            _ if other.origin.is_mark() && !self.origin.is_mark() => other.merge(self),
            _ => Undefined {
                bits: self.bits | other.bits,
                in_place: self.in_place && other.in_place && self.address == other.address,
                moved: self.moved && other.moved,
                ..self
            },
        }
    }
}

/// What stands behind the poison of one register. Only the lanes of `known` count, and of them
/// those that are poisoned.
#[derive(Clone, Debug, Default)]
pub struct Shade {
    /// Lanes of which more is known than that they are poisoned.
    pub known: u32,
    bits: Pairs,
    origin: Words,
    address: Pairs,
    part_of_byte: u32,
    in_place: u32,
    passed_on: u32,
    moved: u32,
}

impl Shade {
    /// What is known of a lane.
    pub fn get(&self, lane: usize) -> Option<Undefined> {
        (self.known >> lane & 1 == 1).then(|| Undefined {
            bits: self.bits[lane],
            origin: OriginId(self.origin[lane]),
            address: self.address[lane],
            part_of_byte: self.part_of_byte >> lane & 1 == 1,
            in_place: self.in_place >> lane & 1 == 1,
            passed_on: self.passed_on >> lane & 1 == 1,
            moved: self.moved >> lane & 1 == 1,
        })
    }

    /// Replaces what is known of some lanes by the same.
    pub fn set_all(&mut self, mask: u32, value: Undefined) {
        if mask != u32::MAX {
            crate::memory::lanes(mask).for_each(|lane| self.set(lane, value));
            return;
        }
        let all = |flag: bool| if flag { u32::MAX } else { 0 };
        *self = Shade {
            known: u32::MAX,
            bits: [value.bits; 32],
            origin: [value.origin.0; 32],
            address: [value.address; 32],
            part_of_byte: all(value.part_of_byte),
            in_place: all(value.in_place),
            passed_on: all(value.passed_on),
            moved: all(value.moved),
        };
    }

    /// Replaces what is known of a lane.
    pub fn set(&mut self, lane: usize, value: Undefined) {
        let bit = 1 << lane;
        self.known |= bit;
        self.bits[lane] = value.bits;
        self.origin[lane] = value.origin.0;
        self.address[lane] = value.address;
        let put = |flags: &mut u32, flag: bool| *flags = *flags & !bit | if flag { bit } else { 0 };
        put(&mut self.part_of_byte, value.part_of_byte);
        put(&mut self.in_place, value.in_place);
        put(&mut self.passed_on, value.passed_on);
        put(&mut self.moved, value.moved);
    }
}

/// Names an [`Origin`]; 0 is that of a register that nothing was ever assigned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OriginId(pub u32);

impl OriginId {
    /// Set of a load that a replay has marked.
    const MARK: u32 = 1 << 31;
    /// Set of a product in the background.
    const IN_FLIGHT: u32 = 1 << 30;

    /// A product in the background was still adding it up, and it has only been moved since.
    pub fn is_in_flight(self) -> bool {
        self.0 & Self::IN_FLIGHT != 0
    }

    /// The same of what was computed from it: the wait comes too late.
    pub fn spoiled(self) -> OriginId {
        OriginId(self.0 & !Self::IN_FLIGHT)
    }

    /// A replay has marked what the load gave, which is defined.
    pub fn is_mark(self) -> bool {
        self.0 & Self::MARK != 0
    }
}

/// What first gave a thread an undefined value.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The instruction.
    at: Site,
    /// What it did.
    did: Did,
}

/// How an instruction comes to an undefined value.
#[derive(Clone, Debug)]
enum Did {
    /// It read memory.
    Load(Read),
    /// A shuffle read a lane that takes no part.
    Shuffle,
    /// It divided by zero.
    Division,
    /// It read a texture as one with more channels.
    AbsentChannel,
    /// It loaded a defined value, which a replay has marked.
    Mark,
    /// It multiplies in the background: a warp, and the group of its products.
    Multiply(u32, u32),
}

/// What a load read.
#[derive(Clone, Debug)]
struct Read {
    space: Space,
    allocation: Option<Allocation>,
    /// An address that it read, as the instruction gave it.
    address: u64,
    /// Bytes of the elements that it read.
    element: u8,
    /// A store had left the value undefined there, of which no more is known.
    stored: bool,
}

impl Read {
    /// It read the allocation, or the very address, in which an address lies.
    fn holds(&self, address: u64) -> bool {
        match &self.allocation {
            Some(allocation) => {
                let start = self.address.wrapping_add_signed(allocation.offset.wrapping_neg());
                address.wrapping_sub(start) < allocation.bytes
            }
            None => address == self.address,
        }
    }
}

impl Origin {
    fn read(&self) -> Option<&Read> {
        match &self.did {
            Did::Load(read) => Some(read),
            Did::Shuffle | Did::Division | Did::AbsentChannel | Did::Mark | Did::Multiply(..) => None,
        }
    }
}

/// Groups of a warp's products that are told apart.
const GROUPS: u32 = 8;

/// Where the undefined values of one block come from.
#[derive(Debug, Default)]
pub struct Origins {
    list: Vec<Origin>,
    by_load: HashMap<(Site, AddressSpace, bool), Vec<OriginId>>,
    /// Products in the background, by instruction, warp, and group, of which the last few are told apart.
    by_product: HashMap<(Site, u32, u32), OriginId>,
    /// By warp, the first group of its products in the background that it has not waited for.
    waited_for: HashMap<u32, u32>,
}

impl Origins {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.list.clear();
        self.by_load.clear();
        self.by_product.clear();
        self.waited_for.clear();
    }

    fn add(&mut self, origin: Origin) -> OriginId {
        self.list.push(origin);
        OriginId(self.list.len() as u32)
    }

    /// A load from an address; `describe` is asked only when it reads an allocation
    /// that it has not read before. `stored` says that a store had left the value undefined.
    pub fn load(
        &mut self,
        at: Site,
        space: AddressSpace,
        address: u64,
        stored: bool,
        element: u8,
        describe: impl FnOnce() -> (Space, Option<Allocation>),
    ) -> OriginId {
        if let Some(known) = self.by_load.get(&(at, space, stored))
            && let Some(&id) = known.iter().find(|&&id| self.read(id).is_some_and(|read| read.holds(address)))
        {
            return id;
        }
        let (from, allocation) = describe();
        let did = Did::Load(Read { space: from, allocation, address, element, stored });
        let id = self.add(Origin { at, did });
        self.by_load.entry((at, space, stored)).or_default().push(id);
        id
    }

    /// A load whose value a replay has marked.
    pub fn mark(&mut self, at: Site) -> OriginId {
        OriginId(self.once(at, Did::Mark, |did| matches!(did, Did::Mark)).0 | OriginId::MARK)
    }

    /// Says that something comes of values, as far as a replay has marked them.
    pub fn use_marks(&self, findings: &mut Findings, values: impl Iterator<Item = Undefined>) {
        for value in values.filter(|value| value.bits != 0 && value.origin.is_mark()) {
            if let Some(origin) = self.get(value.origin) {
                findings.mark_used(origin.at);
            }
        }
    }

    /// A shuffle that read a lane which takes no part.
    pub fn shuffle(&mut self, at: Site) -> OriginId {
        self.once(at, Did::Shuffle, |did| matches!(did, Did::Shuffle))
    }

    /// A division by zero.
    pub fn division(&mut self, at: Site) -> OriginId {
        self.once(at, Did::Division, |did| matches!(did, Did::Division))
    }

    /// A read of a channel that a texture does not have.
    pub fn absent_channel(&mut self, at: Site) -> OriginId {
        self.once(at, Did::AbsentChannel, |did| matches!(did, Did::AbsentChannel))
    }

    /// A product in the background, in this group of its warp's products.
    pub fn in_flight(&mut self, at: Site, warp: u32, group: u32) -> OriginId {
        let did = Did::Multiply(warp, group);
        // A few groups are in flight at most: a loop of a million needs no more origins than one of eight.
        let id = match self.by_product.get(&(at, warp, group % GROUPS)) {
            Some(&id) => {
                self.list[id.0 as usize - 1].did = did;
                id
            }
            None => {
                let id = self.add(Origin { at, did });
                self.by_product.insert((at, warp, group % GROUPS), id);
                id
            }
        };
        OriginId(id.0 | OriginId::IN_FLIGHT)
    }

    /// A warp has waited for all groups of its products before this one.
    pub fn waited_for(&mut self, warp: u32, group: u32) {
        self.waited_for.insert(warp, group);
    }

    /// It comes from a product in the background that has been waited for.
    pub fn is_over(&self, id: OriginId) -> bool {
        let did = self.get(id).filter(|_| id.is_in_flight()).map(|origin| &origin.did);
        matches!(did, Some(&Did::Multiply(warp, group)) if self.waited_for.get(&warp).is_some_and(|&before| group < before))
    }

    /// What an instruction always does.
    fn once(&mut self, at: Site, did: Did, same: impl Fn(&Did) -> bool) -> OriginId {
        match self.list.iter().position(|origin| origin.at == at && same(&origin.did)) {
            Some(index) => OriginId(index as u32 + 1),
            None => self.add(Origin { at, did }),
        }
    }

    /// What a number stands for.
    pub fn get(&self, id: OriginId) -> Option<&Origin> {
        self.list.get(((id.0 & !(OriginId::MARK | OriginId::IN_FLIGHT)) as usize).checked_sub(1)?)
    }

    fn read(&self, id: OriginId) -> Option<&Read> {
        self.get(id)?.read()
    }

    /// The space that it was loaded from.
    pub fn space(&self, id: OriginId) -> Option<Space> {
        self.read(id).map(|read| read.space)
    }

    /// Reports that undefined values decide something at a site: one finding for each origin.
    #[cold]
    pub fn report(
        &self,
        findings: &mut Findings,
        decides: Decides,
        at: Site,
        values: impl Iterator<Item = (ThreadId, Undefined)>,
    ) {
        let mut groups: Vec<(Undefined, Vec<ThreadId>)> = Vec::new();
        for (thread, value) in values {
            match groups.iter_mut().find(|group| group.0.origin == value.origin) {
                Some(group) => group.1.push(thread),
                None => groups.push((value, vec![thread])),
            }
        }
        for (value, threads) in groups {
            if value.origin.is_mark() {
                self.use_marks(findings, std::iter::once(value));
                continue;
            }
            let origin = self.get(value.origin);
            if origin.is_some_and(|origin| matches!(origin.did, Did::Multiply(..))) {
                findings.add(used_in_flight(at, origin, threads));
                continue;
            }
            let read = origin.and_then(Origin::read);
            let allocation = read.and_then(|read| {
                let mut allocation = read.allocation.clone()?;
                // The example is the first thread's.
                allocation.offset += value.address.wrapping_sub(read.address) as i64;
                Some(allocation)
            });
            let stored = read.is_some_and(|read| read.stored);
            let source = match origin.map(|origin| &origin.did) {
                Some(Did::Load(_)) if stored => Source::Stored,
                Some(Did::Load(_)) if value.passed_on => Source::PassedOn,
                Some(Did::Load(_)) if value.part_of_byte => Source::PartOfByte,
                Some(Did::Load(_)) => Source::Memory,
                Some(Did::Shuffle | Did::Mark | Did::Multiply(..)) => Source::Shuffle,
                Some(Did::Division) => Source::Division,
                Some(Did::AbsentChannel) => Source::AbsentChannel,
                None => Source::Variable,
            };
            findings.add(RawFinding {
                kind: FindingKind::UninitializedRead,
                severity: Severity::Error,
                space: read.map(|read| read.space),
                site: (at.0 != 0).then_some(at),
                // Where it was read is not where it is wrong if a store had left it so.
                other: origin.filter(|_| !stored).map(|origin| origin.at).filter(|at| at.0 != 0),
                element: read.map_or(0, |read| read.element),
                count: threads.len() as u64,
                threads,
                address: read.map(|_| value.address),
                allocation,
                message: Message::Memory(Reason::Undefined(decides, source)),
            });
        }
    }
}

/// Something is computed from what a product in the background was still adding up.
fn used_in_flight(at: Site, origin: Option<&Origin>, threads: Vec<ThreadId>) -> RawFinding {
    RawFinding {
        kind: FindingKind::Race,
        severity: Severity::Error,
        space: None,
        site: (at.0 != 0).then_some(at),
        other: origin.map(|origin| origin.at).filter(|at| at.0 != 0),
        element: 0,
        count: threads.len() as u64,
        threads,
        address: None,
        allocation: None,
        message: Message::Text(
            "What is used here was computed from accumulators of a `wgmma` that may still be adding to them. Put `wgmma.commit_group` behind \
             the products and `wgmma.wait_group 0` before the first use of their sums."
                .into(),
        ),
    }
}
