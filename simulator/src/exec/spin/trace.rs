//! What the lanes of a watched loop have executed since they were last at its head.

use crate::{
    exec::{
        registers::Registers,
        warp::{FrameId, Split},
    },
    ir::{Address, AddressSpace, Constants, FunctionIndex, Op, Pc},
    memory::{LOCAL_LIMIT, LOCAL_WINDOW, LOCAL_WINDOW_BYTES, SHARED_WINDOW, lanes},
};

/// A call or return that has taken place. Its step names the call, in the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Into a frame.
    Call {
        /// The frame.
        callee: FrameId,
    },
    /// Out of a frame.
    Return {
        /// The frame.
        callee: FrameId,
        /// Its function.
        from: FunctionIndex,
    },
}

/// One instruction, executed by some lanes.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Where.
    pub pc: Pc,
    /// The function.
    pub function: FunctionIndex,
    /// The frame.
    pub frame: FrameId,
    /// Lanes that came to it.
    pub came: u32,
    /// Lanes that its guard let execute it.
    pub mask: u32,
    /// A call or return: the frames that it links.
    pub link: Option<Link>,
    /// Entries of [`Trace::rows`]: words of local memory that it accessed.
    pub rows: (u32, u32),
    /// Lanes whose address was not in local memory.
    pub elsewhere: u32,
}

/// A word of local memory, by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalWord {
    /// Which word of the thread's local memory.
    pub word: u32,
    /// Lanes that accessed it.
    pub lanes: u32,
    /// All of it.
    pub whole: bool,
}

/// Instructions in the order of their execution.
#[derive(Debug, Default)]
pub struct Trace {
    /// The instructions.
    pub steps: Vec<Step>,
    /// Words of local memory that they accessed.
    pub rows: Vec<LocalWord>,
    /// Words of global and shared memory that they accessed, as generic addresses.
    pub far: Vec<u64>,
    /// A digest of all of it.
    pub hash: u64,
    /// Most instructions that are kept.
    pub room: usize,
    /// It holds what can't be compared, or is too long.
    pub broken: bool,
}

impl Trace {
    /// An empty one.
    pub fn new(room: usize) -> Trace {
        Trace { room, ..Trace::default() }
    }

    /// Starts again.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.rows.clear();
        self.far.clear();
        self.hash = 0;
        self.broken = false;
    }

    fn mix(&mut self, value: u64) {
        self.hash = (self.hash.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    /// Adds an instruction that `split` is about to execute in the lanes of `mask`.
    pub fn step(
        &mut self,
        op: &Op,
        split: &Split,
        function: FunctionIndex,
        mask: u32,
        registers: &Registers,
        constants: &Constants,
    ) {
        let rows = self.rows.len() as u32;
        let mut elsewhere = mask;
        match *op {
            Op::Load { ref memory, address, .. } | Op::Store { ref memory, address, .. } => {
                let bytes = memory.element.bytes * memory.count;
                elsewhere = self.accessed(memory.space, address, bytes, registers, constants, mask);
            }
            Op::Atomic { kind, space, address, .. } => {
                elsewhere = self.accessed(space, address, kind.bytes(), registers, constants, mask);
            }
            // Others decide when it ends, or something changes that is in no register and no memory.
            Op::Barrier { .. }
            | Op::Asynchronous(_)
            | Op::Bulk(_)
            | Op::Mbarrier(_)
            | Op::Texture(_)
            | Op::Matrix(_)
            | Op::Warpgroup(_)
            | Op::StackAllocate { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. }
            | Op::Unsupported { .. } => self.broken = true,
            _ => {}
        }
        let rows = (rows, self.rows.len() as u32);
        let (pc, frame, came) = (split.pc, split.frame, split.mask);
        self.push(Step { pc, function, frame, came, mask, link: None, rows, elsewhere });
    }

    /// Adds a call or return that has taken place; `pc`, `function` and `frame` are those of the call.
    pub fn link(&mut self, pc: Pc, function: FunctionIndex, frame: FrameId, mask: u32, link: Link) {
        self.push(Step {
            pc,
            function,
            frame,
            came: mask,
            mask,
            link: Some(link),
            rows: (0, 0),
            elsewhere: 0,
        });
    }

    fn push(&mut self, step: Step) {
        if self.broken || self.steps.len() >= self.room {
            self.broken = true;
            return;
        }
        let linked = match step.link {
            None => 0,
            Some(Link::Call { .. }) => 1,
            Some(Link::Return { .. }) => 2,
        };
        self.mix(u64::from(step.pc) << 32 | u64::from(step.function.0) << 2 | linked);
        self.mix(u64::from(step.came) << 32 | u64::from(step.mask));
        self.steps.push(step);
    }

    /// Notes the words that an access concerns; gives the lanes whose address is not in local memory.
    fn accessed(
        &mut self,
        space: AddressSpace,
        address: Address,
        bytes: u8,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> u32 {
        let shift = match space {
            AddressSpace::Local => LOCAL_WINDOW,
            AddressSpace::Shared | AddressSpace::Cluster => SHARED_WINDOW,
            AddressSpace::Generic | AddressSpace::Global => 0,
            // Never changes.
            AddressSpace::Constant | AddressSpace::Param => return mask,
        };
        let (addresses, _) = crate::exec::access::addresses(registers, constants, address);
        let mut elsewhere = mask;
        let first = self.rows.len();
        for lane in lanes(mask) {
            let address = addresses[lane].wrapping_add(shift);
            let words = address / 4..=address.saturating_add(u64::from(bytes) - 1) / 4;
            let offset = address.wrapping_sub(LOCAL_WINDOW);
            if offset >= LOCAL_WINDOW_BYTES {
                let last = self.far.last().copied();
                self.far.extend(words.map(|word| word * 4).filter(|&word| Some(word) != last));
                continue;
            }
            elsewhere &= !(1 << lane);
            for word in words {
                // Whose it is does not matter: a lane sees its own.
                let (word, whole) = (word as u32 % (LOCAL_LIMIT / 4), bytes >= 4);
                match self.rows[first..].iter_mut().find(|row| row.word == word) {
                    Some(row) => row.lanes |= 1 << lane,
                    None => self.rows.push(LocalWord { word, lanes: 1 << lane, whole }),
                }
            }
        }
        for at in first..self.rows.len() {
            let row = self.rows[at];
            self.mix(u64::from(row.word) << 32 | u64::from(row.lanes));
        }
        elsewhere
    }
}
