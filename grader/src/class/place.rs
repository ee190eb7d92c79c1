//! Where a class is judged: devices, compiler and sandbox of this machine, and what they have in common with the
//! results that are there already.

use std::{fs, num::NonZeroUsize, thread};

use harness::{
    compiler::{self, CompileRequest},
    device::{DeviceChoice, Devices, GpuInfo},
    judge::{self, CheckOptions, Kernel},
    measure::{MeasureLimits, Thresholds},
    report::number_of,
    toolchain::Toolchain,
    worker::{machine_memory, probe::break_out, share_memory},
};

use super::{
    header::Header,
    judging::Judging,
    turns::{Floor, Gauge},
};
use crate::{
    cli::class::ClassCompiler,
    course::Course,
    devices,
    exit::{Result, Trouble},
    terminal::remark,
    thresholds::demand::{Here, has_speed_goals},
    toolchains,
};

/// What judges here.
#[derive(Debug)]
pub struct Place {
    /// The judge's name: version and content of this program.
    pub judge: String,
    /// The compiler's name.
    pub compiler: String,
    devices: Devices,
    /// All GPUs that time kernels; `devices` has the first.
    gpus: Vec<GpuInfo>,
    toolchain: Toolchain,
}

impl Place {
    /// Looks what is here.
    ///
    /// # Errors
    /// No device, no compiler, or nothing that keeps submissions away from this machine's files and processes.
    pub fn find(choices: &[DeviceChoice], compiling: &ClassCompiler) -> Result<Self> {
        let (devices, gpus) = chosen(choices)?;
        require_sandbox(compiling.allow_unsandboxed, devices.gpu.is_some())?;
        say_what_gpus_read(&devices);
        let toolchain = toolchains::resolve(compiling.compiler.as_ref(), devices.gpu.as_ref())?;
        toolchain.note.iter().for_each(|note| remark(note));
        Ok(Place { judge: judge_name(), compiler: compiler_name(&toolchain)?, devices, gpus, toolchain })
    }

    /// The devices' names. GPUs of one model are one device: any of them gives the same grades.
    pub fn device(&self) -> String {
        match &self.devices.gpu {
            Some(gpu) => format!("gpu ({}) + sim:{}", gpu.name, self.devices.profile.name),
            None => devices::name(&self.devices),
        }
    }

    /// What is needed to judge.
    pub fn judging<'a>(&'a self, header: &'a Header, jobs: Option<NonZeroUsize>) -> Judging<'a> {
        let gauge = Reference { toolchain: self.toolchain.clone(), seed: header.seed };
        let jobs = self.jobs(jobs);
        share_memory(jobs);
        let floor = Floor::new(jobs, self.gpus.clone(), Box::new(gauge));
        Judging {
            header,
            devices: &self.devices,
            toolchain: &self.toolchain,
            jobs,
            // Where all cores have a kernel each, one is right.
            threads: if jobs == 1 { 0 } else { 1 },
            gpus: self.gpus.len(),
            floor,
        }
    }

    /// Refuses to go on with results of another device or compiler.
    ///
    /// # Errors
    /// Wrong usage, with what they began with.
    pub fn require(&self, header: &Header) -> Result<()> {
        let device = self.device();
        if header.device != device {
            let same = format!("--device {}", option_of(&header.device));
            return Err(differs("device", &header.device, &device, &same));
        }
        if header.compiler != self.compiler {
            let same = format!("--compiler {}", header.compiler.trim_start_matches("NVRTC "));
            return Err(differs("compiler", &header.compiler, &self.compiler, &same));
        }
        Ok(())
    }

    /// Finds out what is asked of speed, where the header does not say it yet: on a GPU that nobody has measured on, by
    /// measuring.
    ///
    /// # Errors
    /// The course's own kernels don't work on this GPU.
    pub fn ask(&self, course: Course<'_>, header: &mut Header) -> Result<()> {
        let here = Here { gpu: self.devices.gpu.as_ref(), toolchain: &self.toolchain, again: false };
        for exercise in course.exercises {
            let asked = header.speed.entry(exercise.id().to_owned()).or_insert_with(|| here.asked(*exercise));
            if let Some(why) = &asked.broken {
                return Err(Trouble::judge(
                    format!("{}: {why}", exercise.id()),
                    "score on another GPU, or with --device sim, where speed is not judged",
                ));
            }
        }
        Ok(())
    }

    /// How many kernels at a time: what is asked for, or all cores; and no more than the machine has memory for.
    fn jobs(&self, asked: Option<NonZeroUsize>) -> usize {
        let asked = asked.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let room = machine_memory().map_or(asked, |bytes| (bytes / JOB_BYTES) as usize).max(1);
        if room < asked {
            remark(&format!(
                "{} at a time, and not {asked}: this machine has memory for no more",
                number_of(room, "kernel")
            ));
        }
        asked.min(room)
    }

    /// The machine's part in what was measured, for the audit log.
    pub fn machine(&self) -> Vec<String> {
        in_words(&self.gpus, judge::driver())
    }
}

/// All GPUs that time kernels, each with its UUID and the driver.
fn in_words(gpus: &[GpuInfo], driver: Option<String>) -> Vec<String> {
    let driver = driver.map_or_else(|| "unknown driver".to_owned(), |driver| format!("driver {driver}"));
    gpus.iter().map(|gpu| format!("{}, {}, {driver}", gpu.title(), gpu.uuid)).collect()
}

/// What one kernel's compiler may take, which is more than its simulator needs.
const JOB_BYTES: u64 = 2 << 30;

/// The devices of what was asked for, and all GPUs: without an index all there are, of the first one's model.
fn chosen(choices: &[DeviceChoice]) -> Result<(Devices, Vec<GpuInfo>)> {
    let first = choices.first().cloned().unwrap_or_default();
    let devices = devices::resolve(&first)?;
    let Some(gpu) = devices.gpu.clone() else {
        return match choices {
            [] | [_] => Ok((devices, Vec::new())),
            _ => Err(Trouble::usage(
                "several devices, and not all of them are GPUs",
                "name the GPUs, as in --device gpu:0,gpu:1: the simulator comes along with them",
            )),
        };
    };
    let gpus = match (choices, first) {
        ([] | [_], DeviceChoice::Auto | DeviceChoice::Gpu(None)) => {
            let all = judge::gpus().unwrap_or_default();
            let (same, other): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.name == gpu.name);
            other
                .iter()
                .for_each(|other| remark(&format!("{} is left out: it is another model", other.title())));
            same
        }
        _ => {
            let mut gpus: Vec<GpuInfo> = Vec::new();
            for choice in choices {
                let one = devices::resolve(choice)?
                    .gpu
                    .filter(|one| !gpus.iter().any(|known| known.uuid == one.uuid));
                gpus.push(one.ok_or_else(|| {
                    Trouble::usage(
                        format!("--device {choice} is no GPU, or named twice"),
                        "name different GPUs, as in --device gpu:0,gpu:1",
                    )
                })?);
            }
            gpus
        }
    };
    if let Some(other) = gpus.iter().find(|one| one.name != gpu.name) {
        return Err(Trouble::usage(
            format!("{} and {} are two models, and speed goals belong to one", gpu.title(), other.title()),
            "score on GPUs of one model",
        ));
    }
    Ok((devices, gpus))
}

/// Reads a GPU by timing the baseline of the course's first timed exercise: the same work for every GPU of a model.
#[derive(Debug)]
struct Reference {
    toolchain: Toolchain,
    seed: u64,
}

impl Gauge for Reference {
    fn read(&self, gpu: &GpuInfo) -> Result<f64, String> {
        let exercise = ::course::COURSE.iter().find(|exercise| has_speed_goals(**exercise));
        let exercise = exercise.ok_or_else(|| "no exercise of the course is timed".to_owned())?;
        let kernel = Kernel {
            path: "the course's own kernel".to_owned(),
            source: exercise.about().solution.to_owned(),
        };
        let options = CheckOptions {
            device: DeviceChoice::Gpu(Some(gpu.index)),
            seed: Some(self.seed),
            toolchain: Some(self.toolchain.clone()),
            limits: MeasureLimits { seconds: READING_SECONDS, ..MeasureLimits::default() },
            ..CheckOptions::default()
        };
        let measured = judge::regrade(*exercise, &kernel, &options, &[Thresholds::default()])?;
        let times =
            measured.iter().flat_map(|measured| &measured.cases).map(|case| median(&case.samples.baseline));
        times.reduce(|one, other| one + other).ok_or_else(|| "nothing was timed".to_owned())
    }
}

/// The middle one, in microseconds.
fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// How long one reading of a GPU takes at the most.
const READING_SECONDS: f64 = 1.0;

/// Grades that would not compare.
pub fn differs(what: &str, before: &str, now: &str, same: &str) -> Trouble {
    Trouble::usage(
        format!("these results began with {what} {before}, now it is {now}: grades would not compare"),
        format!("go on with {same}, or score into another folder"),
    )
}

/// Refuses another seed than the one that results began with.
///
/// # Errors
/// Wrong usage, with the seed that they began with.
pub fn require_seed(asked: Option<u64>, header: &Header) -> Result<()> {
    match asked.filter(|seed| *seed != header.seed) {
        None => Ok(()),
        Some(seed) => {
            let same = format!("--seed {}", header.seed);
            Err(differs("seed", &header.seed.to_string(), &seed.to_string(), &same))
        }
    }
}

/// Refuses to judge other people's code where it can't be confined, which it finds
/// out by trying to break out.
fn require_sandbox(allowed: bool, beside_gpu: bool) -> Result<()> {
    let doctor = "`grader doctor` looks at the whole machine";
    let proof = break_out(beside_gpu).map_err(|failure| Trouble::judge(failure.to_string(), doctor))?;
    if proof.holds() {
        return Ok(());
    }
    let why = match &*proof.breaches {
        [] => proof.status.to_string(),
        breaches => format!("{}. Tried: {}", proof.status, breaches.join("; ")),
    };
    if allowed {
        remark(&format!("submissions are not confined ({why})"));
        return Ok(());
    }
    Err(Trouble::judge(
        format!("this machine can't keep submissions away from your files and processes: {why}"),
        "use a Linux kernel with Landlock (5.13 or newer) and seccomp, or --allow-unsandboxed if you trust every submission",
    ))
}

/// Says where kernels can read what the sandbox can't keep from them.
fn say_what_gpus_read(devices: &Devices) {
    if devices.gpu.as_ref().is_some_and(|gpu| gpu.reads_host_memory) {
        remark(
            "this GPU's driver lets kernels read the memory of the worker that runs them (HMM): load nvidia_uvm with \
             uvm_disable_hmm=1 to end that; every report of this run says so",
        );
    }
}

/// The compiler as it names itself, asked by compiling a kernel.
fn compiler_name(toolchain: &Toolchain) -> Result<String> {
    let request = CompileRequest::new("probe.cu", "extern \"C\" __global__ void probe() {}\n");
    match compiler::compile(toolchain, &request) {
        Ok(compiled) => Ok(compiled.compiler),
        Err(error) => Err(Trouble::judge(
            format!("the compiler does not work: {error}"),
            "`grader doctor` looks at the whole machine",
        )),
    }
}

/// What asks for a device again that a header names `sim:h200` or `gpu:0 (NVIDIA H200) + sim:h200`.
pub fn option_of(device: &str) -> &str {
    device.split(' ').next().unwrap_or(device)
}

/// Version and content of this program: what decides verdicts besides compiler, device and seed.
pub fn judge_name() -> String {
    let program = fs::read("/proc/self/exe").map(|bytes| blake3::hash(&bytes).to_hex()[..16].to_owned());
    format!("{} ({})", env!("CARGO_PKG_VERSION"), program.unwrap_or_else(|_| "unknown build".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::gpu;

    #[test]
    fn every_gpu_that_judges_is_in_the_log() {
        assert_eq!(
            in_words(&[gpu(0), gpu(3)], Some("580.1".to_owned())),
            ["gpu:0 (Made-up), GPU-0, driver 580.1", "gpu:3 (Made-up), GPU-3, driver 580.1"]
        );
        assert_eq!(in_words(&[], None), Vec::<String>::new());
    }

    #[test]
    fn another_seed_is_refused_and_the_same_or_none_is_not() {
        let header = Header::new("j".into(), "c".into(), "sim:h200".into(), 7, "now".into());
        assert!(require_seed(None, &header).is_ok() && require_seed(Some(7), &header).is_ok());
        let refused = require_seed(Some(8), &header).unwrap_err();
        assert!(refused.message.contains("began with seed 7, now it is 8"), "{}", refused.message);
        assert!(refused.next.contains("--seed 7"), "{}", refused.next);
    }
}
