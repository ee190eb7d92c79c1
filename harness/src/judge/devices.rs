//! Which devices a check uses: the choice made, against what this machine has.

use std::{path::Path, sync::OnceLock};

use warpsim::Profile;

use super::Stopped;
use crate::device::{self, DEFAULT_PROFILE, DeviceChoice, GpuInfo};

/// The devices of one check.
pub(super) struct Devices {
    /// The simulator's profile; the simulator always takes part.
    pub simulator: &'static Profile,
    /// The GPU, where there is one and it is wanted.
    pub gpu: Option<GpuInfo>,
}

impl Devices {
    /// As reports name them.
    pub fn names(&self) -> Vec<String> {
        let simulator = format!("sim:{}", self.simulator.name);
        let gpu = self.gpu.as_ref().map(|gpu| format!("gpu:{} ({})", gpu.index, gpu.name));
        std::iter::once(simulator).chain(gpu).collect()
    }
}

pub(super) fn resolve(choice: &DeviceChoice) -> Result<Devices, Stopped> {
    let gpu = match choice {
        DeviceChoice::Simulator(_) => None,
        // A machine whose GPU cannot be used is a machine without one, unless the GPU was asked for.
        DeviceChoice::Auto => gpus().ok().and_then(|gpus| gpus.into_iter().next()),
        DeviceChoice::Gpu(index) => {
            let gpus = gpus().map_err(Stopped::Judge)?;
            let wanted = index.unwrap_or(0);
            let count = gpus.len();
            let gpu = gpus.into_iter().find(|gpu| gpu.index == wanted);
            Some(gpu.ok_or_else(|| {
                Stopped::Judge(format!("expected a GPU with index {wanted}, found {count} on this machine"))
            })?)
        }
    };
    let simulator = match choice {
        DeviceChoice::Simulator(Some(name)) => Profile::by_name(name).ok_or_else(|| {
            let known: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name).collect();
            Stopped::Judge(format!("expected a profile such as {}, found `{name}`", known.join(", ")))
        })?,
        _ => profile_for(gpu.as_ref()),
    };
    Ok(Devices { simulator, gpu })
}

/// The profile closest to a GPU: the same compute capability, or else the default.
fn profile_for(gpu: Option<&GpuInfo>) -> &'static Profile {
    let same = gpu.and_then(|gpu| {
        Profile::ALL.into_iter().find(|profile| profile.compute_capability == gpu.compute_capability)
    });
    // The default's name is one of `ALL`.
    same.or_else(|| Profile::by_name(DEFAULT_PROFILE)).unwrap_or(Profile::ALL[0])
}

/// The GPUs of this machine, asked in a worker: a broken driver must not break the judge. Asked once in a process,
/// because starting the driver takes longer than a check on the simulator.
///
/// # Errors
/// Why there is none, in words.
pub fn gpus() -> Result<Vec<GpuInfo>, String> {
    static FOUND: OnceLock<Vec<GpuInfo>> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    // Without these device files the driver would find nothing either, and asking it takes longer.
    let present = |path: &str| Path::new(path).exists();
    if !present("/dev/nvidiactl") && !present("/dev/dxg") {
        return Err("no GPU: this machine has no NVIDIA device files (/dev/nvidiactl, /dev/dxg)".to_owned());
    }
    let found = device::worker::gpus()?;
    Ok(FOUND.get_or_init(|| found).clone())
}
