//! What an exercise's checks are handed: the first contents of a plan's buffers, what was asked
//! for, what was read back.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use warpsim::Counters;

use super::Constants;
use crate::{
    fill,
    plan::{Buffer, Plan, Step},
};

/// An element of an output that the judge asks the host for.
#[derive(Clone, Copy, Debug)]
pub struct OutputElement<'a> {
    /// The output's name.
    pub output: &'a str,
    /// The element's index in it.
    pub index: usize,
    /// What it is to be made from.
    pub inputs: Inputs<'a>,
    /// The kernel's launch constants.
    pub constants: &'a Constants,
}

/// What the buffers of a plan hold before the first step, element by element.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    plan: &'a Plan,
    unread: Option<fn(usize) -> bool>,
}

impl<'a> Inputs<'a> {
    /// Those of a plan.
    pub fn of(plan: &'a Plan) -> Self {
        Inputs { plan, unread: None }
    }
    /// Those of a plan as a kernel has them that leaves some elements unread and takes each of them for the one
    /// a sector before it: what must not be right.
    pub fn partly_read(plan: &'a Plan, unread: fn(usize) -> bool) -> Self {
        Inputs { plan, unread: Some(unread) }
    }
    /// The element that a kernel takes for this one.
    fn taken(&self, buffer: &Buffer, index: usize) -> usize {
        let sector = 32 / buffer.element.bytes();
        match self.unread {
            Some(unread) if unread(index / sector) => index.saturating_sub(sector),
            _ => index,
        }
    }
    fn known(&self, buffer: &Buffer, range: Range<usize>) -> Vec<f64> {
        let mut elements = fill::elements(buffer, range.clone())
            .unwrap_or_else(|| panic!("{} starts uninitialised", buffer.name));
        if let Some(unread) = self.unread {
            let of_sector = 32 / buffer.element.bytes();
            let sectors = range.start / of_sector..range.end.div_ceil(of_sector);
            for index in sectors
                .filter(|&sector| unread(sector))
                .flat_map(|sector| sector * of_sector..(sector + 1) * of_sector)
            {
                if range.contains(&index) {
                    let taken = fill::element(buffer, self.taken(buffer, index));
                    elements[index - range.start] = taken.expect("the others are known");
                }
            }
        }
        elements
    }
    fn buffer(&self, name: &str) -> &'a Buffer {
        let found = self.plan.buffers.iter().find(|buffer| buffer.name == name);
        found.unwrap_or_else(|| panic!("the plan has no buffer {name}"))
    }
    /// The number of a buffer's elements.
    ///
    /// # Panics
    /// If the plan has no such buffer.
    pub fn len(&self, name: &str) -> usize {
        self.buffer(name).len()
    }
    /// One element.
    ///
    /// # Panics
    /// If the plan has no such buffer or element, or the buffer starts uninitialised.
    pub fn value(&self, name: &str, index: usize) -> f64 {
        let buffer = self.buffer(name);
        assert!(index < buffer.len(), "{name} has {} elements, asked for number {index}", buffer.len());
        let value = fill::element(buffer, self.taken(buffer, index));
        value.unwrap_or_else(|| panic!("{} starts uninitialised", buffer.name))
    }
    /// Some elements, made piece by piece on all threads; large buffers are never held as a whole.
    ///
    /// # Panics
    /// As [`Inputs::value`].
    pub fn values(&self, name: &str, range: Range<usize>) -> impl Iterator<Item = f64> + use<'a> {
        const PIECE: usize = 1 << 18;
        /// Less is not worth a second thread.
        const SMALL: usize = 1 << 12;
        let (buffer, inputs) = (self.buffer(name), *self);
        assert!(range.end <= buffer.len(), "{name} has {} elements, asked for {range:?}", buffer.len());
        range.clone().step_by(PIECE).flat_map(move |start| -> Vec<f64> {
            let piece = start..(start + PIECE).min(range.end);
            match piece.len() {
                ..SMALL => inputs.known(buffer, piece),
                _ => {
                    let parts: Vec<usize> = piece.clone().step_by(SMALL).collect();
                    let known = |start: usize| inputs.known(buffer, start..(start + SMALL).min(piece.end));
                    parts.into_par_iter().flat_map_iter(known).collect()
                }
            }
        })
    }
    /// What the plan writes to a global or constant variable of the module; the same for all runs.
    ///
    /// # Panics
    /// If the plan sets no variable of that name, or its size is no multiple of the element's.
    pub fn variable<T: bytemuck::Pod>(&self, name: &str) -> Vec<T> {
        let set = self.plan.steps.iter().find_map(|step| match step {
            Step::SetGlobal { name: set, bytes, .. } if set == name => Some(bytes),
            _ => None,
        });
        let bytes = set.unwrap_or_else(|| panic!("the plan sets no variable {name}"));
        bytemuck::allocation::pod_collect_to_vec(&bytes.0)
    }
}

/// The buffers read back, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outputs(pub std::collections::BTreeMap<String, Vec<u8>>);

impl Outputs {
    /// A buffer's elements.
    ///
    /// # Panics
    /// If the plan did not read back a buffer of that name, or its size is no multiple of the element's.
    pub fn elements<T: bytemuck::Pod>(&self, name: &str) -> Vec<T> {
        let bytes = self.0.get(name).unwrap_or_else(|| panic!("the plan reads no buffer {name} back"));
        bytemuck::allocation::pod_collect_to_vec(bytes)
    }
}

/// A run on the simulator in which reads of shared memory had costs of their own.
pub struct SecretClock<'a> {
    /// What was read back.
    pub outputs: &'a Outputs,
    /// What was counted in it, over all launches.
    pub counters: &'a Counters,
    /// The same of the optimised PTX on the usual clock, which counter bounds are for.
    pub usual_counters: &'a Counters,
    /// Cycles that the clock counts for an instruction, give or take as much for each look at it.
    pub rate: u64,
    pub(crate) secret: u64,
}

impl SecretClock<'_> {
    /// Cycles that a load from shared memory took beyond those of a load with one wavefront, in the plan's
    /// launch of this position.
    pub fn load_cycles(&self, launch: u64, wavefronts: u64) -> u64 {
        let more = wavefronts.saturating_sub(1);
        let cycles = crate::device::clock::load_cycles(self.secret, launch);
        self.rate * usize::try_from(more).ok().and_then(|more| cycles.get(more).copied()).unwrap_or(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Bytes, Element, Fill};

    #[test]
    fn inputs_are_the_contents_piece_by_piece() {
        let mut plan = Plan::new();
        let count = (1 << 18) + 1000;
        plan.buffer("in", Element::I32, &[count], Fill::Random { seed: 3, low: -5.0, high: 1e6 });
        plan.set_global("filter", Element::F32, Bytes::of(&[1.5f32, -2.0]));
        let listed: Vec<i32> = fill::values(count, 3, -5.0, 1e6);
        let inputs = Inputs::of(&plan);
        assert!(inputs.values("in", 0..count).eq(listed.iter().map(|&value| f64::from(value))));
        assert!(inputs.values("in", 700..703).eq(listed[700..703].iter().map(|&value| f64::from(value))));
        assert_eq!(inputs.value("in", count - 1), f64::from(listed[count - 1]));
        assert_eq!(inputs.values("in", 5..5).count(), 0);
        assert_eq!(inputs.len("in"), count);
        assert_eq!(inputs.variable::<f32>("filter"), [1.5, -2.0]);
        let partly = Inputs::partly_read(&plan, |sector| sector == 2);
        assert_eq!(partly.value("in", 17), inputs.value("in", 9));
        assert!(partly.values("in", 24..900).eq(inputs.values("in", 24..900)));
        let mixed = Inputs::partly_read(&plan, |sector| sector % 3 != 1);
        for range in [0..9, 3..30, 21..22, 4090..8200] {
            let one_by_one = range.clone().map(|index| mixed.value("in", index));
            assert!(mixed.values("in", range.clone()).eq(one_by_one), "{range:?}");
        }
    }
}
