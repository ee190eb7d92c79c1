//! Times the cases that are to be timed, against the baseline, and checks them there: the only place where
//! large outputs are checked.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use super::{
    Check, CheckStop, Defence,
    bench::{Bench, Spots, of_baseline},
    goals::Timed,
    health,
    run::secret,
};
use crate::{
    compare,
    compiler::{self, CompileRequest, Compiled, Contraction},
    device::{
        Code, GpuInfo,
        timed::{Setup, TimedCase},
    },
    exercise::{Baseline, COURSE_HEADER, Case, Constants, Inputs, On, OutputElement, SpeedGoals},
    fill,
    measure::{self, Measured, Roof, Side, Thresholds, quantile},
    plan::{Expected, Plan},
    product::{self, Bounds, Moments},
    report::{CaseReport, CaseStatus, Conditions, SpeedReport},
    toolchain::Toolchain,
};

/// The trusted kernels that flush caches and copy.
pub(super) const PROBES: &str = include_str!("../../../kernels/probes.cu");
/// The trusted kernels that fill and check.
const CHECKS: &str = include_str!("../../../kernels/checks.cu");

/// Footprint of a roof's copy, and of a plan that may claim a share of it, in L2 sizes. Less
/// would not leave the cache.
const ROOF_FOOTPRINT: u64 = 8;
/// Elements of each output that the host computes again, of one run in each case.
const SPOTS: usize = 4;
/// That run is one of the first so many: as many as every measurement has.
const SPOT_RUNS: u64 = 4;

/// What timing gave.
pub(super) struct Speed {
    /// The cases that are checked nowhere else.
    pub cases: Vec<CaseReport>,
    /// How it compares with the goals, or why nothing was timed.
    pub timed: Result<Timed, String>,
    /// The times of each timed case.
    pub reports: Vec<SpeedReport>,
    /// The GPU's state meanwhile.
    pub conditions: Option<Conditions>,
}

impl Speed {
    fn none(cases: Vec<CaseReport>, why: &str) -> Self {
        Speed { cases, timed: Err(why.to_owned()), reports: Vec::new(), conditions: None }
    }
}

/// True for a case whose outputs are checked where it is timed, and nowhere else.
pub(super) fn is_checked_there(case: &Case, plan: &Plan) -> bool {
    case.on == On::GpuTimed || plan.needs_reference()
}

/// A case and the kernel's plan for it.
struct Planned<'a> {
    case: &'a Case,
    plan: Plan,
    seed: u64,
}

/// Two workers that are ready, every case checked once.
struct Prepared<'a> {
    /// Timed cases first.
    here: Vec<Planned<'a>>,
    /// How many are timed.
    timed: usize,
    /// The cases as the kernel's worker has them.
    cases: Vec<TimedCase>,
    bench: Bench,
    roofs: Vec<Option<Roof>>,
    device: String,
    /// Why nothing can be timed.
    not_timed: Option<&'static str>,
}

impl Prepared<'_> {
    /// What a stop in the run of a case means: the judge's failure, or a wrong kernel.
    fn wrong_at(&self, index: usize, stopped: measure::MeasurementStop) -> Result<Speed, CheckStop> {
        match stopped {
            measure::MeasurementStop::Judge(why) => {
                Err(CheckStop::Judge(format!("timing case {}: {why}", self.here[index].case.name)))
            }
            measure::MeasurementStop::Kernel(why) => Ok(Speed::none(
                case_reports(&self.here, &self.device, Some((index, why))),
                "a timed case is wrong",
            )),
        }
    }
}

impl Check<'_> {
    /// Checks the cases that are checked nowhere else and times those that are timed.
    pub(super) fn time(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        compiled: &Compiled,
        cases: &[Case],
        constants: &Constants,
        notes: &mut Vec<String>,
    ) -> Result<Speed, CheckStop> {
        let mut prepared = match self.prepared(toolchain, gpu, compiled, cases, constants, notes)? {
            Ok(prepared) => prepared,
            Err(speed) => return Ok(speed),
        };
        if let Some(why) = prepared.not_timed {
            self.recompute(&prepared, constants)?;
            return Ok(Speed::none(case_reports(&prepared.here, &prepared.device, None), why));
        }
        (self.progress)("timing");
        let goals = self.options.speed_goals.unwrap_or_else(|| self.exercise.about().speed_goals);
        let measured = match self.measured(&mut prepared, &Thresholds::from(goals)) {
            Ok(measured) => measured,
            Err(stopped) => {
                let index = prepared.bench.current;
                return prepared.wrong_at(index, self.blamed(toolchain, gpu, stopped));
            }
        };
        self.recompute(&prepared, constants)?;
        let Prepared { here, timed, bench, device, .. } = prepared;
        let conditions = health::conditions(&bench.readings, measured.redone);
        if conditions.is_none() {
            notes.push(
                "the GPU's clocks and temperature are not known: its management library (NVML) is not there"
                    .to_owned(),
            );
        }
        let names: Vec<&str> = here[..timed].iter().map(|planned| planned.case.name.as_str()).collect();
        Ok(Speed {
            cases: case_reports(&here, &device, None),
            reports: names.iter().zip(&measured.cases).map(|(name, case)| report(name, case)).collect(),
            timed: Ok(timed_of(&names, measured)),
            conditions,
        })
    }

    /// Measures once for each set of thresholds, in the same two workers; for studies of the judge itself.
    pub(super) fn measured_for(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        compiled: &Compiled,
        constants: &Constants,
        thresholds: &[Thresholds],
    ) -> Result<Vec<Measured>, CheckStop> {
        let cases = self.cases()?;
        let wrong = |why: &str| CheckStop::Judge(format!("expected a kernel that is right and timed: {why}"));
        let prepared = self.prepared(toolchain, gpu, compiled, &cases, constants, &mut Vec::new())?;
        let mut prepared = prepared.map_err(|speed| wrong(&speed.timed.err().unwrap_or_default()))?;
        if let Some(why) = prepared.not_timed {
            return Err(wrong(why));
        }
        let measure = |thresholds: &Thresholds| {
            self.measured(&mut prepared, thresholds).map_err(|stopped| match stopped {
                measure::MeasurementStop::Judge(why) => CheckStop::Judge(why),
                measure::MeasurementStop::Kernel(why) => wrong(&why),
            })
        };
        thresholds.iter().map(measure).collect()
    }

    fn measured(
        &self,
        prepared: &mut Prepared<'_>,
        thresholds: &Thresholds,
    ) -> Result<Measured, measure::MeasurementStop> {
        prepared.bench.begin();
        let roofs = prepared.roofs.clone();
        let mut limits = self.options.limits;
        if !self.options.defences.has(Defence::MemorySpeed) {
            limits.roof_share = f64::INFINITY;
        }
        measure::measure(&mut prepared.bench, &roofs, thresholds, &limits, secret())
    }

    /// Makes both workers ready and checks every case once: what is wrong is known without timing anything.
    fn prepared<'a>(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        compiled: &Compiled,
        cases: &'a [Case],
        constants: &Constants,
        notes: &mut Vec<String>,
    ) -> Result<Result<Prepared<'a>, Speed>, CheckStop> {
        let seed = self.options.seed.unwrap_or_else(secret);
        let mut here = Vec::new();
        let able = |case: &&Case| self.exercise.case_compute_capability(case) <= gpu.compute_capability;
        for case in cases.iter().filter(|case| !case.on.is_simulated()).filter(able) {
            let seed = fill::one_way(seed, case.index as u64);
            let plan = self.plan(case, seed, constants)?;
            let plan = self.with_strays_or_not(plan);
            if is_checked_there(case, &plan) {
                here.push(Planned { case, plan, seed });
            }
        }
        if here.is_empty() {
            return Ok(Err(Speed::none(Vec::new(), "no timed case")));
        }
        // Timed cases first, so that their positions are those of the measurement.
        here.sort_by_key(|planned| planned.case.on != On::GpuTimed);
        let timed = here.iter().filter(|planned| planned.case.on == On::GpuTimed).count();

        (self.progress)("preparing the timed cases");
        let kernel = self.kernel_setup(toolchain, gpu, compiled, &here, constants)?;
        if kernel.cases.iter().any(|case| case.fresh) {
            notes.push(format!("timed with values from seed {seed}"));
        }
        for (planned, case) in here.iter().zip(&kernel.cases) {
            if !case.fresh {
                let name = &planned.case.name;
                notes.push(format!(
                    "the values of case {name} are the same in each timed run: its outputs are listed"
                ));
            }
        }
        let baseline = match self.exercise.about().baseline {
            Some(baseline) if timed > 0 => {
                Some(self.baseline_setup(toolchain, gpu, &baseline, &kernel, &here[..timed])?)
            }
            _ => None,
        };
        let not_timed = match (timed, &baseline) {
            (0, _) => Some("no timed case"),
            (_, None) => Some("the exercise has no baseline"),
            (_, Some(_)) => None,
        };
        let spots = self.spots(&here, not_timed.is_none());
        let mut bench = Bench::new(&gpu.uuid, seed, secret(), spots);
        bench.fresh = self.options.defences.has(Defence::FreshValues);
        bench.every = self.options.defences.has(Defence::EverySample);
        let mut prepared = Prepared {
            here,
            timed,
            cases: kernel.cases.clone(),
            bench,
            roofs: Vec::new(),
            device: format!("gpu:{}", gpu.index),
            not_timed,
        };
        let l2_bytes = match prepared.bench.kernel.prepare(kernel) {
            Ok(ready) => ready.l2_bytes,
            Err(stopped) => {
                return prepared.wrong_at(0, self.blamed(toolchain, gpu, stopped)).map(Err);
            }
        };
        for index in 0..prepared.here.len() {
            (self.progress)(&format!("checking {}", prepared.here[index].case.name));
            for _ in 0..self.exercise.proofs(prepared.here[index].case).max(1) {
                if let Err(stopped) = prepared.bench.run(index, Side::Kernel) {
                    return prepared.wrong_at(index, self.blamed(toolchain, gpu, stopped)).map(Err);
                }
            }
        }
        if let Some(baseline) = baseline
            && let Err(stopped) = prepared.bench.baseline.prepare(baseline)
        {
            return prepared.wrong_at(0, of_baseline(stopped)).map(Err);
        }
        let large = ROOF_FOOTPRINT * l2_bytes;
        // A large case is compared with one copy; a small one with a copy of as many bytes, which finds the caches
        // in the same state.
        let copied = |kernel_bytes: u64| if kernel_bytes >= large { large } else { copy_of(kernel_bytes) };
        let roof = |planned: &Planned<'_>| {
            let kernel_bytes = planned.plan.minimum_bytes;
            // Every byte of the copy is read once and written once.
            let copy_bytes = 2 * copied(kernel_bytes);
            (kernel_bytes > 0).then_some(Roof {
                kernel_bytes,
                copy_bytes,
                may_be_claimed: kernel_bytes >= large && !planned.plan.is_compute_bound,
            })
        };
        let timed = &prepared.here[..timed];
        prepared.bench.copy_bytes = timed.iter().map(|planned| copied(planned.plan.minimum_bytes)).collect();
        prepared.roofs = timed.iter().map(roof).collect();
        Ok(Ok(prepared))
    }

    fn with_strays_or_not(&self, plan: Plan) -> Plan {
        if self.options.defences.has(Defence::Strays) { plan } else { plan.without_strays() }
    }

    /// A stop in a timed run, laid at the GPU's door where that is where it belongs.
    fn blamed(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        stopped: measure::MeasurementStop,
    ) -> measure::MeasurementStop {
        match stopped {
            measure::MeasurementStop::Kernel(why) => match self.broken(toolchain, gpu) {
                Some(broken) => measure::MeasurementStop::Judge(broken),
                None => measure::MeasurementStop::Kernel(why),
            },
            judge => judge,
        }
    }

    /// Compiles the judge's own code.
    pub(super) fn trusted(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        file: &str,
        source: &str,
    ) -> Result<Code, CheckStop> {
        let mut request = CompileRequest::new(file, source);
        request.headers.push((COURSE_HEADER.0.to_owned(), COURSE_HEADER.1.to_owned()));
        request.architecture = gpu.compute_capability;
        request.is_specific = self.exercise.about().is_specific;
        request.contraction = Contraction::Never;
        compiler::compile(toolchain, &request)
            .map(|compiled| Code::from(&compiled))
            .map_err(|error| CheckStop::Judge(format!("{file} does not compile: {error}")))
    }

    /// What the kernel's worker needs, with the reference kernel.
    fn kernel_setup(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        compiled: &Compiled,
        here: &[Planned<'_>],
        constants: &Constants,
    ) -> Result<Setup, CheckStop> {
        let about = self.exercise.about();
        let source = about.reference.as_ref().map(|each| each.source);
        let source = source.or(about.baseline.as_ref().map(|each| each.source));
        let needed = here.iter().any(|planned| planned.plan.needs_reference());
        let code = match source {
            Some(source) if needed => self.trusted(toolchain, gpu, "reference.cu", source)?,
            None if needed => {
                let why = "nothing says what the timed cases must give; this is the exercise's defect";
                return Err(CheckStop::Judge(why.to_owned()));
            }
            _ => Code::default(),
        };
        let mut cases = Vec::new();
        for Planned { case, plan, seed } in here {
            let make = || about.trusted_plan(case, *seed, constants);
            let reference =
                if plan.needs_reference() { planned("reference kernel", case, make)? } else { None };
            cases.push(TimedCase {
                expectations: plan.expectations.clone(),
                plan: without_expectations(plan.clone()),
                reference: reference.map(|plan| without_expectations(self.with_strays_or_not(plan))),
                fresh: !plan
                    .expectations
                    .iter()
                    .any(|each| matches!(each.expected, Expected::Elements { .. })),
            });
        }
        Ok(Setup {
            uuid: gpu.uuid.clone(),
            code: Code::from(compiled),
            cases,
            reference: code,
            probes: self.trusted(toolchain, gpu, "probes.cu", PROBES)?,
            checks: self.trusted(toolchain, gpu, "checks.cu", CHECKS)?,
            safeguards: self.options.defences.of_timing(),
        })
    }

    /// What the baseline's worker needs: the same values, and nothing to compare.
    fn baseline_setup(
        &self,
        toolchain: &Toolchain,
        gpu: &GpuInfo,
        baseline: &Baseline,
        kernel: &Setup,
        timed: &[Planned<'_>],
    ) -> Result<Setup, CheckStop> {
        let mut cases = Vec::new();
        for (Planned { case, seed, .. }, kernel) in timed.iter().zip(&kernel.cases) {
            let plan = planned("baseline", case, || (baseline.plan)(case, *seed))?;
            cases.push(TimedCase {
                plan: without_expectations(self.with_strays_or_not(plan)),
                expectations: Vec::new(),
                reference: None,
                fresh: kernel.fresh,
            });
        }
        Ok(Setup {
            code: self.trusted(toolchain, gpu, "baseline.cu", baseline.source)?,
            cases,
            reference: Code::default(),
            ..kernel.clone()
        })
    }

    /// For each case a run and elements of its outputs that the host computes again.
    fn spots(&self, here: &[Planned<'_>], timed: bool) -> Vec<Spots> {
        let of = |Planned { case, plan, .. }: &Planned<'_>| {
            let draw = |below: usize| (secret() % below.max(1) as u64) as usize;
            let mut wanted = Vec::new();
            for each in &plan.expectations {
                let range = each.range.clone().unwrap_or(0..plan.buffers[each.buffer.0].len());
                // What is listed was computed on the host to begin with.
                if matches!(each.expected, Expected::Elements { .. }) || range.is_empty() {
                    continue;
                }
                let mut drawn: Vec<usize> = (0..SPOTS).map(|_| range.start + draw(range.len())).collect();
                drawn.sort_unstable();
                drawn.dedup();
                wanted.extend(drawn.into_iter().map(|index| (each.buffer, index)));
            }
            let every = self.options.defences.has(Defence::EverySample);
            let runs = if timed && every && case.on == On::GpuTimed { SPOT_RUNS } else { 1 };
            Spots { run: secret() % runs, wanted, found: None }
        };
        here.iter().map(of).collect()
    }

    /// Computes on the host what some elements of one run must be. The kernel agreed with what the GPU says
    /// is right, so what differs here is the exercise's defect, or the GPU's.
    fn recompute(&self, prepared: &Prepared<'_>, constants: &Constants) -> Result<(), CheckStop> {
        if !self.options.defences.has(Defence::Recomputation) {
            return Ok(());
        }
        let all = prepared.here.iter().zip(&prepared.cases).zip(&prepared.bench.spots);
        for ((Planned { case, .. }, timed), spots) in all {
            let Some((values, found)) = &spots.found else { continue };
            let plan = timed.with_values(&timed.plan, *values);
            let problem = spots.wanted.par_iter().zip(found).find_map_any(|(&(id, index), bytes)| {
                let buffer = &plan.buffers[id.0];
                let expectation = timed.expectations.iter().find(|each| each.buffer == id)?;
                let found = compare::number(buffer.element, bytes);
                let (wanted, right) = match &expectation.expected {
                    Expected::Elements { .. } => return None,
                    Expected::Product(product) => {
                        let [_, n, k] = product.extents;
                        let (a, b) = (&plan.buffers[product.a.0], &plan.buffers[product.b.0]);
                        let bounds = Bounds::of(product, Moments::of(a)?, Moments::of(b)?, buffer.element);
                        let wanted = product::element(a, b, [index / n, index % n], [n, k]);
                        (wanted, (found - wanted).abs() <= bounds.largest)
                    }
                    Expected::Reference { tolerance } => {
                        let asked = OutputElement {
                            output: &buffer.name,
                            index,
                            inputs: Inputs::of(&plan),
                            constants,
                        };
                        let recompute = || self.exercise.recompute(case, &asked);
                        match catch_unwind(AssertUnwindSafe(recompute)) {
                            Ok(wanted) => {
                                let wanted = wanted?;
                                (wanted, compare::is_close(found, wanted, *tolerance))
                            }
                            Err(_) => {
                                return Some(format!("`{}` cannot be computed on the host", buffer.name));
                            }
                        }
                    }
                };
                (!right)
                    .then(|| format!("`{}`[{index}] is {found}, and the host computes {wanted}", buffer.name))
            });
            if let Some(problem) = problem {
                let why = format!(
                    "timing case {}: the kernel agrees with the reference kernel, but {problem}; this is the exercise's defect, \
                     or the GPU computes wrongly",
                    case.name
                );
                return Err(CheckStop::Judge(why));
            }
        }
        Ok(())
    }
}

impl From<SpeedGoals> for Thresholds {
    fn from(goals: SpeedGoals) -> Self {
        let SpeedGoals { pass_speedup, expert_speedup, expert_roof_share } = goals;
        Thresholds { pass_speedup, expert_speedup, expert_roof_share }
    }
}

/// Bytes of a copy that moves as many as a kernel, in whole words of 16.
fn copy_of(kernel_bytes: u64) -> u64 {
    (kernel_bytes / 2).next_multiple_of(16).max(16)
}

fn without_expectations(plan: Plan) -> Plan {
    Plan { expectations: Vec::new(), ..plan }
}

/// A plan of trusted code; a panic in it is the judge's failure.
fn planned<T>(what: &str, case: &Case, make: impl FnOnce() -> T) -> Result<T, CheckStop> {
    catch_unwind(AssertUnwindSafe(make))
        .map_err(|_| CheckStop::Judge(format!("the {what} has no plan for case {}", case.name)))
}

/// The cases as a report shows them: right, but for one that is not, after which none was run.
fn case_reports(here: &[Planned<'_>], device: &str, wrong: Option<(usize, String)>) -> Vec<CaseReport> {
    let report = |(index, planned): (usize, &Planned<'_>)| {
        let (status, complaints) = match &wrong {
            Some((at, why)) if index == *at => (CaseStatus::Finished, vec![why.clone()]),
            Some((at, _)) if index > *at => {
                (CaseStatus::Skipped("a timed case before it is wrong".to_owned()), Vec::new())
            }
            _ => (CaseStatus::Finished, Vec::new()),
        };
        CaseReport { complaints, ..CaseReport::new(planned.case.index, &planned.case.name, device, status) }
    };
    here.iter().enumerate().map(report).collect()
}

fn report(name: &str, case: &measure::MeasuredCase) -> SpeedReport {
    let measure::MeasuredCase { samples, speedup, roof_share, .. } = case;
    let quartiles = |times: &[f64]| [quantile(times, 0.25), quantile(times, 0.75)];
    SpeedReport {
        case: name.to_owned(),
        kernel_microseconds: measure::median(&samples.kernel),
        baseline_microseconds: measure::median(&samples.baseline),
        speedup: speedup.median,
        interval: [speedup.low, speedup.high],
        pairs: samples.kernel.len() as u32,
        roof_share: roof_share.map(|share| share.median),
        kernel_quartiles: quartiles(&samples.kernel),
        baseline_quartiles: quartiles(&samples.baseline),
        samples: samples.clone(),
    }
}

fn timed_of(names: &[&str], measured: Measured) -> Timed {
    Timed {
        cases: names.iter().map(|&name| name.to_owned()).collect(),
        speedup: measured.speedup,
        pairs: measured.rounds,
        roof_share: measured.roof_share.map(|share| share.median),
        pass: measured.pass,
        expert: measured.expert,
        doubt: measured.doubt,
    }
}
