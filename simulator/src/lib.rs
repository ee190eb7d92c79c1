#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Three floors, each unaware of the one above: `ptx` parses text, `ir` is the compact typed operation
//! set that `decode` lowers it to once, and `exec` runs that warp by warp against `memory`, which owns
//! addresses, races, bounds and initialisation. None of them is public. The simulator knows no course,
//! no driver and no terminal.

#![allow(clippy::needless_range_loop, reason = "a lane's number indexes several arrays at once")]

mod counters;
pub mod coverage;
mod decode;
mod environment;
mod exec;
mod finding;
mod findings;
mod footprint;
mod ir;
mod launch;
mod mangled;
mod memory;
mod module;
mod occupancy;
mod outline;
mod profile;
mod ptx;
mod refusal;
mod requests;
mod simulator;
mod source;
mod swizzle;
mod tensor_map;
mod texture;

#[doc(hidden)]
pub mod internals;

pub use counters::{Counters, LineCounters};
pub use environment::Environment;
pub use finding::{Allocation, Finding, FindingKind, Severity, Side, Space, Thread};
pub use footprint::Footprint;
pub use ir::Parameter;
pub use launch::{Argument, Launch, LaunchReport, LaunchStatus};
pub use module::{Kernel, LoadError, MOST_VARIABLE_BYTES, Module, Variable};
pub use occupancy::{BlockNeeds, Occupancy, Resource};
pub use outline::{Declaration, DeclaredParameter, Outline};
pub use profile::Profile;
pub use refusal::{LaunchError, MOST_THREADS_PER_BLOCK};
pub use requests::{RequestKind, ServedBank, Wavefront, WorstRequest};
pub use simulator::{
    AFFORDABLE_INSTRUCTIONS, Contents, HostAccessError, Schedules, Simulator, StoredUndefined,
};
pub use source::Place;
pub use swizzle::Swizzle;
pub use tensor_map::{OutsideFill, TensorElement, TensorMap, TensorMapError};
pub use texture::{Geometry, TexelElement, Texels, Texture, TextureAddressing, TextureError, TextureFilter};
