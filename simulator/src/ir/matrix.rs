//! Matrices that the 32 lanes of a warp hold together: each lane has its *fragment*, a few registers. PTX ISA
//! 9.0, "Warp Level Matrix Multiply-Accumulate Instructions" (section 9.7.15) and "Warp-level matrix load" (`ldmatrix`).

use super::{Address, AddressSpace, GroupMultiply, LANES, List, Word};

/// The type of a matrix's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixType {
    /// IEEE half.
    F16,
    /// bfloat16.
    Bf16,
    /// The upper 19 bits of a single.
    Tf32,
    /// Eight bits, four of them exponent; no infinities.
    E4m3,
    /// Eight bits, five of them exponent.
    E5m2,
    /// Single precision, only as accumulator.
    F32,
    /// Double precision.
    F64,
    /// Unsigned byte.
    U8,
    /// Signed byte.
    S8,
    /// Unsigned, four bits.
    U4,
    /// Signed, four bits.
    S4,
    /// One bit.
    B1,
    /// Signed 32 bits, only as accumulator.
    S32,
}

impl MatrixType {
    /// Bits of a number.
    pub fn bits(self) -> usize {
        match self {
            MatrixType::F64 => 64,
            MatrixType::F32 | MatrixType::Tf32 | MatrixType::S32 => 32,
            MatrixType::F16 | MatrixType::Bf16 => 16,
            MatrixType::E4m3 | MatrixType::E5m2 | MatrixType::U8 | MatrixType::S8 => 8,
            MatrixType::U4 | MatrixType::S4 => 4,
            MatrixType::B1 => 1,
        }
    }

    /// A fragment's registers are pairs, else words.
    pub fn is_wide(self) -> bool {
        self == MatrixType::F64
    }

    /// Numbers in a register.
    pub fn per_register(self) -> usize {
        if self.is_wide() { 1 } else { 32 / self.bits() }
    }
}

/// Which of the matrices of D = A × B + C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixRole {
    /// M rows of K.
    A,
    /// K rows of N.
    B,
    /// M rows of N: C or D.
    Accumulator,
}

/// The sides of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Rows of A and D.
    pub m: u16,
    /// Columns of B and D.
    pub n: u16,
    /// Columns of A, rows of B.
    pub k: u16,
}

/// A matrix as a warp's registers hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fragment {
    /// Which matrix it is.
    pub role: MatrixRole,
    /// The sides of the product that it is made for.
    pub shape: MatrixShape,
    /// Its numbers.
    pub kind: MatrixType,
    /// Of `wmma`; else of `mma`.
    pub is_wmma: bool,
}

impl Fragment {
    /// Registers of a lane.
    pub fn registers(self) -> usize {
        // `wmma` keeps halves of A and B in as many registers for every shape, several times where fewer would do.
        if self.is_wmma && self.kind == MatrixType::F16 && self.role != MatrixRole::Accumulator {
            8
        } else {
            self.distinct_registers()
        }
    }

    /// The same without those that repeat others, which come behind.
    pub fn distinct_registers(self) -> usize {
        let (rows, columns) = self.sides();
        rows * columns / LANES / self.kind.per_register()
    }

    /// Rows and columns of the matrix.
    pub fn sides(self) -> (usize, usize) {
        let MatrixShape { m, n, k } = self.shape;
        let (m, n, k) = (usize::from(m), usize::from(n), usize::from(k));
        match self.role {
            MatrixRole::A => (m, k),
            MatrixRole::B => (k, n),
            MatrixRole::Accumulator => (m, n),
        }
    }

    /// Row and column of a number: which register, which number in it from the lowest bits on, which lane.
    ///
    /// Of `mma` the PTX ISA says it. Of `wmma` it says nothing; Hopper GPUs put together the fragments of several
    /// `mma`, and compute 8 × 32 as the transposed of 32 × 8.
    #[inline(always)]
    pub fn place(self, register: usize, part: usize, lane: usize) -> (usize, usize) {
        let MatrixShape { m, n, k } = self.shape;
        if self.is_wmma && (m, n) == (8, 32) {
            let role = match self.role {
                MatrixRole::A => MatrixRole::B,
                MatrixRole::B => MatrixRole::A,
                MatrixRole::Accumulator => MatrixRole::Accumulator,
            };
            let upright = Fragment { role, shape: MatrixShape { m: n, n: m, k }, ..self };
            let (row, column) = upright.place(register, part, lane);
            return (column, row);
        }
        let (group, in_group) = (lane / 4, lane % 4);
        let numbers = self.kind.per_register();
        let register = register % self.distinct_registers();
        // A register of all lanes has four times its numbers of each row of A or column of B.
        let (width, across) = (4 * numbers, usize::from(k) / (4 * numbers));
        let along = in_group * numbers + part;
        match self.role {
            MatrixRole::A if m == 8 => (group, register * width + along),
            MatrixRole::A => {
                let (block, register) = (register / (2 * across), register % (2 * across));
                (16 * block + 8 * (register % 2) + group, register / 2 * width + along)
            }
            MatrixRole::B => (register % across * width + along, register / across * 8 + group),
            MatrixRole::Accumulator => {
                let number = register * numbers + part;
                let of_tile = if m == 8 { 2 } else { 4 };
                let (tile, number) = (number / of_tile, number % of_tile);
                let tiles = usize::from(n) / 8;
                let (row, column) = (16 * (tile / tiles), 8 * (tile % tiles));
                (row + 8 * (number / 2) + group, column + 2 * in_group + number % 2)
            }
        }
    }
}

/// A product of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiply {
    /// Its sides.
    pub shape: MatrixShape,
    /// The numbers of A.
    pub a: MatrixType,
    /// The numbers of B.
    pub b: MatrixType,
    /// The numbers of C.
    pub c: MatrixType,
    /// The numbers of D.
    pub d: MatrixType,
    /// Fragments are those of `wmma`.
    pub is_wmma: bool,
    /// It is a part of a warpgroup's product.
    pub is_group: bool,
    /// Sums stop at the ends of the type (`.satfinite`).
    pub saturates: bool,
    /// Of single bits: `.and.popc`, else `.xor.popc`.
    pub is_and: bool,
    /// The registers of D, A, B and C, one fragment after the other.
    pub registers: List,
}

impl Multiply {
    /// D, A, B, C: in the order of [`Multiply::registers`].
    pub fn fragments(&self) -> [Fragment; 4] {
        let &Multiply { shape, is_wmma, .. } = self;
        let of = |role, kind| Fragment { role, shape, kind, is_wmma };
        [
            of(MatrixRole::Accumulator, self.d),
            of(MatrixRole::A, self.a),
            of(MatrixRole::B, self.b),
            of(MatrixRole::Accumulator, self.c),
        ]
    }
}

/// What a warp does with matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// `ldmatrix`: loads 8 × 8 matrices of 16-bit numbers. Each row is 16 bytes, at the address that one lane gives.
    Load {
        /// 1, 2 or 4.
        count: u8,
        /// Each lane gets two numbers of a column, else of a row.
        transposed: bool,
        /// The state space named.
        space: AddressSpace,
        /// One of each matrix.
        d: [Word; 4],
        /// Of a row, in the lanes of [`row_lanes`].
        address: Address,
    },
    /// `stmatrix`: the other way.
    Store {
        /// 1, 2 or 4.
        count: u8,
        /// Each lane has two numbers of a column, else of a row.
        transposed: bool,
        /// The state space named.
        space: AddressSpace,
        /// One of each matrix.
        a: [Word; 4],
        /// Of a row, in the lanes of [`row_lanes`].
        address: Address,
    },
    /// `movmatrix`: turns an 8 × 8 matrix of 16-bit numbers.
    Transpose {
        /// Result.
        d: Word,
        /// Rows become columns.
        a: Word,
    },
    /// `mma`, `wmma.mma`.
    Multiply(Multiply),
    /// `wgmma.mma_async`.
    Group(GroupMultiply),
    /// `wmma.load`.
    LoadFragment(FragmentAccess),
    /// `wmma.store`.
    StoreFragment(FragmentAccess),
}

/// A fragment and its matrix in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentAccess {
    /// What the registers hold.
    pub fragment: Fragment,
    /// Rows lie one behind the other, else columns.
    pub row_major: bool,
    /// The state space named.
    pub space: AddressSpace,
    /// The fragment's registers.
    pub registers: List,
    /// Of the first number; the same in all lanes.
    pub address: Address,
    /// From one row (or column) to the next, in numbers; `NONE`: they follow each other without gaps.
    pub stride: Word,
}

/// The lanes whose addresses `ldmatrix` and `stmatrix` take, one for each row of so many matrices.
pub fn row_lanes(count: u8) -> u32 {
    u32::MAX >> (32 - 8 * u32::from(count))
}
