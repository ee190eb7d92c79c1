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
        let Some(gpu) = self.gpu.filter(|_| has_speed_goals(exercise)) else { return SpeedDemand::default() };
        let id = exercise.id();
        let driver = judge::driver().unwrap_or_default();
        let shelf = Shelf::of(&gpu.name, &driver);
        // Who waits here finds what another process has measured.
        let known = || {
            // A threshold belongs to the kernels that it was made from.
            let hash = calibrate::hash(exercise);
            let fresh = |calibrated: &Calibrated| calibrated.measured == hash;
            if let Some(kept) = shelf.as_ref().and_then(|shelf| shelf.take(id)).filter(fresh) {
                return Some(SpeedDemand::of(&kept, gpu));
            }
            if gpu.name == REFERENCE_MODEL {
                return Some(SpeedDemand::default());
            }
            let shipped = ModelThresholds::shipped();
            Some(SpeedDemand::of(shipped.find(&gpu.name, id).filter(|shipped| fresh(shipped))?, gpu))
        };
        if !self.again
            && let Some(known) = known()
        {
            return known;
        }
        let _alone = shelf.as_ref().and_then(Shelf::alone);
        if !self.again
            && let Some(known) = known()
        {
            return known;
        }
        match self.measured(exercise, gpu) {
            Ok(calibrated) => {
                if let Some(shelf) = &shelf
                    && let Err(error) = shelf.keep(id, calibrated.clone())
                {
                    remark(&format!(
                        "the thresholds could not be kept in {}: {}; the next check measures again",
                        shown(shelf.path()),
                        files::explain(&error)
                    ));
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

    fn measured(&self, exercise: &dyn Exercise, gpu: &GpuInfo) -> Result<Calibrated, Unmeasured> {
        remark(&format!(
            "measuring the course's own kernels of {} on {}: some seconds, once for this GPU and driver",
            exercise.id(),
            gpu.name
        ));
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
    use super::*;

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
