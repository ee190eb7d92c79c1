//! The device that the user asks for, in the words of wrong usage.

use harness::device::{DeviceChoice, Devices, NoDevice, profile};

use crate::exit::{Result, Trouble};

/// Looks for what was asked for.
///
/// # Errors
/// Wrong usage for a profile or GPU that does not exist; a judge's error where no GPU can be used.
pub fn resolve(choice: &DeviceChoice) -> Result<Devices> {
    Devices::resolve(choice).map_err(trouble)
}

/// Refuses a profile that does not exist; says nothing about GPUs.
///
/// # Errors
/// Wrong usage.
pub fn validate(choice: &DeviceChoice) -> Result<()> {
    match choice {
        DeviceChoice::Simulator(Some(name)) => profile(name).map(drop).map_err(trouble),
        _ => Ok(()),
    }
}

/// All of them, the GPU first.
pub fn names(devices: &Devices) -> Vec<String> {
    let mut names = devices.names();
    names.reverse();
    names
}

/// The same in one line.
pub fn name(devices: &Devices) -> String {
    names(devices).join(" + ")
}

fn trouble(missing: NoDevice) -> Trouble {
    let (message, next) = (missing.to_string(), missing.next_step());
    match missing {
        NoDevice::Profile { .. } | NoDevice::Gpu { .. } => Trouble::usage(message, next),
        NoDevice::NoGpu(_) => Trouble::judge(message, next),
    }
}
