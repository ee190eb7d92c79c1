//! What all four warps of a warpgroup must execute: a product (`wgmma`), a change of how many registers they have (`setmaxnreg`).
//! PTX ISA 9.0, "wgmma.mma_async" and "setmaxnreg": what happens where only some of them do is undefined.
//!
//! It is asked when the block has ended. Until then a warp may just be late.

use super::context::{Context, say, threads};
use crate::{
    finding::{FindingKind, Severity},
    findings::{Findings, Message},
    memory::Site,
};

/// Warps of a group.
const WARPS: usize = 4;

/// An instruction for a whole warpgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForAll {
    /// `wgmma`.
    Product,
    /// `setmaxnreg`.
    Registers,
}

#[derive(Debug)]
struct Step {
    what: ForAll,
    at: Site,
    /// How often each warp has executed it.
    times: [u32; WARPS],
}

/// What the warps of a block have executed of it, by warpgroup.
#[derive(Debug, Default)]
pub struct Together {
    groups: Vec<Vec<Step>>,
}

impl Together {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.groups.clear();
    }

    /// A warp executes such an instruction.
    pub fn step(&mut self, warp: u32, what: ForAll, at: Site) {
        let (group, warp) = (warp as usize / WARPS, warp as usize % WARPS);
        if self.groups.len() <= group {
            self.groups.resize_with(group + 1, Vec::new);
        }
        let steps = &mut self.groups[group];
        match steps.iter_mut().find(|step| step.at == at && step.what == what) {
            Some(step) => step.times[warp] += 1,
            None => {
                let mut times = [0; WARPS];
                times[warp] = 1;
                steps.push(Step { what, at, times });
            }
        }
    }

    /// Says what only some warps of a group have executed, or some oftener than others.
    pub fn check(&self, cx: &Context<'_>, findings: &mut Findings, block: u32) {
        for (group, steps) in self.groups.iter().enumerate() {
            let is_whole = cx.threads() as usize >= 32 * WARPS * (group + 1);
            for step in steps {
                // Of a product by a warp that belongs to no group it has been said.
                if is_whole || step.what == ForAll::Registers {
                    step.check(findings, block, group);
                }
            }
        }
    }
}

impl Step {
    fn check(&self, findings: &mut Findings, block: u32, group: usize) {
        let fewest = (0..WARPS).min_by_key(|&warp| self.times[warp]).unwrap_or(0);
        let most = (0..WARPS).rev().max_by_key(|&warp| self.times[warp]).unwrap_or(0);
        let (few, many) = (self.times[fewest], self.times[most]);
        if few == many {
            return;
        }
        let warp = |warp: usize| WARPS * group + warp;
        let name = match self.what {
            ForAll::Product => "wgmma",
            ForAll::Registers => "setmaxnreg",
        };
        say(
            findings,
            FindingKind::InvalidMask,
            Severity::Error,
            self.at,
            Site(0),
            threads(block, warp(most) as u32, 1),
            (many - few).into(),
            Message::Advised(
                format!(
                    "`{name}` is executed by all four warps of a warpgroup, or what happens is undefined: here warp {} of the block executed it \
                     {} and warp {} {}. Let whole warpgroups decide to come here: by `threadIdx.x / 128`, not by the warp or the thread.",
                    warp(most),
                    often(many),
                    warp(fewest),
                    often(few),
                )
                .into(),
                "Bring all four warps of a warpgroup to the instruction{at} equally often.",
            ),
        );
    }
}

/// A number of times, in words.
fn often(times: u32) -> String {
    match times {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{times} times"),
    }
}
