//! The run worker: executes plans in a process that may crash, hang or be killed.
//!
//! Two sides of one conversation: functions that the judge calls, and `handle`, which the worker's table
//! names. A worker serves either the simulator or one GPU, and is shut in for that.

use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use super::{
    Code, Execution, ExecutionStatus, GpuInfo, NoGpu, Request, Target, execute, execute_and_tell, gpu,
    timed::{self, Ready, Sampled, Setup},
};
use crate::{
    measure::MeasurementStop,
    plan::{Fill, Plan, Step},
    worker::{
        Answer, Limits, Payload, SandboxStatus, ServeError, Worker, WorkerFailure, WorkerKind, confine,
        sandbox::Policy, standby, tell,
    },
};

/// Held by all that simulate within their share of this machine's memory, and by one alone that may have all of it.
static MEMORY: RwLock<()> = RwLock::new(());

/// Private memory of a worker that simulates, in bytes.
pub const SIMULATOR_MEMORY: u64 = 6 << 30;
/// Processor seconds of a worker that simulates, all threads together: ten times what the most laborious right kernel of
/// the course takes (16's barrier objects), for a machine with many shared cores takes three times as long for the same.
/// Budgets end what never ends; this ends what makes every instruction dear.
const SIMULATOR_CPU_SECONDS: u64 = 120;
/// Seconds on the clock for all cases on the simulator; each has an instruction budget far below this.
const SIMULATOR_WALL_SECONDS: u64 = 300;
/// The first case, the other small ones, the large ones.
const SIMULATORS_READY: usize = 3;
/// A context takes some hundred megabytes of a GPU's memory for as long as it is there.
const GPUS_READY: usize = 1;
/// Private memory of a worker that uses a GPU: not limited. Its host code is trusted, and the driver
/// reserves far more than it uses.
const GPU_MEMORY: u64 = u64::MAX;
/// Processor seconds of a worker that uses a GPU.
const GPU_CPU_SECONDS: u64 = 3600;
/// Seconds that a timed sample may take, with the kernel's own limit and the reference kernel's.
const SAMPLE_SECONDS: f64 = 60.0;
/// Seconds beyond a job's own limit for the context, the copies and the fills.
const GPU_EXTRA_SECONDS: u64 = 60;

/// What a worker of a GPU warms up on: the driver makes machine code of it, so that whatever it opens for that is open
/// before the worker is shut in. It is ours, it does nothing, and it is loaded and never launched. Any GPU that the
/// pinned compilers make code for takes it.
const WARM_UP: &str =
    ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry warm_up()\n{\n  ret;\n}\n";

#[derive(Serialize, Deserialize)]
enum Ask {
    Gpus,
    Execute(Request),
    /// The same on the simulator, and told of each execution as soon as it has ended: its job's number with it.
    ExecuteAndTell(Request),
    Prepare(Box<Setup>),
    Sample(timed::Ask),
}

#[derive(Serialize, Deserialize)]
enum Told {
    Gpus(Result<Vec<GpuInfo>, NoGpu>),
    Executed(Vec<Execution>),
    Prepared(Result<Ready, MeasurementStop>),
    Sampled(Result<Sampled, MeasurementStop>),
}

/// The GPUs of this machine.
///
/// # Errors
/// Why there is none, or why the driver cannot be asked.
pub fn gpus() -> Result<Vec<GpuInfo>, NoGpu> {
    let limits = Limits::gpu(GPU_MEMORY, 60, 60);
    match crate::worker::call(WorkerKind::Run, &Ask::Gpus, &limits) {
        Ok(Told::Gpus(gpus)) => gpus,
        Ok(_) => Err(NoGpu::NotAsked("the worker answered something else".to_owned())),
        Err(failure) => Err(NoGpu::NotAsked(failure.to_string())),
    }
}

/// Executes on the simulator in a fresh worker: as many executions as jobs, and how the worker was shut in,
/// unless it ended before it could say.
pub fn simulate(request: Request) -> (Vec<Execution>, Option<SandboxStatus>) {
    let limits = Limits::simulate(SIMULATOR_MEMORY, SIMULATOR_CPU_SECONDS, SIMULATOR_WALL_SECONDS);
    simulate_within(&limits.shared(), request)
}

/// As [`simulate`]; `told` gets each job's number and its execution as soon as that has ended, in any order. What it gets is
/// no answer yet: of jobs behind one that does not end the answer says that they were not begun.
pub fn simulate_and_tell(
    request: Request,
    told: &mut dyn FnMut(usize, Execution),
) -> (Vec<Execution>, Option<SandboxStatus>) {
    let limits = Limits::simulate(SIMULATOR_MEMORY, SIMULATOR_CPU_SECONDS, SIMULATOR_WALL_SECONDS);
    simulated(&limits.shared(), request, Some(told))
}

/// As [`simulate`], within limits of the caller's.
pub fn simulate_within(limits: &Limits, request: Request) -> (Vec<Execution>, Option<SandboxStatus>) {
    simulated(limits, request, None)
}

fn simulated(
    limits: &Limits,
    request: Request,
    mut told: Option<&mut dyn FnMut(usize, Execution)>,
) -> (Vec<Execution>, Option<SandboxStatus>) {
    let jobs = request.jobs.len();
    let all = |status: ExecutionStatus| vec![Execution::ended(status); jobs];
    let nonsense = || all(ExecutionStatus::Error("the worker answered something else".to_owned()));
    standby::want(WorkerKind::Run, limits, SIMULATORS_READY, || {
        Ask::Execute(Request {
            target: request.target.clone(),
            code: Code::default(),
            jobs: Vec::new(),
            secret: 0,
        })
    });
    let mut ask = match told {
        Some(_) => Ask::ExecuteAndTell(request),
        None => Ask::Execute(request),
    };
    let mut hear = |part: Payload| {
        if let (Some(told), Ok((job, execution))) = (&mut told, part.value::<(usize, Execution)>())
            && job < jobs
        {
            told(job, execution);
        }
    };
    let mut call = |ask: &Ask, limits: &Limits| -> Result<Answer<Told>, WorkerFailure> {
        crate::worker::begin(WorkerKind::Run, ask, &[], limits)?.answer_in_parts(&mut hear)
    };
    let share = MEMORY.read().unwrap_or_else(PoisonError::into_inner);
    let mut answer = call(&ask, limits);
    drop(share);
    if let (
        Err(WorkerFailure::OutOfMemory { .. } | WorkerFailure::ShortOfMemory { .. }),
        Ask::Execute(Request { target, .. }) | Ask::ExecuteAndTell(Request { target, .. }),
    ) = (&answer, &mut ask)
        && let Target::Simulator { threads, .. } = target
    {
        // The more threads this machine has, the more blocks and cases are in memory at once, and the more workers, the
        // less memory each has. That says nothing of the kernel; with one thread and one worker it is the same everywhere.
        *threads = 1;
        let _all = MEMORY.write().unwrap_or_else(PoisonError::into_inner);
        answer = call(&ask, &limits.alone());
    }
    match answer {
        Ok(Answer { value: Told::Executed(executions), sandbox, .. }) if executions.len() == jobs => {
            (executions, Some(sandbox))
        }
        Ok(Answer { sandbox, .. }) => (nonsense(), Some(sandbox)),
        Err(failure) => (all(status_of(&failure)), None),
    }
}

/// About how many bytes a plan's buffers take in a worker that simulates it, before any thread runs.
pub fn simulated_bytes(plan: &Plan) -> u64 {
    fn read_back(steps: &[Step], id: usize) -> bool {
        steps.iter().any(|step| match step {
            Step::ReadBack(read) | Step::ReadGlobal { into: read, .. } => read.0 == id,
            Step::Repeat { steps, .. } => read_back(steps, id),
            _ => false,
        })
    }
    let each = plan.buffers.iter().enumerate().map(|(id, buffer)| {
        let bytes = buffer.bytes() as u64;
        // The memory itself and, for each word, which of its bytes are initialised.
        let memory = bytes + bytes / 4;
        let filling = match buffer.fill {
            Fill::Uninitialized => 0,
            // As it came and as it was understood.
            Fill::Data(_) => 2 * bytes,
            Fill::Zeros
            | Fill::Repeated(_)
            | Fill::Counting
            | Fill::Random { .. }
            | Fill::Whole { .. }
            | Fill::Strays(_) => bytes,
        };
        // Both passes keep theirs, and the answer is written from them.
        let output = if read_back(&plan.steps, id) { 4 * bytes } else { 0 };
        memory + filling.max(output)
    });
    each.fold(0, u64::saturating_add)
}

/// What a simulator's worker that gave no answer says of the kernel. Every case has an instruction budget and
/// buffers that fit, so honest kernels never meet these limits; it would be a way out of a failing grade if
/// they were the judge's failure.
fn status_of(failure: &WorkerFailure) -> ExecutionStatus {
    let unfinished = |limit: String| {
        ExecutionStatus::Unfinished(format!(
            "the simulator was stopped after {limit}, all cases together. The kernel makes it work harder for each \
             instruction than any of the course does; try fewer threads or smaller arrays per thread"
        ))
    };
    match failure {
        WorkerFailure::OutOfMemory { limit_bytes } => ExecutionStatus::Unfinished(format!(
            "the simulator needed more than {} MB. Beside the buffers it keeps every local array as far as it was written to, \
             for all threads of the blocks that run, and who touched which word last. The kernel makes it keep more than any \
             of the course does; try fewer threads or smaller arrays per thread",
            limit_bytes / 1_000_000
        )),
        WorkerFailure::CpuLimit { limit_seconds } => {
            unfinished(format!("{limit_seconds} s of processor time"))
        }
        // Who had a processor all the time was not waiting for this machine.
        WorkerFailure::WallLimit { limit_seconds, cpu_seconds } if 2 * cpu_seconds >= *limit_seconds => {
            unfinished(format!("{limit_seconds} s"))
        }
        failure => ExecutionStatus::Error(failure.to_string()),
    }
}

/// A GPU's worker, kept from job to job while nothing goes wrong in it.
pub struct GpuSession {
    worker: Option<Worker>,
    sandbox: Option<SandboxStatus>,
}

impl Default for GpuSession {
    fn default() -> Self {
        GpuSession::new()
    }
}

impl GpuSession {
    /// A session without a worker yet.
    pub fn new() -> Self {
        GpuSession { worker: None, sandbox: None }
    }

    /// How the worker was shut in when it last answered; none before it has.
    pub fn sandbox(&self) -> Option<&SandboxStatus> {
        self.sandbox.as_ref()
    }

    /// Executes one job. Whatever it does to its worker, the next call works.
    pub fn execute(&mut self, request: Request) -> Execution {
        let seconds = request.jobs.iter().map(|job| job.seconds).fold(0.0, f64::max);
        match self.ask(&Ask::Execute(request), seconds) {
            Ok((Told::Executed(mut executions), output)) if executions.len() == 1 => {
                // There is exactly one.
                let mut execution = executions.remove(0);
                execution.printf.push_str(&output);
                if execution.status != ExecutionStatus::Finished {
                    // A fault poisons the context, a hanging kernel never leaves it.
                    self.worker = None;
                }
                execution
            }
            Ok(_) => {
                Execution::ended(ExecutionStatus::Error("the worker answered something else".to_owned()))
            }
            // The kernel's own deadline is kept inside the worker. A worker that is late beyond it waits for
            // the driver or for this machine.
            Err(failure) => Execution::ended(ExecutionStatus::Error(failure.to_string())),
        }
    }

    /// Makes this session's worker ready to take samples. It starts a fresh one: a context of its own.
    ///
    /// # Errors
    /// What stopped it.
    pub fn prepare(&mut self, setup: Setup) -> Result<Ready, MeasurementStop> {
        self.worker = None;
        match self.asked(&Ask::Prepare(Box::new(setup)), SAMPLE_SECONDS)? {
            Told::Prepared(Ok(ready)) => Ok(ready),
            Told::Prepared(Err(stopped)) => Err(self.over(stopped)),
            _ => Err(MeasurementStop::Judge("the worker answered something else".to_owned())),
        }
    }

    /// Takes one sample; the session must be prepared.
    ///
    /// # Errors
    /// What stopped it. Then the session must be prepared again.
    pub fn sample(&mut self, ask: timed::Ask) -> Result<Sampled, MeasurementStop> {
        if self.worker.is_none() {
            return Err(MeasurementStop::Judge("expected a prepared worker, found none".to_owned()));
        }
        match self.asked(&Ask::Sample(ask), SAMPLE_SECONDS)? {
            Told::Sampled(Ok(sampled)) => Ok(sampled),
            Told::Sampled(Err(stopped)) => Err(self.over(stopped)),
            _ => Err(MeasurementStop::Judge("the worker answered something else".to_owned())),
        }
    }

    fn asked(&mut self, ask: &Ask, seconds: f64) -> Result<Told, MeasurementStop> {
        self.ask(ask, seconds)
            .map(|(told, _)| told)
            .map_err(|failure| MeasurementStop::Judge(failure.to_string()))
    }

    /// A worker in which something went wrong is not used again.
    fn over(&mut self, stopped: MeasurementStop) -> MeasurementStop {
        self.worker = None;
        stopped
    }

    fn ask(&mut self, ask: &Ask, seconds: f64) -> Result<(Told, String), WorkerFailure> {
        let limits = Limits::gpu(GPU_MEMORY, GPU_CPU_SECONDS, seconds.ceil() as u64 + GPU_EXTRA_SECONDS);
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => {
                standby::settle();
                match ready(ask, &limits) {
                    Some(worker) => worker,
                    None => Worker::start(WorkerKind::Run, &limits)?,
                }
            }
        };
        let Answer { value, sandbox, output, .. } = worker.ask(ask, &[])?;
        self.sandbox = Some(sandbox);
        self.worker = Some(worker);
        Ok((value, output))
    }
}

/// A worker whose context is made already and that no kernel has run in, where the calling thread keeps one ready. What
/// is timed gets none: its worker is started for it.
fn ready(ask: &Ask, limits: &Limits) -> Option<Worker> {
    let Ask::Execute(Request { target, .. }) = ask else { return None };
    standby::want(WorkerKind::Run, limits, GPUS_READY, || {
        Ask::Execute(Request {
            target: target.clone(),
            code: Code { optimised_ptx: WARM_UP.to_owned(), ..Code::default() },
            jobs: Vec::new(),
            secret: 0,
        })
    });
    standby::take(WorkerKind::Run, limits)
}

/// What the worker does.
pub(crate) fn handle(payload: Payload) -> Result<Payload, ServeError> {
    let told = match payload.value()? {
        Ask::Gpus => Told::Gpus(gpu::gpus()),
        Ask::Execute(request) => {
            match &request.target {
                // Before the first thread is started: threads that exist already would stay free.
                Target::Simulator { .. } => {
                    confine(&Policy::nothing())?;
                }
                Target::Gpu { uuid } => {
                    // The driver's files must be open first. What stops it here stops `execute` in words.
                    let _ = gpu::open(uuid, &request.code);
                    confine(&Policy::gpu())?;
                }
            }
            Told::Executed(execute(&request))
        }
        Ask::ExecuteAndTell(request) => {
            confine(&Policy::nothing())?;
            Told::Executed(execute_and_tell(&request, &|job, execution| tell(&(job, execution))))
        }
        Ask::Prepare(setup) => {
            let _ = gpu::open(&setup.uuid, &setup.code);
            confine(&Policy::gpu())?;
            Told::Prepared(gpu::prepare(*setup))
        }
        Ask::Sample(ask) => Told::Sampled(gpu::sample(&ask)),
    };
    Ok(Payload::new(&told, Vec::new())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gpu_warms_up_on_is_a_kernel_that_does_nothing() {
        let module = warpsim::Module::load(WARM_UP).expect("PTX");
        let kernels: Vec<_> = module.kernels().map(|kernel| (kernel.name, kernel.parameters.len())).collect();
        assert_eq!(kernels, [("warm_up".to_owned(), 0)]);
    }

    #[test]
    fn work_without_end_is_the_kernels_and_waiting_is_the_machines() {
        let late = |cpu_seconds| WorkerFailure::WallLimit { limit_seconds: 300, cpu_seconds };
        let large = WorkerFailure::OutOfMemory { limit_bytes: SIMULATOR_MEMORY };
        for failure in [WorkerFailure::CpuLimit { limit_seconds: 600 }, late(590), late(150), large] {
            assert!(matches!(status_of(&failure), ExecutionStatus::Unfinished(_)), "{failure}");
        }
        let short = WorkerFailure::ShortOfTime { allowed_seconds: 1, limit_seconds: 600 };
        let little = WorkerFailure::ShortOfMemory { allowed_bytes: 1, limit_bytes: SIMULATOR_MEMORY };
        for failure in [late(149), late(0), WorkerFailure::Killed, short, little] {
            assert!(matches!(status_of(&failure), ExecutionStatus::Error(_)), "{failure}");
        }
    }
}
