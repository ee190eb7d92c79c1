//! Whose fault a fault is: the kernel's, or the GPU's.
//!
//! A GPU that is lost, overheats its memory or is taken away makes the driver say what it says of a kernel
//! that writes where no memory is. So after every fault, and after every kernel that did not end, a kernel
//! that is known to be good runs on the same GPU, in a new process. If that fails too, nothing that the GPU
//! says counts against anybody.

use super::{Check, run::secret, speed::PROBES};
use crate::{
    device::{self, ExecutionStatus, GpuInfo, Job, Passes, Request, Target, worker::GpuSession},
    plan::{Argument, Element, Fill, Launch, Plan},
    toolchain::Toolchain,
};

/// Elements that the good kernel copies: enough for all multiprocessors to take part.
const ELEMENTS: usize = 1 << 20;
/// Elements in a word of the copy.
const ELEMENTS_PER_WORD: usize = 2;
const BLOCK: usize = 256;
/// Seconds that it may take. It takes microseconds.
const SECONDS: f64 = 10.0;

impl Check<'_> {
    /// Why the GPU is to blame for a kernel that faulted or did not end on it; none where the GPU is well.
    pub(super) fn broken(&self, toolchain: &Toolchain, gpu: &GpuInfo) -> Option<String> {
        let gone = |why: &str| Some(format!("{} went away while a kernel ran on it: {why}", gpu.name));
        match device::worker::gpus() {
            Ok(now) if now.iter().any(|other| other.uuid == gpu.uuid) => {}
            Ok(_) => return gone("the driver does not list it any more"),
            Err(why) => return gone(&why.to_string()),
        }
        let code = match self.trusted(toolchain, gpu, "probes.cu", PROBES) {
            Ok(code) => code,
            Err(stopped) => return Some(stopped.into_words()),
        };
        let (plan, wanted) = known_good();
        let execution = GpuSession::new().execute(Request {
            target: Target::Gpu { uuid: gpu.uuid.clone() },
            code,
            jobs: vec![Job { plan, case: 0, passes: Passes::All, budget: 0, seconds: SECONDS, clock: None }],
            secret: secret(),
        });
        let why = match execution.status {
            ExecutionStatus::Finished
                if execution.outputs.first().is_some_and(|output| output.bytes.0[..] == wanted) =>
            {
                return None;
            }
            ExecutionStatus::Finished => "its result is wrong".to_owned(),
            ExecutionStatus::Faulted(why)
            | ExecutionStatus::Refused(why)
            | ExecutionStatus::Unfinished(why)
            | ExecutionStatus::Unsupported(why)
            | ExecutionStatus::Error(why) => why,
            ExecutionStatus::NotStarted => "it did not start".to_owned(),
        };
        Some(format!(
            "a kernel failed on {}, and so does one that is known to be good: {why}. The GPU or its driver is broken; \
             `nvidia-smi` and the system's log may say more",
            gpu.name
        ))
    }
}

/// A copy that cannot fail, and the bytes that it must give.
fn known_good() -> (Plan, Vec<u8>) {
    let mut plan = Plan::new();
    let from = plan.buffer("from", Element::U64, &[ELEMENTS], Fill::Counting);
    let to = plan.buffer("to", Element::U64, &[ELEMENTS], Fill::Uninitialized);
    let words = ELEMENTS / ELEMENTS_PER_WORD;
    let launch = Launch::new("copy_words", words / BLOCK, BLOCK).buffers([to, from]);
    plan.launch(launch.argument(Argument::scalar(words as u64)));
    plan.steps.push(crate::plan::Step::ReadBack(to));
    (plan, (0..ELEMENTS as u64).flat_map(u64::to_le_bytes).collect())
}
