//! What running the cases gave, case by case, until it becomes a report.

use crate::{
    exercise::{Case, CaseRun, CounterBound, Outputs},
    report::{CaseReport, CaseStatus},
    worker::SandboxStatus,
};

/// What running the cases gave, in report order.
#[derive(Default)]
pub(super) struct Runs {
    pub reports: Vec<CaseReport>,
    pub bounds: Vec<Vec<CounterBound>>,
    /// Position in the cases asked for, device, outputs; for plots.
    pub outputs: Vec<(usize, String, Outputs)>,
    pub sandbox: Option<SandboxStatus>,
    pub notes: Vec<String>,
}

impl Runs {
    pub fn case_runs<'a>(&'a self, cases: &'a [Case]) -> Vec<CaseRun<'a>> {
        self.outputs
            .iter()
            .map(|(position, device, outputs)| CaseRun { case: &cases[*position], device, outputs })
            .collect()
    }

    /// Reports the cases for nothing but a GPU that did not run there.
    pub fn skip(&mut self, cases: &[Case], device: &str, why: &str) {
        for case in cases.iter().filter(|case| !case.on.is_simulated()) {
            if !self.reports.iter().any(|known| known.number == case.index && known.device == device) {
                self.leave_out(case, device, why.to_owned());
            }
        }
    }

    pub fn leave_out(&mut self, case: &Case, device: &str, why: String) {
        self.reports.push(CaseReport::new(case.index, &case.name, device, CaseStatus::Skipped(why)));
        self.bounds.push(Vec::new());
    }
}
