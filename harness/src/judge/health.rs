//! The GPU's clocks, temperature and what keeps it slow, as NVML tells them. Without NVML nothing is
//! known, and nothing fails.

use std::sync::OnceLock;

use nvml_wrapper::{
    Nvml,
    bitmasks::device::ThrottleReasons,
    enum_wrappers::device::{Clock, TemperatureSensor},
};

use crate::report::Conditions;

/// One reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    multiprocessor_megahertz: u32,
    memory_megahertz: u32,
    celsius: u32,
    reasons: Vec<String>,
    /// Why times taken now say little, if they do.
    pub slowed: Option<String>,
}

/// Heat, or a supply that gives way: they come and go, so a time taken meanwhile is of another machine. A
/// power limit in software, idling, or clocks that were set, are as the machine is.
const SLOWDOWN: ThrottleReasons = ThrottleReasons::HW_SLOWDOWN
    .union(ThrottleReasons::SW_THERMAL_SLOWDOWN)
    .union(ThrottleReasons::HW_THERMAL_SLOWDOWN)
    .union(ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN);

/// Asks for the state of a GPU; nothing where NVML is not there or does not know it.
pub(super) fn read(uuid: &str) -> Option<Reading> {
    let device = nvml()?.device_by_uuid(uuid).ok()?;
    let reasons = device.current_throttle_reasons().unwrap_or(ThrottleReasons::empty());
    Some(Reading {
        multiprocessor_megahertz: device.clock_info(Clock::SM).unwrap_or(0),
        memory_megahertz: device.clock_info(Clock::Memory).unwrap_or(0),
        celsius: device.temperature(TemperatureSensor::Gpu).unwrap_or(0),
        slowed: slowed(reasons),
        reasons: names(reasons),
    })
}

/// The version of the GPU's driver, e.g. `580.65.06`, where NVML is there to say it.
pub fn driver() -> Option<String> {
    nvml()?.sys_driver_version().ok()
}

fn nvml() -> Option<&'static Nvml> {
    static NVML: OnceLock<Option<Nvml>> = OnceLock::new();
    NVML.get_or_init(|| Nvml::init().ok()).as_ref()
}

fn names(reasons: ThrottleReasons) -> Vec<String> {
    let names = reasons.iter_names().map(|(name, _)| name.to_lowercase());
    names.filter(|name| name != "none").collect()
}

fn slowed(reasons: ThrottleReasons) -> Option<String> {
    let names = names(reasons.intersection(SLOWDOWN));
    (!names.is_empty()).then(|| names.join(", ").replace('_', " "))
}

/// All readings of a measurement as one.
pub(super) fn conditions(readings: &[Reading], redone_rounds: u32) -> Option<Conditions> {
    if readings.is_empty() {
        return None;
    }
    let range = |value: fn(&Reading) -> u32| {
        let values = || readings.iter().map(value);
        [values().min().unwrap_or(0), values().max().unwrap_or(0)]
    };
    let mut throttle_reasons: Vec<String> = readings.iter().flat_map(|each| each.reasons.clone()).collect();
    throttle_reasons.sort();
    throttle_reasons.dedup();
    Some(Conditions {
        multiprocessor_megahertz: range(|each| each.multiprocessor_megahertz),
        memory_megahertz: range(|each| each.memory_megahertz),
        celsius: range(|each| each.celsius),
        throttle_reasons,
        redone_rounds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machines_own_limits_do_not_count_as_slowed_down() {
        let permanent = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::GPU_IDLE;
        assert_eq!(slowed(permanent), None);
        assert_eq!(slowed(ThrottleReasons::empty()), None);
        assert_eq!(names(permanent), ["gpu_idle", "sw_power_cap"]);
        let hot = permanent | ThrottleReasons::SW_THERMAL_SLOWDOWN;
        assert_eq!(slowed(hot).as_deref(), Some("sw thermal slowdown"));
    }

    #[test]
    fn readings_become_ranges_and_reasons_a_list() {
        let reading = |megahertz, celsius, reasons: &[&str]| Reading {
            multiprocessor_megahertz: megahertz,
            celsius,
            reasons: reasons.iter().map(|&reason| reason.to_owned()).collect(),
            ..Reading::default()
        };
        let all = [reading(1980, 40, &["b"]), reading(1755, 44, &["a", "b"])];
        let conditions = conditions(&all, 2).expect("there are readings");
        assert_eq!((conditions.multiprocessor_megahertz, conditions.celsius), ([1755, 1980], [40, 44]));
        assert_eq!(
            (conditions.throttle_reasons, conditions.redone_rounds),
            (vec!["a".to_owned(), "b".to_owned()], 2)
        );
        assert_eq!(super::conditions(&[], 0), None);
    }

    #[test]
    fn without_nvml_nothing_is_known() {
        assert_eq!(read("GPU-of-nobody"), None);
    }
}
