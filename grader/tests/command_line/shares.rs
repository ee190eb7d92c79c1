//! The blocks of a grid share its work: every solution, changed so that block 0 does what all do, one after the other,
//! fails for that.

use std::{collections::BTreeMap, fs, path::Path};

use harness::{
    exercise::{Constants, Exercise},
    plan::{Plan, Step},
};
use rayon::prelude::*;

use crate::support::Place;

/// Its warps are alone in each launch.
const OF_ONE_BLOCK: &str = "05-bank-conflicts";
/// Blocks that show it. A case of more would only take longer.
const MANY: u64 = 32;

/// The kernels of a text as functions that block 0 calls for every block of the grid.
fn by_one_block(source: &str) -> String {
    let mut changed = String::new();
    let mut rest = source;
    while let Some(at) =
        rest.find("__global__").and_then(|kernel| Some(kernel + rest[kernel..].find('{')? + 1))
    {
        let (head, body) = rest.split_at(at);
        let end = end_of_braces(body);
        changed += head;
        changed += "
    if (blockIdx.x + blockIdx.y + blockIdx.z != 0) { return; }
    dim3 of_all = gridDim;
    for (unsigned block = 0; block < of_all.x * of_all.y * of_all.z; ++block) {
        dim3 this_block(block % of_all.x, block / of_all.x % of_all.y, block / of_all.x / of_all.y);
        [=]() mutable {";
        changed += &body[..end].replace("blockIdx", "this_block");
        changed += "}();
        __syncthreads();
    }
";
        rest = &body[end..];
    }
    changed + rest
}

/// Where the braces end that are open at the beginning.
fn end_of_braces(text: &str) -> usize {
    let mut open = 1;
    let brace = |(_, letter): &(usize, char)| matches!(letter, '{' | '}');
    let mut braces = text.char_indices().filter(brace);
    let end = braces.find(|(_, brace)| {
        open += if *brace == '{' { 1 } else { -1 };
        open == 0
    });
    end.expect("every brace is closed").0
}

/// Blocks and threads of a plan's largest launch.
fn largest(plan: &Plan) -> (u64, u64) {
    let product = |extents: [u32; 3]| extents.iter().map(|&extent| u64::from(extent)).product();
    let launches = plan.steps.iter().filter_map(|step| match step {
        Step::Launch(launch) => Some((product(launch.grid), product(launch.grid) * product(launch.block))),
        _ => None,
    });
    launches.max().unwrap_or_default()
}

/// The smallest case of many blocks, or that of most blocks where none has many.
fn case_of(exercise: &dyn Exercise, source: &str) -> Option<usize> {
    let value = |name: &str| {
        let (_, behind) = source.split_once(&format!("LAUNCH_CONSTANT({name}, "))?;
        behind.split(')').next()?.parse().ok()
    };
    let bounds = exercise.about().constants.iter();
    let values: BTreeMap<String, i64> =
        bounds.filter_map(|bound| Some((bound.name.to_owned(), value(bound.name)?))).collect();
    let cases = exercise.cases();
    let sizes = cases.iter().filter(|case| case.on.is_simulated()).map(|case| {
        let (blocks, threads) = largest(&exercise.plan(case, 1, &Constants(values.clone())));
        (case.index, blocks, threads)
    });
    let sizes: Vec<_> = sizes.filter(|&(_, blocks, _)| blocks > 1).collect();
    let many = sizes.iter().filter(|(_, blocks, _)| *blocks >= MANY).min_by_key(|(.., threads)| *threads);
    many.or(sizes.iter().max_by_key(|(_, blocks, _)| *blocks)).map(|&(index, ..)| index)
}

fn judged(exercise: &dyn Exercise) -> Result<(), String> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../solutions").join(exercise.id()).join("kernel.cu");
    let source = fs::read_to_string(file).expect("a checkout");
    let Some(case) = case_of(exercise, &source) else {
        assert_eq!(exercise.id(), OF_ONE_BLOCK, "no launch has two blocks");
        return Ok(());
    };
    let place = Place::new();
    place.write("k.cu", by_one_block(&source));
    let case = case.to_string();
    let check = ["check", exercise.id(), "--kernel", "k.cu", "--case", &case, "--device", "sim", "-v"];
    let given = place.grader(&check);
    let failed = |line: &str| line.contains("busiest_block_load_sectors") && line.contains("failed");
    match given.code == 1 && given.out.lines().any(failed) {
        true => Ok(()),
        false => Err(format!("{} by one block, case {case}: {}", exercise.id(), given.all())),
    }
}

#[test]
fn one_block_must_not_do_the_work_of_all() {
    let wrong: Vec<String> =
        course::COURSE.par_iter().filter_map(|exercise| judged(*exercise).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
