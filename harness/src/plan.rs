//! A plan: everything a device must do for one case, as data.
//!
//! The same plan runs on the simulator and on a GPU, in any process, and can be stored. A plan knows no
//! device and no terminal; the exercise that made it is trusted host code.

use std::{ops::Range, sync::Arc};

pub use launch_options::{AddressMode, Element, Sampling, TensorTile, TexelLayout};
use serde::{Deserialize, Serialize};

/// Index of a buffer in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BufferId(pub usize);

/// What a buffer holds before the first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fill {
    /// Nothing: the simulator treats every byte as uninitialised, the GPU prefills unpredictably.
    Uninitialized,
    /// Zero bytes.
    Zeros,
    /// These bytes, little-endian elements, exactly the buffer's size.
    Data(Bytes),
    /// One little-endian element everywhere.
    Repeated(Bytes),
    /// 0, 1, 2 …, wrapping where the type is too small.
    Counting,
    /// Distinct-looking values made from a seed (`crate::fill` says how), cheap to make at any size.
    Random {
        /// The seed.
        seed: u64,
        /// Least value (inclusive).
        low: f64,
        /// Greatest value (inclusive for integers, exclusive for floats).
        high: f64,
    },
    /// As `Random`, but whole numbers whatever the element type: sums of floats that stay below 2²⁴ are
    /// then exact in any order.
    Whole {
        /// The seed.
        seed: u64,
        /// Least value.
        low: f64,
        /// Greatest value, inclusive.
        high: f64,
    },
    /// Random, but some elements are strays: drawn from another range, in places that only the seed knows.
    /// What a timed case holds, so that nobody can leave an element unread, or guess.
    Strays(Strays),
}

/// The recipe of [`Fill::Strays`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strays {
    /// The seed of values and places.
    pub seed: u64,
    /// Least and greatest value of most elements; bounds as for [`Fill::Random`], or with a unit as for
    /// [`Fill::Whole`].
    pub most: (f64, f64),
    /// The same of the strays.
    pub strays: (f64, f64),
    /// One element in so many is a stray, each by itself. A power of two.
    pub one_in: u64,
    /// 0, or a power of two: floats are whole multiples of it. Integers are whole in any case.
    pub unit: f64,
}

impl Strays {
    /// True for the hash of a stray's position.
    pub(crate) fn chosen(&self, hash: u64) -> bool {
        hash & (self.one_in - 1) == 0
    }
}

/// Shared immutable bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Arc<[u8]>);

// Written by hand, because deriving would write every byte as an element of a sequence.
impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Bytes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(Arc::from(bytes)))
            }
            fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(Arc::from(bytes)))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut sequence: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::with_capacity(sequence.size_hint().unwrap_or(0).min(1 << 20));
                while let Some(byte) = sequence.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(Arc::from(bytes)))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

impl Bytes {
    /// The little-endian bytes of plain values.
    pub fn of<T: bytemuck::NoUninit>(values: &[T]) -> Self {
        Bytes(Arc::from(bytemuck::cast_slice::<T, u8>(values)))
    }
}

/// Device memory that a plan uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// The name a report uses: the kernel's parameter that it is, with its launch or kernel where several have one of that
    /// name. Learners know no other.
    pub name: String,
    /// Element type.
    pub element: Element,
    /// Extents, slowest first; their product is the number of elements.
    pub shape: Vec<usize>,
    /// Contents before the first step.
    pub fill: Fill,
}

impl Buffer {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }
    /// True for a buffer without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.len() * self.element.bytes()
    }
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    /// The address of a buffer's element.
    Buffer {
        /// Which buffer.
        buffer: BufferId,
        /// Offset in elements.
        offset: usize,
    },
    /// A scalar's little-endian bytes.
    Scalar(Vec<u8>),
    /// A null pointer.
    Null,
    /// A tensor map over all of a buffer, by value (`const __grid_constant__ CUtensorMap`); each device makes its own.
    TensorMap {
        /// Which buffer.
        buffer: BufferId,
        /// What the map says besides where its tensor is.
        tile: TensorTile,
    },
    /// The handle of a texture with all of a buffer for its texels (`cudaTextureObject_t`); each device makes its own.
    Texture {
        /// Which buffer.
        buffer: BufferId,
        /// How its elements are texels.
        layout: TexelLayout,
        /// How they are read.
        sampling: Sampling,
    },
    /// The handle of a surface with all of a buffer for its texels (`cudaSurfaceObject_t`); each device makes its own.
    Surface {
        /// Which buffer.
        buffer: BufferId,
        /// How its elements are texels.
        layout: TexelLayout,
    },
}

impl Argument {
    /// A buffer from its first element.
    pub fn buffer(buffer: BufferId) -> Self {
        Argument::Buffer { buffer, offset: 0 }
    }
    /// The buffer that the kernel is given by it, if it is one.
    pub fn of_buffer(&self) -> Option<BufferId> {
        match self {
            Argument::Buffer { buffer, .. }
            | Argument::TensorMap { buffer, .. }
            | Argument::Texture { buffer, .. }
            | Argument::Surface { buffer, .. } => Some(*buffer),
            Argument::Scalar(_) | Argument::Null => None,
        }
    }
    /// A plain value.
    pub fn scalar<T: bytemuck::NoUninit>(value: T) -> Self {
        Argument::Scalar(bytemuck::bytes_of(&value).to_vec())
    }
}

/// A kernel launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The kernel's `extern "C"` name.
    pub kernel: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Blocks of a cluster in x, y, z; `None`: as the kernel was compiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// A cooperative launch.
    pub cooperative: bool,
}

impl Launch {
    /// A launch without arguments and dynamic shared memory.
    pub fn new(kernel: &str, grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Launch {
            kernel: kernel.to_owned(),
            grid: grid.into().0,
            block: block.into().0,
            dynamic_shared: 0,
            arguments: Vec::new(),
            cluster: None,
            cooperative: false,
        }
    }
    /// Adds arguments: buffers, each from its first element.
    pub fn buffers(mut self, buffers: impl IntoIterator<Item = BufferId>) -> Self {
        self.arguments.extend(buffers.into_iter().map(Argument::buffer));
        self
    }
    /// Adds arguments that the kernel takes as `int`: sizes and indices.
    ///
    /// # Panics
    /// If one is greater than an `int` can be.
    pub fn ints(mut self, values: impl IntoIterator<Item = usize>) -> Self {
        let int = |value| Argument::scalar(i32::try_from(value).expect("a size that an int can be"));
        self.arguments.extend(values.into_iter().map(int));
        self
    }
    /// Adds an argument.
    pub fn argument(mut self, argument: Argument) -> Self {
        self.arguments.push(argument);
        self
    }
    /// Asks for dynamic shared memory in bytes.
    ///
    /// # Panics
    /// If it is more than four gigabytes.
    pub fn dynamic_shared(self, bytes: usize) -> Self {
        Launch { dynamic_shared: u32::try_from(bytes).expect("a size of shared memory"), ..self }
    }
}

/// Extents in x, y, z, as CUDA's `dim3`: those that are not given are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3(pub [u32; 3]);

impl<const N: usize> From<[usize; N]> for Dim3 {
    /// # Panics
    /// If there are more than three, or one is greater than 2³² − 1.
    fn from(given: [usize; N]) -> Self {
        let mut extents = [1; 3];
        for (extent, given) in extents[..N].iter_mut().zip(given) {
            *extent = u32::try_from(given).expect("an extent of a grid");
        }
        Dim3(extents)
    }
}

impl From<usize> for Dim3 {
    /// # Panics
    /// If it is greater than 2³² − 1.
    fn from(x: usize) -> Self {
        Dim3::from([x])
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// Write a module's global or constant variable.
    SetGlobal {
        /// Its `extern "C"` or plain name.
        name: String,
        /// What it holds, for whoever shows it.
        element: Element,
        /// Its new bytes.
        bytes: Bytes,
    },
    /// Read a module's global or constant variable back, as what a buffer holds.
    ReadGlobal {
        /// Its `extern "C"` or plain name.
        name: String,
        /// The buffer, as long as the variable.
        into: BufferId,
    },
    /// Launch a kernel of the module under test.
    Launch(Launch),
    /// Do some steps several times.
    Repeat {
        /// How often.
        times: u32,
        /// What.
        steps: Vec<Step>,
    },
    /// Read a buffer back as an output of the plan.
    ReadBack(BufferId),
}

/// What an output must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// The buffer read back.
    pub buffer: BufferId,
    /// Only these elements, or all. A product is always a whole buffer.
    pub range: Option<Range<usize>>,
    /// What it must be.
    pub expected: Expected,
}

/// Where a right output comes from, and how close is right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expected {
    /// Elements that the plan lists, same element type and count as the buffer (or as the range).
    Elements {
        /// Their bytes.
        values: Bytes,
        /// How close.
        tolerance: Tolerance,
    },
    /// The product of two matrices; it is verified, not listed (`crate::product` says how).
    Product(Product),
    /// What the exercise's trusted reference kernel gives for the same inputs, computed on the same GPU after
    /// the kernel under test has ended. Only for cases that run on nothing but a GPU.
    Reference {
        /// How close.
        tolerance: Tolerance,
    },
}

/// C = A·B, row-major: C has m rows of n, A has m rows of k, B has k rows of n. Floats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Product {
    /// A.
    pub a: BufferId,
    /// B.
    pub b: BufferId,
    /// m, n, k.
    pub extents: [usize; 3],
    /// Greatest relative error of one addition: [`SINGLE`], or [`TENSOR`] for tensor cores that
    /// add up in single precision.
    pub unit: f64,
}

/// Half a unit in the last place of `float`: 2⁻²⁴.
pub const SINGLE: f64 = 1.0 / (1u64 << 24) as f64;
/// For sums that tensor cores make in `float`. They align the products of one instruction and cut them off
/// instead of rounding, so that errors all point to zero: allowed is 16 times [`SINGLE`], still 500 times
/// less than a sum in `half` errs.
pub const TENSOR: f64 = 16.0 * SINGLE;

/// How close an output must be to what is expected. NaN equals only NaN, and only under
/// `Exact` bits or `nan_equal`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Tolerance {
    /// Same value (−0 equals +0; NaN equals NaN).
    Exact,
    /// |got − expected| ≤ absolute + relative · |expected|; infinities must be equal.
    Close {
        /// Absolute part.
        absolute: f64,
        /// Relative part.
        relative: f64,
    },
}

/// Everything a device must do for one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Device memory.
    pub buffers: Vec<Buffer>,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// The steps that are timed, as a range of indices into `steps`.
    pub timed: Range<usize>,
    /// What the outputs must be.
    pub expectations: Vec<Expectation>,
    /// Bytes that the timed steps must move at the least: no time below what these take is believed. 0 where nothing is
    /// timed.
    pub minimum_bytes: u64,
    /// Arithmetic takes longer than moving those bytes, so that no share of memory's speed is claimed.
    pub is_compute_bound: bool,
}

impl Plan {
    /// An empty plan.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a buffer.
    pub fn buffer(&mut self, name: &str, element: Element, shape: &[usize], fill: Fill) -> BufferId {
        self.buffers.push(Buffer { name: name.to_owned(), element, shape: shape.to_vec(), fill });
        BufferId(self.buffers.len() - 1)
    }
    /// What the next launch's parameter is called where buffers of other launches have it too: `launch 2's out`.
    pub fn of_next_launch(&self, parameter: &str) -> String {
        let before = self.steps.iter().filter(|step| matches!(step, Step::Launch(_))).count();
        format!("launch {}'s {parameter}", before + 1)
    }
    /// Adds a launch and marks it as timed (timed steps must be consecutive).
    pub fn launch(&mut self, launch: Launch) {
        if self.timed.is_empty() {
            self.timed = self.steps.len()..self.steps.len();
        }
        self.steps.push(Step::Launch(launch));
        self.timed.end = self.steps.len();
    }
    /// Adds a global variable's value.
    pub fn set_global(&mut self, name: &str, element: Element, bytes: Bytes) {
        self.steps.push(Step::SetGlobal { name: name.to_owned(), element, bytes });
    }
    /// Reads a buffer back and says what it must be.
    pub fn expect(&mut self, buffer: BufferId, values: Bytes, tolerance: Tolerance) {
        self.expect_that(buffer, Expected::Elements { values, tolerance });
    }
    /// Reads a buffer back and says what some of its elements must be; the others may be anything.
    pub fn expect_range(
        &mut self,
        buffer: BufferId,
        range: Range<usize>,
        values: Bytes,
        tolerance: Tolerance,
    ) {
        self.expect(buffer, values, tolerance);
        if let Some(expectation) = self.expectations.last_mut() {
            expectation.range = Some(range);
        }
    }
    /// Reads C back and asks that it be A·B, as close as single precision gets in any order of summation;
    /// `extents` are m, n, k. A and B must have contents that are not changed; for sharp bounds take
    /// `Fill::Random` with `low = -high`.
    pub fn expect_product(&mut self, c: BufferId, a: BufferId, b: BufferId, extents: [usize; 3]) {
        self.expect_that(c, Expected::Product(Product { a, b, extents, unit: SINGLE }));
    }
    /// Reads a buffer back and asks that it be what the exercise's reference kernel gives. For cases that run
    /// on nothing but a GPU, so that no plan lists gigabytes.
    pub fn expect_reference(&mut self, buffer: BufferId, tolerance: Tolerance) {
        self.expect_that(buffer, Expected::Reference { tolerance });
    }
    /// The same plan with other random values: every seed is replaced by one that is made from it and a
    /// secret, so that equal seeds stay equal.
    pub fn reseeded(&self, secret: u64) -> Plan {
        let mut plan = self.clone();
        for buffer in &mut plan.buffers {
            if let Fill::Random { seed, .. } | Fill::Whole { seed, .. } | Fill::Strays(Strays { seed, .. }) =
                &mut buffer.fill
            {
                *seed = crate::fill::one_way(secret, *seed);
            }
        }
        plan
    }
    /// The same plan with inputs of which no element is a stray; for a proof that strays are needed.
    pub fn without_strays(&self) -> Plan {
        let mut plan = self.clone();
        for buffer in &mut plan.buffers {
            if let Fill::Strays(Strays { most, strays, .. }) = &mut buffer.fill {
                *strays = *most;
            }
        }
        plan
    }
    /// True for a buffer that a kernel only reads: it has contents other than zeros, and
    /// nothing is expected of it.
    pub fn is_input(&self, id: BufferId) -> bool {
        fn read_back(steps: &[Step], id: BufferId) -> bool {
            steps.iter().any(|step| match step {
                Step::ReadBack(read) | Step::ReadGlobal { into: read, .. } => *read == id,
                Step::Repeat { steps, .. } => read_back(steps, id),
                Step::SetGlobal { .. } | Step::Launch(_) => false,
            })
        }
        !matches!(self.buffers[id.0].fill, Fill::Uninitialized | Fill::Zeros) && !read_back(&self.steps, id)
    }
    /// Where this plan has the same buffer as another: one of its name, its type and its length.
    pub fn place_of(&self, same: &Buffer) -> Option<usize> {
        self.buffers.iter().position(|buffer| {
            buffer.name == same.name && buffer.element == same.element && buffer.len() == same.len()
        })
    }
    /// True if only a GPU's reference kernel knows what some output must be.
    pub fn needs_reference(&self) -> bool {
        self.expectations.iter().any(|each| matches!(each.expected, Expected::Reference { .. }))
    }
    /// Reads a buffer back and says what it must be.
    ///
    /// # Panics
    /// If a product's extents are not those of its buffers, or its elements are no floats.
    pub fn expect_that(&mut self, buffer: BufferId, expected: Expected) {
        if let Expected::Product(product) = &expected {
            let [m, n, k] = product.extents;
            for (id, elements) in [(buffer, m * n), (product.a, m * k), (product.b, k * n)] {
                let Buffer { name, element, .. } = &self.buffers[id.0];
                assert_eq!(self.buffers[id.0].len(), elements, "`{name}` of a {m} × {n} × {k} product");
                assert!(element.is_float(), "`{name}` of a product must be of floats, not {element:?}");
            }
        }
        self.steps.push(Step::ReadBack(buffer));
        self.expectations.push(Expectation { buffer, range: None, expected });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_values_are_new_and_equal_seeds_stay_equal() {
        let mut plan = Plan::new();
        let random = |seed| Fill::Random { seed, low: 0.0, high: 1.0 };
        let strays = Strays { seed: 1, most: (0.0, 0.0), strays: (1.0, 9.0), one_in: 4, unit: 1.0 };
        for (name, fill) in [
            ("a", random(1)),
            ("b", random(2)),
            ("a again", random(1)),
            ("z", Fill::Zeros),
            ("s", Fill::Strays(strays)),
        ] {
            plan.buffer(name, Element::F32, &[100], fill);
        }
        let contents = |plan: &Plan, index: usize| {
            crate::fill::contents(&plan.buffers[index]).expect("it has some").into_owned()
        };
        let [one, other] = [plan.reseeded(7), plan.reseeded(8)];
        assert_eq!(one, plan.reseeded(7));
        assert_eq!(contents(&one, 0), contents(&one, 2));
        assert_ne!(contents(&one, 0), contents(&one, 1));
        assert_ne!(contents(&one, 0), contents(&other, 0));
        assert_ne!(contents(&one, 0), contents(&plan, 0));
        assert_eq!(contents(&one, 3), [0; 400]);
        assert_ne!(contents(&one, 4), contents(&other, 4));
    }

    #[test]
    fn launches_are_put_together() {
        let (a, b) = (BufferId(0), BufferId(1));
        let short = Launch::new("kernel", [3, 2], 64).buffers([a, b]).ints([7]).dynamic_shared(16);
        let arguments = vec![Argument::buffer(a), Argument::buffer(b), Argument::scalar(7i32)];
        let long = Launch {
            kernel: "kernel".to_owned(),
            grid: [3, 2, 1],
            block: [64, 1, 1],
            dynamic_shared: 16,
            arguments,
            cluster: None,
            cooperative: false,
        };
        assert_eq!(short, long);
    }

    #[test]
    #[should_panic(expected = "`b` of a 2 × 3 × 4 product")]
    fn a_product_of_matrices_that_do_not_fit_is_refused() {
        let mut plan = Plan::new();
        let [a, b, c] = [("a", 8), ("b", 11), ("c", 6)]
            .map(|(name, elements)| plan.buffer(name, Element::F32, &[elements], Fill::Zeros));
        plan.expect_product(c, a, b, [2, 3, 4]);
    }
}
