//! The picture: wavefronts by stride, predicted and measured.

use harness::{
    device::DeviceChoice,
    exercise::CaseRun,
    report::{Plot, Series},
};

use crate::{PREDICTION, Reading, clock::cycles, predicted, wavefronts};

/// Predicted wavefronts as the kernel under test predicted them, and for each device the wavefronts that its
/// clock shows: those of stride 1 and the cycles beyond it.
pub fn plot(runs: &[CaseRun<'_>], size: usize, bytes: usize) -> Option<Plot> {
    let mut series = Vec::new();
    if let Some(run) = runs.iter().find(|run| run.case.index == PREDICTION) {
        let degrees: Vec<i32> = run.outputs.elements(&predicted(size));
        let points =
            degrees.iter().enumerate().map(|(stride, &degree)| (stride as f64, f64::from(degree))).collect();
        series.push(Series { name: "predicted wavefronts".to_owned(), points });
    }
    let read = |run: &CaseRun<'_>| Reading::of(run.case).filter(|reading| reading.size == size);
    let mut devices: Vec<&str> =
        runs.iter().filter(|run| read(run).is_some()).map(|run| run.device).collect();
    devices.sort_by_key(|device| (!is_simulator(device), *device));
    devices.dedup();
    for device in devices {
        let points: Vec<(f64, f64)> = runs
            .iter()
            .filter(|run| run.device == device)
            .filter_map(|run| {
                let stride = read(run)?.stride as f64;
                let [reference, cycles] = cycles(run.outputs);
                Some((stride, wavefronts(1, bytes) as f64 + cycles - reference))
            })
            .collect();
        let name = match is_simulator(device) {
            true => "simulated wavefronts".to_owned(),
            false => format!("cycles beyond stride 1, measured on {device}"),
        };
        series.push(Series { name, points });
    }
    (!series.is_empty()).then(|| Plot {
        title: format!("Bank conflicts of data[lane * stride], {bytes}-byte elements"),
        x_label: "stride (elements)".to_owned(),
        y_label: "wavefronts, or cycles beyond a conflict-free read".to_owned(),
        series,
    })
}

fn is_simulator(device: &str) -> bool {
    matches!(device.parse(), Ok(DeviceChoice::Simulator(_)))
}
