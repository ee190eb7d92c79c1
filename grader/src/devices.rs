//! The device that the user asks for, against what there is.

use harness::device::{self, DeviceChoice, GpuInfo};
use warpsim::Profile;

use crate::exit::{Result, Trouble};

/// What a command runs on.
#[derive(Clone, Debug)]
pub struct Devices {
    /// The simulator's profile; the simulator always takes part.
    pub profile: &'static Profile,
    /// The GPU, where there is one and it is wanted.
    pub gpu: Option<GpuInfo>,
}

impl Devices {
    /// As reports name them.
    pub fn name(&self) -> String {
        match &self.gpu {
            Some(gpu) => format!("gpu:{} ({}) + sim:{}", gpu.index, gpu.name, self.profile.name),
            None => format!("sim:{}", self.profile.name),
        }
    }
}

/// Looks for what was asked for.
///
/// # Errors
/// Wrong usage for a profile or GPU that does not exist; a judge's error where no GPU can be used.
pub fn resolve(choice: &DeviceChoice) -> Result<Devices> {
    let gpu = match choice {
        DeviceChoice::Simulator(_) => None,
        DeviceChoice::Auto => harness::judge::gpus().ok().and_then(|gpus| gpus.into_iter().next()),
        DeviceChoice::Gpu(index) => Some(gpu(index.unwrap_or(0))?),
    };
    let same = |gpu: &GpuInfo| {
        Profile::ALL.into_iter().find(|profile| profile.compute_capability == gpu.compute_capability)
    };
    let profile = match choice {
        DeviceChoice::Simulator(Some(name)) => profile(name)?,
        _ => match gpu.as_ref().and_then(same) {
            Some(profile) => profile,
            None => profile(device::DEFAULT_PROFILE)?,
        },
    };
    Ok(Devices { profile, gpu })
}

/// Refuses a profile that does not exist; says nothing about GPUs.
///
/// # Errors
/// Wrong usage.
pub fn validate(choice: &DeviceChoice) -> Result<()> {
    match choice {
        DeviceChoice::Simulator(Some(name)) => profile(name).map(drop),
        _ => Ok(()),
    }
}

fn profile(name: &str) -> Result<&'static Profile> {
    Profile::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name).collect();
        Trouble::usage(format!("there is no profile `{name}`"), format!("choose one of {}", known.join(", ")))
    })
}

fn gpu(index: u32) -> Result<GpuInfo> {
    let gpus = harness::judge::gpus().map_err(|why| {
        Trouble::judge(why, "`grader doctor` says what is missing; --device sim needs no GPU")
    })?;
    let known: Vec<String> = gpus.iter().map(|gpu| format!("gpu:{} ({})", gpu.index, gpu.name)).collect();
    gpus.into_iter().find(|gpu| gpu.index == index).ok_or_else(|| {
        Trouble::usage(format!("there is no GPU {index}"), format!("there is {}", known.join(", ")))
    })
}
