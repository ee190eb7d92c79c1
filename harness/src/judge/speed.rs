//! Times the cases that are to be timed, against the baseline.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Check, Stopped, goals::Timed, run::secret};
use crate::{
    compiler::{self, CompileRequest, Compiled},
    device::{Code, GpuInfo, worker::GpuSession},
    exercise::{COURSE_HEADER, Case, Constants, On},
    measure::{self, MeasureLimits, Thresholds, Variant},
    plan::Plan,
    report::{SpeedReport, Verdict},
    toolchain::Toolchain,
};

/// The trusted kernels that flush caches and copy.
const PROBES: &str = include_str!("../../../kernels/probes.cu");

/// Sets of values prepared for a timed case of so many bytes.
fn variants(bytes: usize) -> u64 {
    const MIB: usize = 1 << 20;
    match bytes {
        0..=67_108_864 => 4,
        _ if bytes <= 1024 * MIB => 2,
        _ => 1,
    }
}

impl Check<'_> {
    /// What was timed, or why nothing was.
    pub(super) fn time(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        compiled: &Compiled,
        cases: &[Case],
        constants: &Constants,
        notes: &mut Vec<String>,
    ) -> Result<Result<Vec<Timed>, String>, Stopped> {
        let timed: Vec<&Case> = cases.iter().filter(|case| case.on == On::GpuTimed).collect();
        if timed.is_empty() {
            return Ok(Err("no timed case".to_owned()));
        }
        let Some(baseline) = self.exercise.baseline() else {
            return Ok(Err("the exercise has no baseline".to_owned()));
        };
        (self.progress)("compiling the baseline");
        let trusted = |file: &str, source: &str| -> Result<Code, Stopped> {
            let mut request = CompileRequest::new(file, source);
            request.headers.push((COURSE_HEADER.0.to_owned(), COURSE_HEADER.1.to_owned()));
            request.architecture = gpu.compute_capability;
            compiler::compile(toolchain, &request)
                .map(|compiled| Code::from(&compiled))
                .map_err(|error| Stopped::Judge(format!("{file} does not compile: {error}")))
        };
        let baseline_code = trusted("baseline.cu", baseline.source)?;
        let probes = trusted("probes.cu", PROBES)?;
        let goals = self.exercise.speed_goals();
        let thresholds = Thresholds {
            pass_speedup: goals.pass_speedup,
            expert_speedup: goals.expert_speedup,
            expert_roof_share: goals.expert_roof_share,
        };
        let first_seed = self.options.seed.unwrap_or_else(secret);
        notes.push(format!("timed with values from seed {first_seed}"));

        let mut session = GpuSession::new();
        let mut results = Vec::new();
        for case in timed {
            (self.progress)(&format!("preparing {}", case.name));
            let mut prepared = Vec::new();
            let mut wanted = 1;
            for variant in 0.. {
                if variant >= wanted {
                    break;
                }
                let seed = first_seed.wrapping_add(variant);
                let kernel = self.plan(case, seed, constants)?;
                if kernel.needs_reference() {
                    return Err(Stopped::Judge("reference kernels are not run yet".to_owned()));
                }
                wanted = variants(kernel.buffers.iter().map(crate::plan::Buffer::bytes).sum());
                let baseline: Plan =
                    catch_unwind(AssertUnwindSafe(|| (baseline.plan)(case, seed))).map_err(|_| {
                        Stopped::Judge(format!("the baseline has no plan for case {}", case.name))
                    })?;
                prepared.push(Variant::new(kernel, baseline));
            }
            (self.progress)(&format!("timing {}", case.name));
            let measured = session.measure(measure::Request {
                uuid: gpu.uuid.clone(),
                kernel: Code::from(compiled),
                baseline: baseline_code.clone(),
                probes: probes.clone(),
                variants: prepared,
                thresholds,
                limits: MeasureLimits::default(),
                secret: secret(),
            });
            match measured {
                Ok(measured) => results.push(timed_of(case, measured)),
                Err(measure::Stopped::Judge(why)) => {
                    return Err(Stopped::Judge(format!("timing case {}: {why}", case.name)));
                }
                Err(measure::Stopped::Kernel(why)) => {
                    // Right when nobody timed it and wrong when timed: that is a failed goal, not a slow kernel.
                    notes.push(format!("case {} went wrong in a timed run: {why}", case.name));
                    results.push(wrong_when_timed(case, why));
                }
            }
        }
        Ok(Ok(results))
    }
}

fn timed_of(case: &Case, measured: measure::Measured) -> Timed {
    Timed {
        report: SpeedReport {
            case: case.name.clone(),
            kernel_microseconds: measured.kernel_microseconds,
            baseline_microseconds: measured.baseline_microseconds,
            speedup: measured.speedup.median,
            interval: [measured.speedup.low, measured.speedup.high],
            pairs: measured.rounds,
            roof_share: measured.roof_share.map(|share| share.median),
        },
        pass: measured.pass,
        expert: measured.expert,
        doubt: measured.doubt,
    }
}

fn wrong_when_timed(case: &Case, why: String) -> Timed {
    Timed {
        report: SpeedReport {
            case: case.name.clone(),
            kernel_microseconds: 0.0,
            baseline_microseconds: 0.0,
            speedup: 0.0,
            interval: [0.0, 0.0],
            pairs: 0,
            roof_share: None,
        },
        pass: Some(Verdict::Failed),
        expert: Some(Verdict::Failed),
        doubt: Some(why),
    }
}
