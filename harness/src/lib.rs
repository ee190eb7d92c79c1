//! What an exercise is, the two devices, the compiler, the workers and their sandbox, measuring and judging.
//!
//! One check, as data sees it: `compiler` turns a kernel into checked PTX, optimised PTX and a cubin; the
//! [`exercise`] makes a [`plan`] for each case and seed; a device executes it; the judge writes a [`report`].

pub mod compare;
pub mod compiler;
pub mod device;
pub mod exercise;
pub mod fill;
pub mod judge;
pub mod measure;
pub mod npy;
pub mod plan;
pub mod product;
pub mod report;
pub(crate) mod source;
pub mod tensor;
pub mod texture;
pub mod toolchain;
pub mod traffic;
pub mod worker;
