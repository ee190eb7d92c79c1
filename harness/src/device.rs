//! The two devices behind one call: a plan and compiled code go in, outputs and everything seen come out.
//!
//! Everything here is data in and data out, so that it can run in a worker: [`execute`] is what the worker
//! calls. It judges nothing; comparing outputs with what a plan expects is `compare`'s and `judge`'s work.

mod choice;
pub(crate) mod clock;
pub(crate) mod gpu;
mod no_gpu;
mod simulator;
pub mod timed;
pub mod worker;

use std::{collections::BTreeMap, fmt, ops::Range, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use warpsim::{Counters, Finding, Place, WorstRequest};

use crate::{
    plan::{BufferId, Bytes, Plan},
    report::{CaseStatus, KernelOccupancy},
    toolchain::GpuNeeds,
};

pub use choice::{Devices, NoDevice, gpus, profile};
pub use no_gpu::NoGpu;

/// What the learner asks for with `--device`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceChoice {
    /// The first GPU together with the simulator, or the simulator alone where there is no GPU.
    #[default]
    Auto,
    /// A GPU by its index (the first where none is given), together with the simulator.
    Gpu(Option<u32>),
    /// The simulator alone, as the named GPU (an H200 where none is given).
    Simulator(Option<String>),
}

/// The profile that `sim` means without a name.
pub const DEFAULT_PROFILE: &str = "h200";

impl DeviceChoice {
    /// What `--device` takes, for the help of a command.
    pub fn help() -> String {
        format!("Where to run: auto, gpu, gpu:N, sim or sim:PROFILE ({})", choice::profile_names())
    }
}

impl FromStr for DeviceChoice {
    type Err = DeviceChoiceError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        let wrong = || DeviceChoiceError { found: text.to_owned() };
        match (kind, rest) {
            ("auto", None) => Ok(DeviceChoice::Auto),
            ("gpu", None) => Ok(DeviceChoice::Gpu(None)),
            ("gpu", Some(index)) => {
                index.parse().map(|index| DeviceChoice::Gpu(Some(index))).map_err(|_| wrong())
            }
            ("sim", None) => Ok(DeviceChoice::Simulator(None)),
            ("sim", Some(profile)) if !profile.is_empty() => {
                Ok(DeviceChoice::Simulator(Some(profile.to_owned())))
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Auto => f.write_str("auto"),
            DeviceChoice::Gpu(None) => f.write_str("gpu"),
            DeviceChoice::Gpu(Some(index)) => write!(f, "gpu:{index}"),
            DeviceChoice::Simulator(None) => f.write_str("sim"),
            DeviceChoice::Simulator(Some(profile)) => write!(f, "sim:{profile}"),
        }
    }
}

/// A `--device` that means nothing.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("expected a device such as auto, gpu, gpu:1, sim or sim:t4, found `{found}`")]
pub struct DeviceChoiceError {
    found: String,
}

/// A GPU of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuInfo {
    /// The index that `gpu:N` names, in the driver's order.
    pub index: u32,
    /// `GPU-…`, what every later call chooses it by.
    pub uuid: String,
    /// The product name.
    pub name: String,
    /// Compute capability × 10.
    pub compute_capability: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// L2 cache in bytes.
    pub l2_bytes: u64,
    /// The CUDA version of the driver, e.g. 13000.
    pub driver_version: u32,
    /// True where kernels can read the worker's own host memory (HMM or address translation services).
    pub reads_host_memory: bool,
}

impl GpuInfo {
    /// What decides which compiler's code it runs.
    pub fn needs(&self) -> GpuNeeds {
        GpuNeeds { driver_version: self.driver_version, compute_capability: self.compute_capability }
    }
}

/// Where to execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The simulator.
    Simulator {
        /// The profile's name.
        profile: String,
        /// Threads; 0 for one per core. Changes no result.
        threads: usize,
        /// In which orders of warps and blocks findings are looked for.
        schedules: warpsim::Schedules,
        /// Whether each line's worst request to shared memory is kept.
        worst_requests: bool,
    },
    /// A GPU by its UUID.
    Gpu {
        /// `GPU-…`.
        uuid: String,
    },
}

/// Compiled code, as the devices need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// PTX that keeps the source's structure; it adds the findings that an optimiser hides.
    pub checked_ptx: String,
    /// Optimised PTX; must be clean by itself, and counters and outputs come from it.
    pub optimised_ptx: String,
    /// Machine code; empty where there is none, then a GPU compiles `optimised_ptx` itself.
    pub cubin: Bytes,
    /// Compute capability × 10 that `cubin` is for.
    pub architecture: u32,
    /// Lowered names of kernels and variables that plans call by another name.
    pub lowered_names: BTreeMap<String, String>,
    /// Registers per thread of each kernel, by its name in PTX, as the hardware's assembler counts them. What
    /// is not here is not known.
    pub registers: BTreeMap<String, u32>,
}

impl Code {
    /// The name in PTX of a kernel or variable that a plan names.
    pub fn lowered<'a>(&'a self, name: &'a str) -> &'a str {
        self.lowered_names.get(name).map_or(name, String::as_str)
    }
}

/// What the simulator runs of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passes {
    /// The checked and the optimised PTX, both in two environments.
    All,
    /// The same in the usual environment alone: what a cheat wins against.
    Usual,
    /// The optimised PTX alone, in the usual environment.
    Optimised,
    /// The checked PTX alone, in the usual environment: what can be run while the compiler still optimises.
    Checked,
}

/// One plan to execute, with its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// What to do. Expectations are not needed here.
    pub plan: Plan,
    /// The number of its case. The simulator draws a second environment by it, so that a case asked for alone
    /// meets the one that it meets among all.
    pub case: u64,
    /// Which passes the simulator makes.
    pub passes: Passes,
    /// Warp-level instructions that the simulator may execute.
    pub budget: u64,
    /// Seconds on the clock that a GPU may take.
    pub seconds: f64,
    /// What the costs are made from that the simulator's checked pass gives loads from shared memory
    /// (`device::clock`); without one, those that are documented.
    pub clock: Option<u64>,
}

/// What to execute, on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Where.
    pub target: Target,
    /// The code.
    pub code: Code,
    /// The plans, independent of each other.
    pub jobs: Vec<Job>,
    /// Seeds the bytes that guard bands and unwritten outputs hold on a GPU.
    pub secret: u64,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecutionStatus {
    /// Ran to its end.
    Finished,
    /// A fault in the kernel stopped it.
    Faulted(String),
    /// A GPU would refuse the launch, or did: the kernel does not take what the plan gives it. Nothing ran.
    Refused(String),
    /// A deadlock, the instruction budget or the time limit stopped it.
    Unfinished(String),
    /// The simulator lacks an instruction.
    Unsupported(String),
    /// The device or the judge could not do its work; says nothing about the kernel.
    Error(String),
    /// Not started, because an execution before it ended the worker. Ask again in a fresh one.
    NotStarted,
}

impl From<ExecutionStatus> for CaseStatus {
    fn from(status: ExecutionStatus) -> Self {
        match status {
            ExecutionStatus::Finished => CaseStatus::Finished,
            // Plans are the exercise's and right; a kernel that cannot be launched so
            // is not what was asked for.
            ExecutionStatus::Faulted(why) | ExecutionStatus::Refused(why) => CaseStatus::Faulted(why),
            ExecutionStatus::Unfinished(why) => CaseStatus::Unfinished(why),
            ExecutionStatus::Unsupported(why) => CaseStatus::Unsupported(why),
            ExecutionStatus::Error(why) => CaseStatus::JudgeError(why),
            ExecutionStatus::NotStarted => CaseStatus::Skipped("a case before it did not end".into()),
        }
    }
}

/// A buffer read back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Which.
    pub buffer: BufferId,
    /// All its bytes.
    pub bytes: Bytes,
    /// Byte ranges that hold nothing written: exact on the simulator, on a GPU what still holds the prefill.
    pub unwritten: Vec<Range<usize>>,
    /// Bytes among them that were written, but with values made from data that nothing
    /// wrote. Only on the simulator.
    pub undefined: Vec<warpsim::StoredUndefined>,
}

/// What executing one plan gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// How it ended.
    pub status: ExecutionStatus,
    /// What was read back, in the plan's order (the last reading of each buffer). On the simulator from the
    /// optimised PTX.
    pub outputs: Vec<Output>,
    /// The same from the checked PTX; empty on a GPU.
    pub checked_outputs: Vec<Output>,
    /// The same in another environment ([`warpsim::Environment`]): of the optimised PTX, and of the checked
    /// PTX. Whatever differs here differs for no reason that the kernel may have.
    pub outputs_elsewhere: Vec<Vec<Output>>,
    /// All that ran on the secret clock ([`Job::clock`]).
    pub clocked: Vec<Clocked>,
    /// Findings; on a GPU none but writes outside buffers, which its guard bands show.
    pub findings: Vec<Finding>,
    /// Counters summed over the launches; absent on a GPU.
    pub counters: Option<Counters>,
    /// Counters per line.
    pub lines: Vec<(Place, Counters)>,
    /// Of each line with bank conflicts the request with most of them, where that was asked for.
    pub worst_requests: Vec<WorstRequest>,
    /// How its kernels filled the GPU, each block size once; empty on a GPU.
    pub occupancy: Vec<KernelOccupancy>,
    /// What the kernel printed.
    pub printf: String,
    /// Guard bands found changed, in words, on a GPU.
    pub guard_violations: Vec<String>,
    /// Inputs that the kernel changed, in words.
    pub changed_inputs: Vec<String>,
}

/// What a plan gave on a clock that nobody could foretell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clocked {
    /// What was read back.
    pub outputs: Vec<Output>,
    /// Counters over all launches.
    pub counters: Counters,
    /// What the clock counted for one cycle of the usual one ([`warpsim::Environment::clock_rate`]).
    pub rate: u64,
}

impl Execution {
    /// An execution that gave nothing but its end.
    pub fn ended(status: ExecutionStatus) -> Self {
        Execution {
            status,
            outputs: Vec::new(),
            checked_outputs: Vec::new(),
            outputs_elsewhere: Vec::new(),
            clocked: Vec::new(),
            findings: Vec::new(),
            counters: None,
            lines: Vec::new(),
            worst_requests: Vec::new(),
            occupancy: Vec::new(),
            printf: String::new(),
            guard_violations: Vec::new(),
            changed_inputs: Vec::new(),
        }
    }
}

/// Executes every job and gives as many executions, in order. Never panics for anything that code or plans
/// do; a GPU that faults ends with [`ExecutionStatus::NotStarted`] for the jobs after it.
pub fn execute(request: &Request) -> Vec<Execution> {
    execute_and_tell(request, &|_, _| {})
}

/// As [`execute`]; on the simulator each job's execution is told with its number as soon as it has ended, in any order.
fn execute_and_tell(request: &Request, told: &(dyn Fn(usize, &Execution) + Sync)) -> Vec<Execution> {
    match &request.target {
        Target::Simulator { profile, threads, schedules, worst_requests } => {
            simulator::execute(request, profile, *threads, *schedules, *worst_requests, told)
        }
        Target::Gpu { uuid } => gpu::execute(request, uuid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_choices_read_back_as_written() {
        for text in ["auto", "gpu", "gpu:1", "sim", "sim:t4"] {
            assert_eq!(text.parse::<DeviceChoice>().expect(text).to_string(), text);
        }
        for text in ["", "cpu", "gpu:x", "sim:", "auto:1"] {
            assert!(text.parse::<DeviceChoice>().is_err(), "{text}");
        }
    }
}
