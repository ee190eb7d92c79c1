//! The judge's own kernels on the GPU: filling, and checking what a kernel under test left behind.
//!
//! Checks write what they find into slots that are cleared before the first and read after the last of a run,
//! so that the GPU is waited for once.

use cudarc::driver::result::DriverError;

use super::{
    arena::Layout,
    driver::{Image, Memory, RawLaunch},
};
use crate::{
    fill::{self, DeviceRecipe},
    plan::{Element, Tolerance},
    product,
};

/// Threads in a block.
const BLOCK: u32 = 256;
/// Blocks for each multiprocessor; the kernels stride over what is more.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 8;

/// How a launch of a trusted kernel fails: never by the learner's doing.
pub(super) type Failed = String;

/// Loaded trusted kernels.
pub(super) struct Trusted {
    image: Image,
    blocks: u32,
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// How many are wrong.
    pub count: u64,
    /// The first.
    pub first: u64,
    /// The last.
    pub last: u64,
}

/// Where checks write what they find.
pub(super) struct Slots {
    memory: Memory,
    used: usize,
}

/// Bytes of a slot: three numbers and one for sums.
const SLOT: usize = 4 * size_of::<u64>();
/// More checks than any plan needs.
const SLOTS: usize = 1024;

impl Slots {
    pub fn new() -> Result<Self, DriverError> {
        Ok(Slots { memory: Memory::allocate(SLOT * SLOTS)?, used: 0 })
    }

    /// Forgets everything.
    pub fn clear(&mut self) -> Result<(), DriverError> {
        self.used = 0;
        let mut slot = [0; SLOT];
        slot[8..16].fill(0xFF);
        self.memory.write(0, &slot.repeat(SLOTS))
    }

    /// The next slot's number.
    fn take(&mut self) -> Result<usize, Failed> {
        self.used += 1;
        if self.used > SLOTS {
            Err("the plan has too many buffers to check".to_owned())
        } else {
            Ok(self.used - 1)
        }
    }

    fn address(&self, slot: usize) -> u64 {
        self.memory.address() + (slot * SLOT) as u64
    }

    /// What all checks found, in the order in which they were started, and their sums.
    pub fn read(&self) -> Result<Vec<(Found, f64)>, DriverError> {
        let mut bytes = vec![0; self.used * SLOT];
        self.memory.read(0, &mut bytes)?;
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        Ok(bytes
            .chunks_exact(SLOT)
            .map(|slot| {
                let found = Found {
                    count: number(&slot[..8]),
                    first: number(&slot[8..16]),
                    last: number(&slot[16..24]),
                };
                (found, f64::from_bits(number(&slot[24..])))
            })
            .collect())
    }
}

fn bytes<T: bytemuck::NoUninit>(value: T) -> Vec<u8> {
    bytemuck::bytes_of(&value).to_vec()
}

impl Trusted {
    pub fn new(image: Image, multiprocessors: u32) -> Self {
        Trusted { image, blocks: BLOCKS_PER_MULTIPROCESSOR * multiprocessors.max(1) }
    }

    fn launch(&self, kernel: &str, arguments: &[Vec<u8>]) -> Result<(), Failed> {
        let launch = RawLaunch {
            kernel,
            grid: [self.blocks, 1, 1],
            block: [BLOCK, 1, 1],
            dynamic_shared: 0,
            cluster: None,
            cooperative: false,
            arguments,
        };
        self.image.launch(&launch).map_err(|_| format!("the judge's kernel `{kernel}` does not start"))
    }

    /// Writes words that nobody can guess over the first bytes of memory.
    pub fn scramble(&self, memory: &Memory, length: usize, seed: u64) -> Result<(), Failed> {
        let words = (length / size_of::<u64>()) as u64;
        self.launch("scramble", &[bytes(memory.address()), bytes(words), bytes(fill::hash_base(seed))])
    }

    /// Writes a buffer's contents.
    pub fn fill(&self, address: u64, count: usize, recipe: &DeviceRecipe) -> Result<(), Failed> {
        self.launch("fill_elements", &[bytes(address), bytes(count as u64), bytes(*recipe)])
    }

    /// Looks for elements that are not what [`Trusted::fill`] wrote.
    pub fn find_changed(
        &self,
        address: u64,
        count: usize,
        recipe: &DeviceRecipe,
        slots: &mut Slots,
    ) -> Result<(), Failed> {
        let slot = slots.take()?;
        let arguments = [bytes(address), bytes(count as u64), bytes(*recipe), bytes(slots.address(slot))];
        self.launch("find_changed", &arguments)
    }

    /// Looks for changed bytes in every guard band; as many checks as there are bands.
    pub fn find_outside(
        &self,
        memory: &Memory,
        layout: &Layout,
        seed: u64,
        slots: &mut Slots,
    ) -> Result<(), Failed> {
        for guard in layout.guards() {
            let slot = slots.take()?;
            let arguments = [
                bytes(memory.address()),
                bytes(guard.start as u64),
                bytes(guard.end as u64),
                bytes(fill::hash_base(seed)),
                bytes(slots.address(slot)),
            ];
            self.launch("find_unscrambled", &arguments)?;
        }
        Ok(())
    }

    /// Looks for bytes that differ.
    pub fn find_other_bytes(
        &self,
        address: u64,
        expected: u64,
        count: usize,
        slots: &mut Slots,
    ) -> Result<(), Failed> {
        let slot = slots.take()?;
        let arguments = [bytes(address), bytes(expected), bytes(count as u64), bytes(slots.address(slot))];
        self.launch("find_other_bytes", &arguments)
    }

    /// Looks for elements that are not close to what is expected.
    pub fn find_wrong(
        &self,
        [address, expected]: [u64; 2],
        count: usize,
        element: Element,
        tolerance: Tolerance,
        slots: &mut Slots,
    ) -> Result<(), Failed> {
        let slot = slots.take()?;
        let (exact, absolute, relative) = match tolerance {
            Tolerance::Exact => (1, 0.0, 0.0),
            Tolerance::Close { absolute, relative } => (0, absolute, relative),
        };
        let arguments = [
            bytes(address),
            bytes(expected),
            bytes(count as u64),
            bytes(element as i32),
            bytes(exact),
            bytes(absolute),
            bytes(relative),
            bytes(slots.address(slot)),
        ];
        self.launch("find_wrong", &arguments)
    }

    /// Looks for residuals of a product that are too large; the slot's sum is that of all squares.
    pub fn find_residuals(
        &self,
        product: &Factors,
        seed: u64,
        scratch: u64,
        slots: &mut Slots,
    ) -> Result<(), Failed> {
        let &Factors { a, b, c, extents: [m, n, k], largest } = product;
        let groups = n.div_ceil(product::GROUP);
        let slot = slots.take()?;
        let (bx, cx) = (scratch, scratch + (k * groups * size_of::<f64>()) as u64);
        for ((matrix, element), rows, sums) in [(b, k, bx), (c, m, cx)] {
            let arguments = [
                bytes(matrix),
                bytes(element as i32),
                bytes(rows as u64),
                bytes(n as u64),
                bytes(fill::hash_base(seed)),
                bytes(sums),
            ];
            self.launch("project", &arguments)?;
        }
        let arguments = [
            bytes(a.0),
            bytes(a.1 as i32),
            bytes(m as u64),
            bytes(k as u64),
            bytes(groups as u64),
            bytes(bx),
            bytes(cx),
            bytes(largest),
            bytes(slots.address(slot)),
            bytes(slots.address(slot) + 3 * size_of::<u64>() as u64),
        ];
        self.launch("find_residuals", &arguments)
    }
}

/// A product on the device: addresses and types of A, B and C.
pub(super) struct Factors {
    pub a: (u64, Element),
    pub b: (u64, Element),
    pub c: (u64, Element),
    /// m, n, k.
    pub extents: [usize; 3],
    /// The greatest residual that is right.
    pub largest: f64,
}

impl Factors {
    /// Bytes of scratch that the residuals of a product need.
    pub fn scratch_bytes([m, n, k]: [usize; 3]) -> usize {
        (m + k) * n.div_ceil(product::GROUP) * size_of::<f64>()
    }
}
