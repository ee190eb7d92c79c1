//! The devices of one check or run: what was asked for, against what this machine has.

use std::{path::Path, sync::OnceLock};

use thiserror::Error;
use warpsim::Profile;

use super::{DEFAULT_PROFILE, DeviceChoice, GpuInfo, NoGpu, worker};

/// The devices of one check or run.
#[derive(Clone, Debug)]
pub struct Devices {
    /// The simulator's profile; the simulator always takes part.
    pub profile: &'static Profile,
    /// The GPU, where there is one and it is wanted.
    pub gpu: Option<GpuInfo>,
}

/// A device that was asked for and is not there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoDevice {
    /// No profile of that name.
    #[error("there is no profile `{found}`")]
    Profile {
        /// The name.
        found: String,
    },
    /// GPUs, but not this one.
    #[error("there is no GPU {index}")]
    Gpu {
        /// The index asked for.
        index: u32,
        /// Those that there are, as reports name them.
        known: Vec<String>,
    },
    /// No GPU that can be used; says why.
    #[error("no GPU: {0}")]
    NoGpu(NoGpu),
}

impl NoDevice {
    /// The next step.
    pub fn next_step(&self) -> String {
        match self {
            NoDevice::Profile { .. } => {
                format!("choose one of {}", profile_names())
            }
            NoDevice::Gpu { known, .. } => format!("there is {}", known.join(", ")),
            NoDevice::NoGpu(_) => {
                "`grader doctor` says what is missing; --device sim needs no GPU".to_owned()
            }
        }
    }
}

impl Devices {
    /// Looks for what was asked for. A machine whose GPU cannot be used is a machine without one,
    /// unless the GPU was asked for.
    ///
    /// # Errors
    /// What is not there.
    pub fn resolve(choice: &DeviceChoice) -> Result<Self, NoDevice> {
        let gpu = match choice {
            DeviceChoice::Simulator(Some(name)) => {
                return Ok(Devices { profile: profile(name)?, gpu: None });
            }
            DeviceChoice::Simulator(None) => None,
            DeviceChoice::Auto => gpus().ok().and_then(|gpus| gpus.into_iter().next()),
            DeviceChoice::Gpu(index) => Some(gpu(index.unwrap_or(0))?),
        };
        Ok(Devices { profile: profile_for(gpu.as_ref()), gpu })
    }

    /// As reports name them, the simulator first.
    pub fn names(&self) -> Vec<String> {
        let simulator = format!("sim:{}", self.profile.name);
        std::iter::once(simulator).chain(self.gpu.as_ref().map(GpuInfo::title)).collect()
    }

    /// Leaves out a GPU that is older than an exercise needs, or if it is specific any other one, and says so.
    /// The simulator still judges; speed stays unmeasured.
    ///
    /// # Errors
    /// Where the simulator stands in for a GPU that will not do, in words.
    pub fn require(
        &mut self,
        minimum_compute_capability: u32,
        is_specific: bool,
    ) -> Result<Option<String>, String> {
        let written = |capability: u32| format!("{}.{}", capability / 10, capability % 10);
        let needed =
            format!("{}{}", written(minimum_compute_capability), if is_specific { " alone" } else { "" });
        let will_not_do = |capability: u32| match is_specific {
            true => capability != minimum_compute_capability,
            false => capability < minimum_compute_capability,
        };
        let mut left_out = None;
        if let Some(gpu) = self.gpu.take_if(|gpu| will_not_do(gpu.compute_capability)) {
            self.profile = profile_for(None);
            left_out = Some(format!(
                "{} has compute capability {} and this exercise needs {needed}: judged by the simulator alone, speed unmeasured",
                gpu.title(),
                written(gpu.compute_capability)
            ));
        }
        if will_not_do(self.profile.compute_capability) {
            return Err(format!(
                "this exercise needs compute capability {needed}, and sim:{} has {}; choose --device sim:{DEFAULT_PROFILE}",
                self.profile.name,
                written(self.profile.compute_capability)
            ));
        }
        Ok(left_out)
    }
}

impl GpuInfo {
    /// As reports name it: `gpu:0 (NVIDIA H200)`.
    pub fn title(&self) -> String {
        format!("gpu:{} ({})", self.index, self.name)
    }
}

/// The profile of that name.
///
/// # Errors
/// If there is none.
pub fn profile(name: &str) -> Result<&'static Profile, NoDevice> {
    Profile::by_name(name).ok_or_else(|| NoDevice::Profile { found: name.to_owned() })
}

/// The names of all profiles, separated by commas.
pub(super) fn profile_names() -> String {
    let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name).collect();
    names.join(", ")
}

/// The profile closest to a GPU: the same compute capability, or else the default.
fn profile_for(gpu: Option<&GpuInfo>) -> &'static Profile {
    let same = gpu.and_then(|gpu| {
        Profile::ALL.iter().copied().find(|profile| profile.compute_capability == gpu.compute_capability)
    });
    // The default's name is one of `ALL`.
    same.or_else(|| Profile::by_name(DEFAULT_PROFILE)).unwrap_or(Profile::ALL[0])
}

fn gpu(index: u32) -> Result<GpuInfo, NoDevice> {
    let gpus = gpus().map_err(NoDevice::NoGpu)?;
    let known = gpus.iter().map(GpuInfo::title).collect();
    gpus.into_iter().find(|gpu| gpu.index == index).ok_or(NoDevice::Gpu { index, known })
}

/// The GPUs of this machine, asked in a worker: a broken driver must not break the judge. Asked once in a
/// process, because starting the driver takes longer than a check on the simulator.
///
/// # Errors
/// Why there is none.
pub fn gpus() -> Result<Vec<GpuInfo>, NoGpu> {
    static FOUND: OnceLock<Vec<GpuInfo>> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    // Without these device files the driver would find nothing either, and asking it takes longer.
    let present = |path: &str| Path::new(path).exists();
    if !present("/dev/nvidiactl") && !present("/dev/dxg") && !driver_named() {
        return Err(NoGpu::DeviceFiles);
    }
    let found = worker::gpus()?;
    Ok(FOUND.get_or_init(|| found).clone())
}

/// True where the environment names a folder with a driver of its own, as on machines whose GPUs
/// have other device files.
fn driver_named() -> bool {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .any(|folder| ["libcuda.so", "libcuda.so.1"].iter().any(|name| folder.join(name).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_older_than_the_exercise_needs_is_left_out() {
        let volta = GpuInfo {
            index: 0,
            uuid: "GPU-0".to_owned(),
            name: "Tesla V100".to_owned(),
            compute_capability: 70,
            memory_bytes: 16 << 30,
            multiprocessors: 80,
            l2_bytes: 6 << 20,
            driver_version: 12_000,
            reads_host_memory: false,
        };
        let both = Devices { profile: profile_for(Some(&volta)), gpu: Some(volta) };
        let mut devices = both.clone();
        assert_eq!(devices.require(70, false), Ok(None));
        assert!(devices.gpu.is_some());
        let note = devices.require(75, false).expect("the simulator's GPU is new enough").expect("a note");
        assert!(
            note.starts_with("gpu:0 (Tesla V100) has compute capability 7.0 and this exercise needs 7.5"),
            "{note}"
        );
        assert_eq!(devices.names(), ["sim:h200"]);

        let mut devices = Devices { profile: &Profile::T4, gpu: None };
        let why = devices.require(80, false).expect_err("a T4 has 7.5");
        assert!(why.contains("needs compute capability 8.0, and sim:t4 has 7.5"), "{why}");
    }

    #[test]
    fn a_gpu_newer_than_a_specific_exercise_is_left_out_too() {
        let gpu = |compute_capability| GpuInfo {
            index: 0,
            uuid: "GPU-0".to_owned(),
            name: "A GPU".to_owned(),
            compute_capability,
            memory_bytes: 16 << 30,
            multiprocessors: 80,
            l2_bytes: 6 << 20,
            driver_version: 13_000,
            reads_host_memory: false,
        };
        for (capability, is_there) in [(80, false), (89, false), (90, true), (100, false), (120, false)] {
            let gpu = gpu(capability);
            let mut devices = Devices { profile: profile_for(Some(&gpu)), gpu: Some(gpu) };
            let note = devices.require(90, true).expect("the simulator's GPU will do");
            assert_eq!((devices.gpu.is_some(), note.is_none()), (is_there, is_there), "{capability}");
            assert_eq!(devices.profile.name, "h200");
            assert!(note.is_none_or(|note| note.contains("this exercise needs 9.0 alone:")));
        }
        let mut devices = Devices { profile: &Profile::RTX4090, gpu: None };
        let why = devices.require(90, true).expect_err("it has 8.9");
        assert!(why.contains("needs compute capability 9.0 alone, and sim:rtx4090 has 8.9"), "{why}");
    }
}
