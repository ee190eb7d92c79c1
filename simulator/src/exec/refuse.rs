//! Where a launch cannot go on: no GPU would carry out the instruction, or the simulator lacks it.

use crate::{
    exec::{
        access::Port,
        context::{Stop, report},
    },
    finding::{FindingKind, Severity},
    findings::ThreadId,
    memory::Site,
};

/// Says that the simulator lacks something.
pub fn lacking(what: &str) -> String {
    format!("The simulator lacks {what}. Nothing is said about this kernel.")
}

impl Port<'_, '_> {
    /// Reports what no GPU would carry out.
    pub fn refuse(&mut self, kind: FindingKind, lane: usize, message: String) -> Stop {
        let thread = ThreadId { block: self.block, thread: self.warp * 32 + lane as u32 };
        report(
            &mut self.memory.findings,
            kind,
            Severity::Error,
            self.site,
            Site(0),
            vec![thread],
            1,
            message,
        );
        Stop::Faulted
    }

    /// Reports what the simulator lacks.
    #[cold]
    pub fn lack(&mut self, lane: usize, what: &str) -> Stop {
        self.refuse(FindingKind::Unsupported, lane, lacking(what));
        Stop::Unsupported
    }
}
