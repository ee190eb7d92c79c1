//! The options that say how to launch a kernel, from text to data.
//!
//! `grader run` takes them on its command line, and a kernel that is a test carries them in its header; here is
//! the one grammar of both. Knows types and shapes, neither files nor devices: who launches makes buffers of it.

mod element;
mod error;
mod header;
mod specification;
mod texture;

pub use element::{Element, number};
pub use error::OptionError;
pub use header::Header;
pub use specification::{
    ByteSource, Extent, Fill, GlobalFill, Save, Saved, Specification, TensorTile, counted,
};
pub use texture::{AddressMode, Sampling, TexelLayout};
