//! What a timed kernel must give cannot be known, and not be had from a part of the input.
//!
//! No time is believed that its bytes alone take longer than (`harness::measure`): every timed case must say how many.
//! And two kernels are played on the host, with the judge's own comparison: one that foretells its outputs from
//! source, size and distribution alone, and one that reads 95 of 100 sectors and takes the others for their
//! neighbours. Each must be found out in a check with a probability of at least 0.95.

use std::{borrow::Cow, collections::HashMap};

use harness::{
    compare::is_close,
    exercise::{Case, Constants, Exercise, Inputs, On, OutputElement},
    fill,
    plan::{Bytes, Expected, Fill, Plan, Strays, Tolerance},
    product::{Bounds, GROUP, Moments},
};
use rayon::prelude::*;

use course::COURSE;

/// How surely a check must find out either kernel.
const SURELY: f64 = 0.95;
/// Elements of a buffer beyond which it is shortened here, with as many strays as before: fewer elements only
/// make outputs easier to foretell.
const LONGEST: usize = 1 << 17;
/// Outputs that are looked at, of each; the judge looks at all.
const LOOKED_AT: usize = 128;
/// The same where data are crowded: most of the outputs then depend on few of them.
const LOOKED_AT_CROWDED: usize = 384;
/// They are among the first so many, which depend on what is left of shortened inputs.
const AMONG: usize = 1024;
/// Elements of a product that are looked at.
const ELEMENTS: u64 = 16;

/// One sector in twenty stays unread, here and there; the one before it is read.
fn unread(sector: usize) -> bool {
    sector % 2 == 1 && fill::hash(3, sector as u64).is_multiple_of(10)
}

/// The plan of one run, with values that only the judge knows, and shortened. What is short is made here once: outputs
/// depend on most of it, each anew.
fn run(exercise: &dyn Exercise, case: &Case, constants: &Constants, number: u64) -> Plan {
    let mut plan = exercise.plan(case, 1, constants).reseeded(fill::one_way(77, number));
    for buffer in &mut plan.buffers {
        let [n] = buffer.shape[..] else { continue };
        if n > LONGEST && !matches!(buffer.fill, Fill::Data(_)) {
            if let Fill::Strays(Strays { one_in, .. }) = &mut buffer.fill {
                *one_in = (*one_in / (n / LONGEST) as u64).max(2);
            }
            buffer.shape = vec![LONGEST];
        }
        if let Some(Cow::Owned(made)) = fill::contents(buffer) {
            buffer.fill = Fill::Data(Bytes(made.into()));
        }
    }
    plan
}

/// What one run asks for: for each output its elements' values, and how close a kernel must come.
struct Wanted {
    right: Vec<f64>,
    partly_read: Vec<f64>,
    tolerance: Tolerance,
}

fn wanted(
    exercise: &dyn Exercise,
    case: &Case,
    constants: &Constants,
    plan: &Plan,
    is_crowded: bool,
) -> Vec<Wanted> {
    let of = |inputs: Inputs<'_>, output: &str, indices: &[usize]| -> Vec<f64> {
        let element = |&index: &usize| {
            exercise
                .recompute(case, &OutputElement { output, index, inputs, constants })
                .expect("it can be recomputed")
        };
        indices.iter().map(element).collect()
    };
    let referred = plan.expectations.iter().filter_map(|each| match each.expected {
        Expected::Reference { tolerance } => Some((&plan.buffers[each.buffer.0], tolerance)),
        _ => None,
    });
    referred
        .map(|(output, tolerance)| {
            // What has more than one dimension is not shortened.
            let most = if output.shape.len() == 1 { output.len().min(AMONG) } else { output.len() };
            // A few outputs may each depend on all of the input.
            let many = if is_crowded { LOOKED_AT_CROWDED } else { LOOKED_AT };
            let count = if output.len() <= 256 { 4 } else { many };
            let drawn = |number: usize| (fill::hash(5, number as u64) % most as u64) as usize;
            let indices: Vec<usize> = (0..count.min(most)).map(drawn).collect();
            Wanted {
                right: of(Inputs::of(plan), &output.name, &indices),
                partly_read: of(Inputs::partly_read(plan, unread), &output.name, &indices),
                tolerance,
            }
        })
        .collect()
}

/// The root mean squares of the residuals of a product, over what the judge allows: of a kernel that has left a part
/// of the factors unread, and of one that foretells each element by the factors' means, the best guess there is.
fn product_excess(plan: &Plan) -> [f64; 2] {
    let products = plan.expectations.iter().filter_map(|each| match each.expected {
        Expected::Product(product) => Some((product, plan.buffers[each.buffer.0].element)),
        _ => None,
    });
    let excess = products.map(|(product, element)| {
        let [m, n, k] = product.extents;
        let (a, b) = (&plan.buffers[product.a.0], &plan.buffers[product.b.0]);
        let at = |inputs: Inputs<'_>, row: usize, column: usize| -> f64 {
            (0..k).map(|p| inputs.value(&a.name, row * k + p) * inputs.value(&b.name, p * n + column)).sum()
        };
        let moments = [a, b].map(|factor| Moments::of(factor).expect("random"));
        let foretold = k as f64 * moments[0].mean * moments[1].mean;
        let (mut partly_read, mut foretells) = (0.0, 0.0);
        for number in 0..ELEMENTS {
            let draw = |below: usize, stream| (fill::hash(stream, number) % below as u64) as usize;
            let (row, column) = (draw(m, 1), draw(n, 2));
            let right = at(Inputs::of(plan), row, column);
            partly_read += (right - at(Inputs::partly_read(plan, unread), row, column)).powi(2);
            foretells += (right - foretold).powi(2);
        }
        let allowed = Bounds::of(&product, moments[0], moments[1], element).typical;
        // A residual is the sum of a group's errors, each with a weight of 1 to 2 (`harness::product`).
        [partly_read, foretells]
            .map(|squares: f64| (squares / ELEMENTS as f64 * 7.0 / 3.0 * GROUP as f64).sqrt() / allowed)
    });
    excess.fold([f64::INFINITY; 2], |least, each| [least[0].min(each[0]), least[1].min(each[1])])
}

/// The shares of runs in which the kernel that reads a part, and the one that foretells, are found out.
fn found_out(exercise: &dyn Exercise, case: &Case, runs: u64) -> [f64; 2] {
    let constants = Constants::of_source(exercise.about().stub);
    let plans = (0..runs).into_par_iter().map(|number| run(exercise, case, &constants, number));
    let is_crowded = (exercise.plan(case, 1, &constants).buffers.iter())
        .any(|buffer| matches!(buffer.fill, Fill::Strays(_)));
    let all: Vec<Vec<Wanted>> =
        plans.map(|plan| wanted(exercise, case, &constants, &plan, is_crowded)).collect();
    let differs = |found: &[f64], wanted: &Wanted| {
        found.iter().zip(&wanted.right).any(|(&found, &right)| !is_close(found, right, wanted.tolerance))
    };
    let share = |count: usize| count as f64 / runs as f64;
    let partly = all.iter().filter(|run| run.iter().any(|each| differs(&each.partly_read, each))).count();
    // The best that can be foretold: whatever was right most often, by the first output alone.
    let mut frequency: HashMap<Vec<u64>, usize> = HashMap::new();
    for run in &all {
        let first =
            run.first().map_or(Vec::new(), |each| each.right.iter().map(|value| value.to_bits()).collect());
        *frequency.entry(first).or_default() += 1;
    }
    // And what another run gave, with the judge's tolerance.
    let lucky = (1..all.len()).filter(|&at| {
        all[at - 1].iter().zip(&all[at]).all(|(before, wanted)| !differs(&before.right, wanted))
    });
    let foretold = lucky.count().max(frequency.into_values().max().unwrap_or(0) - 1);
    [share(partly), 1.0 - share(foretold)]
}

#[test]
fn timed_outputs_can_neither_be_foretold_nor_had_from_a_part() {
    let mut seen = 0;
    for exercise in COURSE {
        for case in exercise.cases().iter().filter(|case| case.on == On::GpuTimed) {
            seen += 1;
            let name = format!("{}, {}", exercise.id(), case.name);
            let constants = Constants::of_source(exercise.about().stub);
            let plan = run(*exercise, case, &constants, 0);
            assert!(plan.minimum_bytes > 0, "{name}: no time is too short to be true");
            if !plan.needs_reference() {
                let excess = product_excess(&plan);
                eprintln!("{name}: residuals {excess:.0?} times what is right");
                for (who, excess) in ["reads a part", "foretells"].into_iter().zip(excess) {
                    assert!(excess > 10.0, "{name}: who {who} has residuals {excess} times what is right");
                }
                continue;
            }
            let proofs = exercise.proofs(case).max(1);
            let runs = if proofs > 1 { 1600 } else { 40 };
            let in_a_check = |in_a_run: f64| 1.0 - (1.0 - in_a_run).powi(proofs as i32);
            let [partly, foretold] = found_out(*exercise, case, runs).map(in_a_check);
            eprintln!("{name}: reads a part {partly:.3}, foretells {foretold:.3} ({proofs} runs)");
            assert!(partly >= SURELY, "{name}: who reads 95 % is found out with a probability of {partly}");
            assert!(
                foretold >= SURELY,
                "{name}: who foretells is found out with a probability of {foretold}"
            );
        }
    }
    assert!(seen > 15);
}

#[test]
fn the_maximum_of_many_random_floats_is_known() {
    // What 03 and 11 were timed with: 2²⁷ floats from minus to plus a million. A 32nd of them lie in the last 32nd
    // of the range, and the largest of these is the largest of all.
    let largest = |seed| {
        let values: Vec<f32> = fill::values(1 << 22, seed, 1.0e6 - 62_500.0, 1.0e6);
        values.into_iter().fold(f32::NEG_INFINITY, f32::max)
    };
    let known = (0..24).filter(|&seed| largest(seed) == 999_999.94).count();
    assert!(known >= 20, "{known} of 24");
}
