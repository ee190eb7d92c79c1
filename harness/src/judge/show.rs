//! Puts a case's inputs, outputs and expected outputs side by side, for a learner who wants to look at them.

use std::ops::Range;

use super::run::view;
use crate::{
    compare,
    device::Output,
    fill,
    plan::{Argument, Buffer, BufferId, Element, Expectation, Launch, Plan, Step},
    report::{Mismatch, Shown, ShownElement, ShownInput, ShownOutput},
};

/// An output of so many elements is shown whole.
const WHOLE: usize = 32;
/// Of a larger one so many, …
const PART: usize = 16;
/// … the first wrong one with so many before it.
const BEFORE: usize = 4;
/// An input of so many elements is shown whole; else its first [`PART`].
const WHOLE_INPUT: usize = 64;
/// The same of one that has rows, which are easier to look through.
const WHOLE_MATRIX: usize = 512;

/// What the plan worked on, and what came out; the first wrong element of each output is known.
pub(super) fn show(plan: &Plan, outputs: &[Output], mismatches: &[Mismatch]) -> Shown {
    let is_expected = |id: usize| plan.expectations.iter().any(|each| each.buffer.0 == id);
    let inputs: Vec<usize> = (0..plan.buffers.len())
        .filter(|&id| !is_expected(id) && plan.is_input(BufferId(id)) && !plan.buffers[id].is_empty())
        .collect();
    let beside = |output: BufferId| -> Vec<usize> {
        let has_its_shape = |&id: &usize| plan.buffers[id].shape == plan.buffers[output.0].shape;
        let inputs = inputs.iter().copied().filter(has_its_shape);
        inputs.filter(|&id| are_of_one_launch(&plan.steps, [BufferId(id), output])).collect()
    };
    let is_beside = |id: &usize| plan.expectations.iter().any(|each| beside(each.buffer).contains(id));
    let apart = inputs.iter().filter(|id| !is_beside(id)).map(|&id| of_input(&plan.buffers[id]));
    let variables = plan.steps.iter().filter_map(|step| match step {
        Step::SetGlobal { name, element, bytes } => {
            let count = bytes.0.len() / element.bytes();
            Some(of_values(name, *element, &[count], &bytes.0, PART))
        }
        Step::Launch(_) | Step::Repeat { .. } | Step::ReadGlobal { .. } | Step::ReadBack(_) => None,
    });
    let outputs = plan.expectations.iter().filter_map(|expectation| {
        let beside: Vec<&Buffer> =
            beside(expectation.buffer).into_iter().map(|id| &plan.buffers[id]).collect();
        of_output(plan, expectation, (outputs, mismatches), &beside)
    });
    Shown { inputs: apart.chain(variables).collect(), outputs: outputs.collect() }
}

/// Whether some launch takes both buffers.
fn are_of_one_launch(steps: &[Step], buffers: [BufferId; 2]) -> bool {
    let takes = |launch: &Launch, wanted: BufferId| {
        let is_it = |argument: &Argument| argument.of_buffer() == Some(wanted);
        launch.arguments.iter().any(is_it)
    };
    steps.iter().any(|step| match step {
        Step::Launch(launch) => buffers.into_iter().all(|buffer| takes(launch, buffer)),
        Step::Repeat { steps, .. } => are_of_one_launch(steps, buffers),
        Step::SetGlobal { .. } | Step::ReadGlobal { .. } | Step::ReadBack(_) => false,
    })
}

fn of_input(buffer: &Buffer) -> ShownInput {
    let whole = if buffer.shape.len() > 1 { WHOLE_MATRIX } else { WHOLE_INPUT };
    let shown = if buffer.len() <= whole { buffer.len() } else { PART };
    let bytes = fill::contents(buffer).unwrap_or_default();
    of_values(&buffer.name, buffer.element, &buffer.shape, &bytes, shown)
}

fn of_values(name: &str, element: Element, shape: &[usize], bytes: &[u8], shown: usize) -> ShownInput {
    let values = bytes.chunks_exact(element.bytes()).take(shown);
    let values = values.map(|value| compare::text(element, value)).collect();
    ShownInput { name: name.to_owned(), shape: shape.to_vec(), values }
}

fn of_output(
    plan: &Plan,
    expectation: &Expectation,
    (outputs, mismatches): (&[Output], &[Mismatch]),
    beside: &[&Buffer],
) -> Option<ShownOutput> {
    let buffer = &plan.buffers[expectation.buffer.0];
    let view = view(outputs, expectation.buffer.0, true);
    let (first, of) = match &expectation.range {
        Some(range) => (range.start, range.len()),
        None => (0, buffer.len()),
    };
    let wrong = mismatches.iter().find(|mismatch| mismatch.buffer == buffer.name);
    let wrong = wrong.map(|mismatch| flat(&mismatch.index, &buffer.shape).saturating_sub(first));
    let window = window(of, wrong);
    let compared = compare::side_by_side(&plan.buffers, expectation, view.as_ref(), window.clone())?;
    let inputs: Vec<_> =
        beside.iter().map(|input| (input.element, fill::contents(input).unwrap_or_default())).collect();
    let elements = window.zip(compared).map(|(at, compared)| {
        let at = first + at;
        let of_input = |(element, bytes): &(Element, std::borrow::Cow<'_, [u8]>)| {
            let size = element.bytes();
            bytes
                .get(at * size..(at + 1) * size)
                .map_or_else(String::new, |value| compare::text(*element, value))
        };
        ShownElement {
            index: compare::position(at, &buffer.shape),
            inputs: inputs.iter().map(of_input).collect(),
            expected: compared.expected,
            found: compared.found,
            right: compared.right,
        }
    });
    Some(ShownOutput {
        name: buffer.name.clone(),
        shape: buffer.shape.clone(),
        beside: beside.iter().map(|input| input.name.clone()).collect(),
        elements: elements.collect(),
        of: of as u64,
    })
}

/// An element's number from its index along each dimension.
fn flat(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |number, (index, extent)| number * extent + index)
}

/// Which of so many elements to show.
fn window(of: usize, wrong: Option<usize>) -> Range<usize> {
    if of <= WHOLE {
        return 0..of;
    }
    let start = wrong.unwrap_or(0).saturating_sub(BEFORE).min(of - PART);
    start..start + PART
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_in_the_part_that_is_shown() {
        assert_eq!(window(32, Some(31)), 0..32);
        assert_eq!(window(33, None), 0..16);
        for wrong in [0, 3, 4, 17, 999] {
            let window = window(1000, Some(wrong));
            assert_eq!(flat(&compare::position(wrong, &[10, 100]), &[10, 100]), wrong);
            assert!(window.contains(&wrong) && window.len() == PART && window.end <= 1000, "{window:?}");
        }
    }
}
