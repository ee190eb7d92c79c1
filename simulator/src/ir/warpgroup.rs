//! What four warps do with matrices together, in the background: `wgmma`. PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix
//! Multiply-Accumulate Instructions" (section 9.7.16).

use super::{List, MatrixShape, MatrixType, Multiply, Pair, Predicate};

/// `wgmma.mma_async`: D = A × B + D of 64 rows, of which each warp has 16. B, and A unless it is in registers, lie in shared
/// memory where a descriptor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMultiply {
    /// Columns of B and D.
    pub n: u16,
    /// The numbers of A.
    pub a: MatrixType,
    /// The numbers of B.
    pub b: MatrixType,
    /// The numbers of D.
    pub d: MatrixType,
    /// Describes where A lies; `NONE`: in registers.
    pub a_at: Pair,
    /// Describes where B lies.
    pub b_at: Pair,
    /// Lanes in which D is added, else it is replaced. They must agree.
    pub adds: Predicate,
    /// It is negated first.
    pub adds_negated: bool,
    /// The numbers of A, and of B, are negated first.
    pub negates: [bool; 2],
    /// A, and B, lie in memory with rows of A or columns of B side by side ("MN-major"), else along K.
    pub transposed: [bool; 2],
    /// Sums stop at the ends of the type.
    pub saturates: bool,
    /// The registers of D, then those of A where it is in registers.
    pub registers: List,
}

/// Registers of a warp's part of A.
pub const GROUP_A_REGISTERS: usize = 4;

impl GroupMultiply {
    /// A warp's part of eight columns.
    pub fn tile(&self) -> Multiply {
        let k = 256 / self.a.bits() as u16;
        Multiply {
            shape: MatrixShape { m: 16, n: 8, k },
            a: self.a,
            b: self.b,
            c: self.d,
            d: self.d,
            is_wmma: false,
            is_group: true,
            saturates: self.saturates,
            is_and: true,
            registers: List::default(),
        }
    }

    /// Tiles of eight columns.
    pub fn tiles(&self) -> usize {
        usize::from(self.n) / 8
    }

    /// Registers of D in a lane, for each tile.
    pub fn tile_registers(&self) -> usize {
        if self.d == MatrixType::F16 { 2 } else { 4 }
    }

    /// Registers of D in a lane.
    pub fn d_registers(&self) -> usize {
        self.tiles() * self.tile_registers()
    }
}

/// What orders products in the background, for the warp that executes it, and what else is for warpgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warpgroup {
    /// What was done with registers comes before the products that follow (`wgmma.fence`).
    Fence,
    /// Changes how many registers the warps' threads have (`setmaxnreg`).
    Registers,
    /// Ends the group of products that were begun since the last one.
    Commit,
    /// Waits until at most so many of the last groups are still under way.
    Wait {
        /// How many may be.
        groups: u32,
    },
}
