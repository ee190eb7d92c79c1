//! Whose turn it is, where several checks share a machine: cores for what is simulated, a GPU for what is timed.
//!
//! A GPU times one kernel at a time, so a check asks for its turn when it comes to that, and not before: until then it
//! keeps no GPU from others. Who hands out turns knows the machine; the judge only waits.

use std::{any::Any, fmt};

use crate::device::GpuInfo;

/// Hands out turns.
pub trait Turns: fmt::Debug + Send + Sync {
    /// Waits for a core to compile and simulate on. It is free again when what is given is dropped.
    fn core(&self) -> Box<dyn Any>;

    /// Waits for a GPU.
    ///
    /// # Errors
    /// Why there is none any more, in words.
    fn gpu(&self) -> Result<GpuTurn, String>;
}

/// A turn at a GPU: nobody else has one there until this is dropped.
#[derive(Debug)]
pub struct GpuTurn {
    /// Which one.
    pub gpu: GpuInfo,
    /// What ends the turn when it is dropped.
    pub end: Box<dyn Any>,
}
