//! What a check asks of speed on the GPU that it runs on.
//!
//! Goals that nobody has measured for this GPU are measured before the learner's kernel is run or even compiled: the
//! course's own kernels run in workers of their own, which end before its worker starts.

use harness::{
    device::GpuInfo,
    exercise::{Exercise, On, SpeedGoals},
    judge::{self, CheckOptions},
    toolchain::Toolchain,
};
use serde::{Deserialize, Serialize};

use super::{Calibrated, ModelThresholds, REFERENCE_MODEL, kept::Shelf};
use crate::{
    calibrate::{self, Unmeasured},
    files,
    terminal::remark,
    visible::shown,
};

/// What is asked, and how that is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeedDemand {
    /// In place of the exercise's own goals.
    pub goals: Option<SpeedGoals>,
    /// Nobody can measure what to ask, for example where the timed inputs don't fit: speed is not judged.
    pub unknown: bool,
    /// The course's own kernels don't work on this GPU: nothing is judged.
    pub broken: Option<String>,
    /// What a report must say about it.
    pub note: Option<String>,
}

impl SpeedDemand {
    /// Sets a check's options.
    pub fn set(&self, options: &mut CheckOptions) {
        options.speed_goals = self.goals;
        options.skip_speed |= !self.is_known();
        options.notes.extend(self.note.clone());
    }

    /// Whether speed can be judged. Where it can't, the exercise's own goals, which are another GPU's, are none.
    pub fn is_known(&self) -> bool {
        !self.unknown && self.broken.is_none()
    }

    /// For a table, where it is not what the exercise asks for itself.
    pub fn in_words(&self) -> Option<String> {
        let goals = match self.goals {
            _ if !self.is_known() => return Some("not judged".to_owned()),
            goals => goals?,
        };
        let named = [
            ("", goals.pass_speedup),
            ("expert ", goals.expert_speedup),
            ("expert share of a copy ", goals.expert_roof_share),
        ];
        let all: Vec<String> =
            named.iter().filter_map(|(name, least)| Some(format!("{name}{:.2}", (*least)?))).collect();
        Some(if all.is_empty() { "nothing: it earns too little here".to_owned() } else { all.join(", ") })
    }

    fn of(calibrated: &Calibrated, gpu: &GpuInfo) -> Self {
        let (name, date) = (&gpu.name, &calibrated.date);
        SpeedDemand {
            goals: Some(calibrated.goals()),
            note: Some(format!("the speed goals are for {name}, as measured on {date}")),
            ..SpeedDemand::default()
        }
    }
}

/// What is said while a demand is found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// What takes some seconds now.
    Doing(String),
    /// What could not be done, and what follows from that. It changes no verdict.
    Remark(String),
}

/// A GPU to ask something of, and what it takes to measure on it.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The GPU; without one, speed is not judged at all.
    pub gpu: Option<&'a GpuInfo>,
    /// The compiler.
    pub toolchain: &'a Toolchain,
    /// Measure again what is known already.
    pub again: bool,
}

impl Here<'_> {
    /// What the exercise asks of speed here: what this machine measured, what came with the course, or what is
    /// measured now, which takes seconds, and is announced and kept.
    pub fn asked(&self, exercise: &dyn Exercise) -> SpeedDemand {
        self.asked_and_told(exercise, &|said| match said {
            Said::Doing(text) | Said::Remark(text) => remark(&text),
        })
    }

    /// The same for a caller who has the terminal: it is told what there is to say, and nothing is printed.
    pub fn asked_and_told(&self, exercise: &dyn Exercise, tell: &dyn Fn(Said)) -> SpeedDemand {
        let Some(gpu) = self.gpu.filter(|_| has_speed_goals(exercise)) else { return SpeedDemand::default() };
        let shelf = Shelf::of(&gpu.name, &judge::driver().unwrap_or_default());
        let shipped = ModelThresholds::shipped();
        self.asked_with(exercise, gpu, &shipped, shelf.as_ref(), tell, || self.measured(exercise, gpu, tell))
    }

    /// The same with what came with the course, with this shelf, and with this way to measure what is not known.
    fn asked_with(
        &self,
        exercise: &dyn Exercise,
        gpu: &GpuInfo,
        shipped: &ModelThresholds,
        shelf: Option<&Shelf>,
        tell: &dyn Fn(Said),
        measure: impl FnOnce() -> Result<Calibrated, Unmeasured>,
    ) -> SpeedDemand {
        let id = exercise.id();
        // Who waits here finds what another process has measured.
        let known = || {
            // A threshold belongs to the kernels that it was made from.
            let hash = calibrate::hash(exercise);
            let fresh = |calibrated: &Calibrated| calibrated.measured == hash;
            if let Some(kept) = shelf.and_then(|shelf| shelf.take(id)).filter(fresh) {
                return Some(SpeedDemand::of(&kept, gpu));
            }
            let shipped = shipped.find(&gpu.name, id).filter(|shipped| fresh(shipped))?;
            // What was measured on the reference model proves the exercise's own goals.
            Some(match gpu.name.as_str() {
                REFERENCE_MODEL => SpeedDemand::default(),
                _ => SpeedDemand::of(shipped, gpu),
            })
        };
        if !self.again
            && let Some(known) = known()
        {
            return known;
        }
        let _alone = shelf.and_then(Shelf::alone);
        if !self.again
            && let Some(known) = known()
        {
            return known;
        }
        match measure() {
            Ok(calibrated) => {
                if let Some(shelf) = shelf
                    && let Err(error) = shelf.keep(id, calibrated.clone())
                {
                    tell(Said::Remark(format!(
                        "the thresholds could not be kept in {}: {}; the next check measures again",
                        shown(shelf.path()),
                        files::explain(&error)
                    )));
                }
                SpeedDemand::of(&calibrated, gpu)
            }
            Err(Unmeasured::Untimed(why)) => SpeedDemand {
                unknown: true,
                note: Some(format!(
                    "speed is not judged: what to ask on {} can't be measured: {why}",
                    gpu.name
                )),
                ..SpeedDemand::default()
            },
            Err(Unmeasured::Broken(why)) => SpeedDemand {
                broken: Some(format!(
                    "the course's own kernels don't work on {}, so that nothing can be said of others: {why}",
                    gpu.name
                )),
                ..SpeedDemand::default()
            },
        }
    }

    fn measured(
        &self,
        exercise: &dyn Exercise,
        gpu: &GpuInfo,
        tell: &dyn Fn(Said),
    ) -> Result<Calibrated, Unmeasured> {
        tell(Said::Doing(format!(
            "measuring the course's own kernels of {} on {}: some seconds, once for this GPU and driver",
            exercise.id(),
            gpu.name
        )));
        calibrate::exercise(exercise, gpu, self.toolchain)
    }
}

/// Whether an exercise asks anything of speed.
pub fn has_speed_goals(exercise: &dyn Exercise) -> bool {
    exercise.about().speed_goals != SpeedGoals::default()
        && exercise.cases().iter().any(|case| case.on == On::GpuTimed)
}

#[cfg(test)]
mod tests {
    use std::{
        cell::{Cell, RefCell},
        fs,
    };

    use super::*;
    use crate::made_up;

    /// What is asked on a GPU of this name, with what stands on the shelf, and how often it was measured for that.
    fn asked(shelf: &Shelf, gpu: &str, again: bool, measured: Result<f64, &str>) -> (SpeedDemand, u32) {
        asked_of(&ModelThresholds::shipped(), shelf, gpu, again, measured)
    }

    /// The same of a course that came with these.
    fn asked_of(
        shipped: &ModelThresholds,
        shelf: &Shelf,
        gpu: &str,
        again: bool,
        measured: Result<f64, &str>,
    ) -> (SpeedDemand, u32) {
        let (demand, times, _) = asked_and_told(shipped, shelf, gpu, again, measured);
        (demand, times)
    }

    /// The same, with what was said.
    fn asked_and_told(
        shipped: &ModelThresholds,
        shelf: &Shelf,
        gpu: &str,
        again: bool,
        measured: Result<f64, &str>,
    ) -> (SpeedDemand, u32, Vec<Said>) {
        let exercise = course::COURSE.iter().find(|exercise| exercise.id() == "11-coarsening").unwrap();
        let gpu = GpuInfo { name: gpu.to_owned(), ..made_up::gpu(0) };
        let toolchain = Toolchain {
            library: "/nowhere".into(),
            builtins: "/nowhere".into(),
            include_directories: Vec::new(),
            version: harness::toolchain::PINNED,
            origin: harness::toolchain::Origin::Cache,
            note: None,
        };
        let here = Here { gpu: Some(&gpu), toolchain: &toolchain, again };
        let times = Cell::new(0);
        let measure = || {
            times.set(times.get() + 1);
            let pass = measured.map_err(|why| Unmeasured::Untimed(why.to_owned()))?;
            let of = Calibrated::of(&SpeedGoals::default(), Vec::new());
            Ok(Calibrated { pass_speedup: Some(pass), measured: calibrate::hash(*exercise), ..of })
        };
        let said = RefCell::new(Vec::new());
        let tell = |what: Said| said.borrow_mut().push(what);
        let demand = here.asked_with(*exercise, &gpu, shipped, Some(shelf), &tell, measure);
        (demand, times.get(), said.into_inner())
    }

    #[test]
    fn on_a_gpu_that_nobody_knows_the_first_check_measures_and_the_others_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::in_folder(folder.path(), "NVIDIA Some GPU", "1.2");
        let pass = |demand: &SpeedDemand| demand.goals.and_then(|goals| goals.pass_speedup);
        let (first, times) = asked(&shelf, "NVIDIA Some GPU", false, Ok(2.5));
        assert_eq!((pass(&first), times, first.is_known()), (Some(2.5), 1, true));
        assert!(first.note.unwrap().contains("are for NVIDIA Some GPU, as measured on"));
        // It takes effect at once, and stays.
        let (second, times) = asked(&shelf, "NVIDIA Some GPU", false, Ok(9.0));
        assert_eq!((pass(&second), times), (Some(2.5), 0));
        // `--recalibrate` measures what is known, and that stays.
        let (again, times) = asked(&shelf, "NVIDIA Some GPU", true, Ok(3.5));
        assert_eq!((pass(&again), times), (Some(3.5), 1));
        assert_eq!(pass(&asked(&shelf, "NVIDIA Some GPU", false, Ok(9.0)).0), Some(3.5));
        // Another driver's is another's.
        let other = Shelf::in_folder(folder.path(), "NVIDIA Some GPU", "1.3");
        assert_eq!(asked(&other, "NVIDIA Some GPU", false, Ok(1.5)).1, 1);
    }

    #[test]
    fn a_known_model_is_not_measured_and_gets_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let goals = |gpu: &str| {
            let (demand, times) = asked(&Shelf::in_folder(folder.path(), gpu, ""), gpu, false, Err("never"));
            assert_eq!(times, 0, "{gpu}");
            demand.goals
        };
        // The course's own goals are this one's.
        assert_eq!(goals(REFERENCE_MODEL), None);
        let h100 = goals("NVIDIA H100 80GB HBM3").expect("goals of its own");
        let course = course::COURSE.iter().find(|exercise| exercise.id() == "11-coarsening").unwrap();
        assert_ne!(h100.pass_speedup, course.about().speed_goals.pass_speedup);
    }

    #[test]
    fn own_goals_that_nobody_has_measured_as_they_are_now_are_asked_of_no_model() {
        let id = "11-coarsening";
        let mut stale = ModelThresholds::shipped();
        let mut known = stale.find(REFERENCE_MODEL, id).expect("this one is measured").clone();
        known.measured = "of other kernels".to_owned();
        stale.keep(REFERENCE_MODEL, id, known);
        for shipped in [ModelThresholds::default(), stale] {
            let folder = tempfile::tempdir().unwrap();
            let shelf = Shelf::in_folder(folder.path(), REFERENCE_MODEL, "");
            let (demand, times) = asked_of(&shipped, &shelf, REFERENCE_MODEL, false, Ok(2.5));
            assert_eq!((demand.goals.and_then(|goals| goals.pass_speedup), times), (Some(2.5), 1));
        }
    }

    #[test]
    fn a_shelf_that_refuses_is_told_of_and_changes_no_demand() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let shipped = ModelThresholds::default();
        let asked_on = |shelf: &Shelf| asked_and_told(&shipped, shelf, "NVIDIA Some GPU", false, Ok(2.5));
        let (kept, _, nothing) = asked_on(&Shelf::in_folder(folder.path(), "NVIDIA Some GPU", ""));
        let (refused, _, said) = asked_on(&Shelf::in_folder(&file, "NVIDIA Some GPU", ""));
        assert_eq!((refused, nothing), (kept, vec![]));
        let [Said::Remark(remark)] = said.as_slice() else { panic!("{said:?}") };
        assert!(remark.contains("a file stands where a folder should be"), "{remark}");
    }

    #[test]
    fn what_cannot_be_measured_is_not_judged_and_never_another_gpus() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::in_folder(folder.path(), "NVIDIA Small GPU", "");
        for _ in 0..2 {
            let (demand, times) = asked(&shelf, "NVIDIA Small GPU", false, Err("too little memory"));
            assert_eq!((demand.goals, demand.is_known(), times), (None, false, 1));
            assert!(demand.note.unwrap().contains("too little memory"));
        }
    }

    #[test]
    fn what_is_asked_is_said_in_words() {
        let asked = |pass_speedup, expert_roof_share| SpeedDemand {
            goals: Some(SpeedGoals { pass_speedup, expert_roof_share, ..SpeedGoals::default() }),
            ..SpeedDemand::default()
        };
        assert_eq!(SpeedDemand::default().in_words(), None);
        assert_eq!(asked(Some(1.2), Some(0.9)).in_words().unwrap(), "1.20, expert share of a copy 0.90");
        assert_eq!(asked(None, None).in_words().unwrap(), "nothing: it earns too little here");
        let unknown = SpeedDemand { unknown: true, ..asked(Some(1.2), None) };
        assert_eq!(unknown.in_words().unwrap(), "not judged");
    }

    #[test]
    fn an_unknown_goal_leaves_speed_unjudged() {
        let mut options = CheckOptions::default();
        SpeedDemand { unknown: true, note: Some("why".to_owned()), ..SpeedDemand::default() }
            .set(&mut options);
        assert!(options.skip_speed);
        assert_eq!(options.notes, ["why"]);
        let mut options = CheckOptions::default();
        SpeedDemand { broken: Some("why".to_owned()), ..SpeedDemand::default() }.set(&mut options);
        assert!(options.skip_speed);
    }
}
