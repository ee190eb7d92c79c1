//! A deterministic simulator for PTX that judges CUDA kernels.
//!
//! PTX text goes in; outputs, findings and exact counters come out. The same kernel, inputs and seed give the
//! same bytes on any machine and at any thread count.
//!
//! Three floors, each unaware of the one above: `ptx` parses text, `ir` is the compact typed operation set
//! that `decode` lowers it to once, and `exec` runs that warp by warp against `memory`, which owns
//! addresses, races, bounds and initialisation. The simulator knows no course, no driver and no terminal.

#![allow(clippy::needless_range_loop, reason = "a lane's number indexes several arrays at once")]

pub mod counters;
pub mod decode;
pub mod exec;
pub mod explore;
pub mod finding;
pub mod findings;
pub mod ir;
pub mod launch;
pub mod mangled;
pub mod memory;
pub mod occupancy;
pub mod profile;
pub mod ptx;
pub mod simulator;
pub mod source;

pub use counters::{Counters, LineCounters};
pub use explore::Schedules;
pub use finding::{Finding, Kind, Severity, Space};
pub use launch::{Argument, Launch, LaunchReport, Status};
pub use occupancy::{BlockNeeds, Occupancy, Resource};
pub use profile::Profile;
pub use simulator::{
    Contents, HostAccessError, Kernel, LaunchError, LoadError, Module, Simulator, StoredUndefined, Variable,
};
pub use source::Place;
