//! The run worker: executes plans in a process that may crash, hang or be killed.
//!
//! Two sides of one conversation: functions that the judge calls, and `handle`, which the worker's table names.
//! A worker serves either the simulator or one GPU, and is shut in for that.

use serde::{Deserialize, Serialize};

use super::{Execution, GpuInfo, Request, Status, Target, execute, gpu};
use crate::{
    measure::{self, Measured},
    worker::{Answer, Kind, Limits, Payload, SandboxStatus, Worker, WorkerFailure, confine, sandbox::Policy},
};

/// Private memory of a worker that simulates.
const SIMULATOR_MEMORY: u64 = 6 << 30;
/// Processor seconds of a worker that simulates, all threads together.
const SIMULATOR_CPU_SECONDS: u64 = 600;
/// Seconds on the clock for all cases on the simulator; each has an instruction budget far below this.
const SIMULATOR_WALL_SECONDS: u64 = 300;
/// Private memory of a worker that uses a GPU: not limited. Its host code is trusted, and the driver reserves far more
/// than it uses.
const GPU_MEMORY: u64 = u64::MAX;
/// Processor seconds of a worker that uses a GPU.
const GPU_CPU_SECONDS: u64 = 3600;
/// Seconds beyond a job's own limit for the context, the copies and the fills.
const GPU_EXTRA_SECONDS: u64 = 60;

#[derive(Serialize, Deserialize)]
enum Ask {
    Gpus,
    Execute(Request),
    Measure(Box<measure::Request>),
}

#[derive(Serialize, Deserialize)]
enum Told {
    Gpus(Result<Vec<GpuInfo>, String>),
    Executed(Vec<Execution>),
    Measured(Result<Measured, measure::Stopped>),
}

/// The GPUs of this machine.
///
/// # Errors
/// Why there is none, or why the driver cannot be asked, in words.
pub fn gpus() -> Result<Vec<GpuInfo>, String> {
    let limits = Limits::gpu(GPU_MEMORY, 60, 60);
    match crate::worker::call(Kind::Run, &Ask::Gpus, &limits) {
        Ok(Told::Gpus(gpus)) => gpus,
        Ok(_) => Err("the worker answered something else".to_owned()),
        Err(failure) => Err(format!("no GPU: asking the driver failed: {failure}")),
    }
}

/// Executes on the simulator in a fresh worker: as many executions as jobs, and how the worker was shut in, unless it
/// ended before it could say.
pub fn simulate(request: Request) -> (Vec<Execution>, Option<SandboxStatus>) {
    let jobs = request.jobs.len();
    let limits = Limits::simulate(SIMULATOR_MEMORY, SIMULATOR_CPU_SECONDS, SIMULATOR_WALL_SECONDS);
    let failed = |why: String| vec![Execution::ended(Status::Error(why)); jobs];
    match crate::worker::call_with(Kind::Run, &Ask::Execute(request), &[], &limits) {
        Ok(Answer { value: Told::Executed(executions), sandbox, .. }) if executions.len() == jobs => {
            (executions, Some(sandbox))
        }
        Ok(Answer { sandbox, .. }) => {
            (failed("the worker answered something else".to_owned()), Some(sandbox))
        }
        Err(failure) => (failed(failure.to_string()), None),
    }
}

/// A GPU's worker, kept from job to job while nothing goes wrong in it.
pub struct GpuSession {
    worker: Option<Worker>,
    /// How the worker was shut in when it last answered.
    pub sandbox: Option<SandboxStatus>,
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

    /// Executes one job. Whatever it does to its worker, the next call works.
    pub fn execute(&mut self, request: Request) -> Execution {
        let seconds = request.jobs.iter().map(|job| job.seconds).fold(0.0, f64::max);
        match self.ask(&Ask::Execute(request), seconds) {
            Ok((Told::Executed(mut executions), output)) if executions.len() == 1 => {
                // There is exactly one.
                let mut execution = executions.remove(0);
                execution.printf.push_str(&output);
                if execution.status != Status::Finished {
                    // A fault poisons the context, a hanging kernel never leaves it.
                    self.worker = None;
                }
                execution
            }
            Ok(_) => Execution::ended(Status::Error("the worker answered something else".to_owned())),
            Err(WorkerFailure::WallLimit { .. }) => Execution::ended(Status::Unfinished(format!(
                "it did not end within {seconds} s on the GPU, and its worker had to be killed"
            ))),
            Err(failure) => Execution::ended(Status::Error(failure.to_string())),
        }
    }

    /// Times a kernel against its baseline.
    ///
    /// # Errors
    /// What stopped it.
    pub fn measure(&mut self, request: measure::Request) -> Result<Measured, measure::Stopped> {
        let seconds = request.limits.seconds;
        // Filling, uploading and checking take longer than the samples.
        let asked = self.ask(&Ask::Measure(Box::new(request)), 10.0 * seconds + 120.0);
        match asked {
            Ok((Told::Measured(Ok(measured)), _)) => Ok(measured),
            Ok((Told::Measured(Err(stopped)), _)) => {
                self.worker = None;
                Err(stopped)
            }
            Ok(_) => Err(measure::Stopped::Judge("the worker answered something else".to_owned())),
            Err(failure) => Err(measure::Stopped::Judge(failure.to_string())),
        }
    }

    fn ask(&mut self, ask: &Ask, seconds: f64) -> Result<(Told, String), WorkerFailure> {
        let limits = Limits::gpu(GPU_MEMORY, GPU_CPU_SECONDS, seconds.ceil() as u64 + GPU_EXTRA_SECONDS);
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(Kind::Run, &limits)?,
        };
        let Answer { value, sandbox, output, .. } = worker.ask(ask, &[])?;
        self.sandbox = Some(sandbox);
        self.worker = Some(worker);
        Ok((value, output))
    }
}

/// What the worker does.
pub(crate) fn handle(payload: Payload) -> Result<Payload, String> {
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
        Ask::Measure(request) => {
            let _ = gpu::open(&request.uuid, &request.kernel);
            confine(&Policy::gpu())?;
            Told::Measured(gpu::measure(&request))
        }
    };
    Payload::new(&told, Vec::new())
}
