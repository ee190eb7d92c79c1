//! Why a machine has no GPU that can be used.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum NoGpu {
    /// Without these files the driver would find none, either.
    #[error("this machine has no NVIDIA device files (/dev/nvidiactl, /dev/dxg)")]
    DeviceFiles,
    /// Device files, and no driver.
    #[error("the NVIDIA driver's library (libcuda.so.1) is not on this machine")]
    Library,
    /// A driver that finds nothing.
    #[error("the NVIDIA driver finds none")]
    NoneFound,
    /// A driver that was renewed while the machine ran.
    #[error("the NVIDIA kernel module and library differ in version; restart the machine")]
    VersionsDiffer,
    /// A driver that gives up, in its words.
    #[error("the NVIDIA driver does not start ({0})")]
    DriverFails(String),
    /// A driver that does not describe its GPUs, in its words.
    #[error("{0}")]
    NotDescribed(String),
    /// The worker that asks the driver gave no answer.
    #[error("asking the driver failed: {0}")]
    NotAsked(String),
}

/// Why a worker cannot use the GPU that it was asked to use.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GpuUnusable {
    /// There is none at all.
    #[error("no GPU: {0}")]
    NoGpu(#[from] NoGpu),
    /// There are others.
    #[error("expected the GPU {uuid}, found {}", found.join(", "))]
    Missing {
        /// The one asked for.
        uuid: String,
        /// Those that there are.
        found: Vec<String>,
    },
    /// The driver's words.
    #[error("the GPU's context cannot be made: {0}")]
    NoContext(String),
    /// A worker never changes its GPU.
    #[error("this worker uses {used}, not {asked}")]
    Another {
        /// The one in use.
        used: String,
        /// The one asked for.
        asked: String,
    },
}
