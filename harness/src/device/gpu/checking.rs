//! Checks everything that a timed run may and may not have written.
//!
//! What is right reaches the GPU after the kernel has ended, and so does the code that compares:
//! both are loaded anew for each run, because a kernel that writes where it pleases might have
//! changed what lay there before.

use std::{
    cell::RefCell,
    ops::Range,
    time::{Duration, Instant},
};

use super::{
    Bound, Parameters,
    arena::{ALIGNMENT, Layout},
    driver::{Image, Memory},
    image_of, parameters_of, preparing,
    trusted::{Factors, Found, Slots, Trusted},
    words,
};
use crate::{
    compare,
    device::{
        Code, ExecutionStatus,
        timed::{Safeguards, TimedCase},
    },
    fill::{self, DeviceRecipe},
    plan::{Buffer, BufferId, Expectation, Expected, Fill, Plan, Product, Tolerance},
    product::{self, Bounds, GROUP, Moments, ROUNDS},
};

/// Seconds that the reference kernel may take.
const REFERENCE_SECONDS: f64 = 10.0;

/// Code that is loaded again and again.
pub(super) struct Reloaded {
    code: Code,
    parameters: Parameters,
}

impl Reloaded {
    pub fn new(code: Code) -> Result<Self, ExecutionStatus> {
        let parameters = parameters_of(&code)?;
        Ok(Reloaded { code, parameters })
    }
    pub fn image(&self) -> Result<Image, ExecutionStatus> {
        image_of(&self.code, self.parameters.clone())
    }
}

/// A check that was started, in the order of the slots.
enum Check {
    Outside { guard: usize },
    Input { buffer: usize },
    Output { buffer: usize, start: usize, expected: Place },
    Product { buffer: usize, wanted: Product, bounds: Bounds },
}

/// Where expected elements begin: an offset in the arena or beside it.
#[derive(Clone, Copy)]
enum Place {
    Arena(usize),
    Beside(usize),
}

/// Bytes beside the arena for what a case is compared with.
pub(super) fn beside_bytes(case: &TimedCase) -> usize {
    let reference = case.reference.as_ref().map_or(0, Layout::most_bytes);
    let of_listed = |each: &Expectation| match &each.expected {
        Expected::Elements { values, .. } => values.0.len(),
        _ => 0,
    };
    let listed = case.expectations.iter().map(of_listed).max().unwrap_or(0);
    let of_data = |buffer: &Buffer| match &buffer.fill {
        Fill::Data(data) => data.0.len(),
        _ => 0,
    };
    let data = case.plan.buffers.iter().map(of_data).max().unwrap_or(0);
    reference.max(listed).max(data)
}

/// Bytes of sums that the check of a case's products needs.
pub(super) fn scratch_bytes(expectations: &[Expectation]) -> usize {
    let of_product = |each: &Expectation| match &each.expected {
        Expected::Product(product) => Factors::scratch_bytes(product.extents),
        _ => 0,
    };
    expectations.iter().map(of_product).max().unwrap_or(0)
}

/// Writes the first contents of every buffer that has some.
pub(super) fn write_contents(
    trusted: &Trusted,
    plan: &Plan,
    layout: &Layout,
    memory: &Memory,
) -> Result<(), ExecutionStatus> {
    for (buffer, range) in plan.buffers.iter().zip(&layout.buffers) {
        if let Fill::Data(data) = &buffer.fill {
            memory.write(range.start, &data.0[..range.len()]).map_err(preparing)?;
        } else if let Some(recipe) = DeviceRecipe::of(buffer) {
            let address = memory.address() + range.start as u64;
            trusted.fill(address, buffer.len(), &recipe).map_err(ExecutionStatus::Error)?;
        }
    }
    Ok(())
}

/// A run that has ended.
pub(super) struct Checked<'a> {
    pub case: &'a TimedCase,
    pub plan: &'a Plan,
    pub layout: &'a Layout,
    pub arena: &'a Memory,
    pub beside: &'a Memory,
    pub scratch: &'a Memory,
    /// What guard bands hold was made from this.
    pub garbage: u64,
    /// What the inputs were made from.
    pub values: u64,
    /// What the weights of residuals are made from.
    pub residuals: u64,
    pub multiprocessors: u32,
    pub safeguards: Safeguards,
    /// Where in the arena the elements lie that the reference kernel gave before the run, one offset for each
    /// expectation that asks for it; nothing where it is to run now, as it should.
    pub early: Option<&'a [usize]>,
}

impl Checked<'_> {
    fn address(&self, place: Place) -> u64 {
        match place {
            Place::Arena(offset) => self.arena.address() + offset as u64,
            Place::Beside(offset) => self.beside.address() + offset as u64,
        }
    }

    fn read(&self, place: Place, offset: usize, bytes: &mut [u8]) -> Result<(), ExecutionStatus> {
        let read = match place {
            Place::Arena(start) => self.arena.read(start + offset, bytes),
            Place::Beside(start) => self.beside.read(start + offset, bytes),
        };
        read.map_err(preparing)
    }
}

/// Checks everything that a run may and may not have written.
pub(super) fn check(
    run: &Checked<'_>,
    checks: &Reloaded,
    reference: Option<&Reloaded>,
    slots: &mut Slots,
) -> Result<(), ExecutionStatus> {
    let Checked { plan, layout, arena, .. } = run;
    let trusted = Trusted::new(checks.image()?, run.multiprocessors);
    let address = |buffer: usize| arena.address() + layout.buffers[buffer].start as u64;
    let mut started = Vec::new();
    slots.clear().map_err(preparing)?;
    if run.safeguards.guards {
        trusted.find_outside(arena, layout, run.garbage, slots).map_err(ExecutionStatus::Error)?;
        started.extend((0..layout.guards().count()).map(|guard| Check::Outside { guard }));
    }
    for (index, buffer) in plan.buffers.iter().enumerate() {
        if !plan.is_input(BufferId(index)) || !run.safeguards.inputs {
            continue;
        }
        if let Fill::Data(data) = &buffer.fill {
            run.beside.write(0, &data.0).map_err(preparing)?;
            trusted
                .find_other_bytes(address(index), run.beside.address(), data.0.len(), slots)
                .map_err(ExecutionStatus::Error)?;
        } else if let Some(recipe) = DeviceRecipe::of(buffer) {
            trusted
                .find_changed(address(index), buffer.len(), &recipe, slots)
                .map_err(ExecutionStatus::Error)?;
        }
        started.push(Check::Input { buffer: index });
    }
    for each in &run.case.expectations {
        let index = each.buffer.0;
        let buffer = &plan.buffers[index];
        match &each.expected {
            Expected::Elements { values, tolerance } => {
                let range = each.range.clone().unwrap_or(0..buffer.len());
                let from = address(index) + (range.start * buffer.element.bytes()) as u64;
                run.beside.write(0, &values.0).map_err(preparing)?;
                let expected = run.beside.address();
                trusted
                    .find_wrong([from, expected], range.len(), buffer.element, *tolerance, slots)
                    .map_err(ExecutionStatus::Error)?;
                started.push(Check::Output { buffer: index, start: range.start, expected: Place::Beside(0) });
                // The place is needed for the next one, and this one's elements if they are wrong.
                settle(run, &mut started, slots)?;
            }
            Expected::Product(wanted) => {
                let (a, b) = (&plan.buffers[wanted.a.0], &plan.buffers[wanted.b.0]);
                let (Some(a_moments), Some(b_moments)) = (Moments::of(a), Moments::of(b)) else {
                    return Err(ExecutionStatus::Error("a product's matrices have no contents".to_owned()));
                };
                let bounds = Bounds::of(wanted, a_moments, b_moments, buffer.element);
                for round in 0..ROUNDS {
                    let factors = Factors {
                        a: (address(wanted.a.0), a.element),
                        b: (address(wanted.b.0), b.element),
                        c: (address(index), buffer.element),
                        extents: wanted.extents,
                        largest: bounds.largest,
                    };
                    let seed = fill::one_way(run.residuals, round);
                    trusted
                        .find_residuals(&factors, seed, run.scratch.address(), slots)
                        .map_err(ExecutionStatus::Error)?;
                    started.push(Check::Product { buffer: index, wanted: *wanted, bounds });
                }
            }
            Expected::Reference { .. } => {}
        }
    }
    // Before the reference kernel runs: what was found so far is about the kernel under test alone.
    settle(run, &mut started, slots)?;
    if let (Some(reference), Some(_)) = (reference, &run.case.reference) {
        let places: Vec<Place> = match run.early {
            Some(offsets) => offsets.iter().copied().map(Place::Arena).collect(),
            None => {
                let ran = run_reference(run.case, plan, run.values, &trusted, reference, run.beside)?;
                ran.into_iter().map(|range| Place::Beside(range.start)).collect()
            }
        };
        compare_with_reference(run, &trusted, &places, slots, &mut started)?;
        settle(run, &mut started, slots)?;
    }
    Ok(())
}

/// The outputs that must be what the reference kernel gives: the buffer, its elements, and how close.
fn referred(case: &TimedCase) -> impl Iterator<Item = (usize, Range<usize>, Tolerance)> + '_ {
    case.expectations.iter().filter_map(|each| match each.expected {
        Expected::Reference { tolerance } => {
            let range = each.range.clone().unwrap_or(0..case.plan.buffers[each.buffer.0].len());
            Some((each.buffer.0, range, tolerance))
        }
        _ => None,
    })
}

/// Runs the reference kernel on the same values. Gives the bytes of `beside` where its outputs lie, in
/// the order of [`referred`].
fn run_reference(
    case: &TimedCase,
    plan: &Plan,
    values: u64,
    trusted: &Trusted,
    reference: &Reloaded,
    beside: &Memory,
) -> Result<Vec<Range<usize>>, ExecutionStatus> {
    let its_own =
        |status: ExecutionStatus| ExecutionStatus::Error(format!("the reference kernel: {}", words(status)));
    let Some(its_plan) = &case.reference else { return Ok(Vec::new()) };
    let its_plan = case.with_values(its_plan, values);
    let layout = Layout::of(&its_plan);
    write_contents(trusted, &its_plan, &layout, beside)?;
    let image = reference.image()?;
    let bound = Bound {
        image: &image,
        code: &reference.code,
        plan: &its_plan,
        layout: &layout,
        memory: beside,
        textures: RefCell::default(),
        deadline: Instant::now() + Duration::from_secs_f64(REFERENCE_SECONDS),
        seconds: REFERENCE_SECONDS,
    };
    bound.steps(&its_plan.steps, &mut |_| Ok(())).map_err(its_own)?;
    bound.wait().map_err(its_own)?;
    let place = |(index, range, _): (usize, Range<usize>, Tolerance)| {
        let buffer: &Buffer = &plan.buffers[index];
        let same = its_plan.place_of(buffer);
        let missing = || format!("the reference kernel's plan has no `{}` like this one", buffer.name);
        let start = layout.buffers[same.ok_or_else(|| ExecutionStatus::Error(missing()))?].start;
        let size = buffer.element.bytes();
        Ok(start + range.start * size..start + range.end * size)
    };
    referred(case).map(place).collect()
}

/// What no judge should do: computes what is right before the kernel under test runs, and leaves it at the
/// end of the arena. Gives the offsets there, in the order of [`referred`]. For proofs alone
/// ([`Safeguards::late_expectations`]).
pub(super) fn expect_early(
    case: &TimedCase,
    plan: &Plan,
    values: u64,
    trusted: &Trusted,
    reference: &Reloaded,
    [arena, beside]: [&Memory; 2],
) -> Result<Vec<usize>, ExecutionStatus> {
    let mut end = arena.bytes();
    let mut offsets = Vec::new();
    for range in run_reference(case, plan, values, trusted, reference, beside)? {
        let mut bytes = vec![0; range.len()];
        beside.read(range.start, &mut bytes).map_err(preparing)?;
        end -= range.len().next_multiple_of(ALIGNMENT);
        arena.write(end, &bytes).map_err(preparing)?;
        offsets.push(end);
    }
    Ok(offsets)
}

/// Starts comparing outputs with what the reference kernel gave.
fn compare_with_reference(
    run: &Checked<'_>,
    trusted: &Trusted,
    places: &[Place],
    slots: &mut Slots,
    started: &mut Vec<Check>,
) -> Result<(), ExecutionStatus> {
    for ((index, range, tolerance), &expected) in referred(run.case).zip(places) {
        let buffer = &run.plan.buffers[index];
        let offset = (range.start * buffer.element.bytes()) as u64;
        let found = run.arena.address() + run.layout.buffers[index].start as u64 + offset;
        trusted
            .find_wrong([found, run.address(expected)], range.len(), buffer.element, tolerance, slots)
            .map_err(ExecutionStatus::Error)?;
        started.push(Check::Output { buffer: index, start: range.start, expected });
    }
    Ok(())
}

/// Reads what the checks found that were started, and says the first that is wrong.
fn settle(run: &Checked<'_>, started: &mut Vec<Check>, slots: &mut Slots) -> Result<(), ExecutionStatus> {
    let found = slots.read().map_err(preparing)?;
    for (check, (found, sum)) in started.iter().zip(&found) {
        if let Some(wrong) = describe(run, check, found, *sum)? {
            return Err(ExecutionStatus::Faulted(format!("in a timed run {wrong}")));
        }
    }
    started.clear();
    slots.clear().map_err(preparing)
}

/// What a check found, in words; nothing if all is right.
fn describe(
    run: &Checked<'_>,
    check: &Check,
    found: &Found,
    sum: f64,
) -> Result<Option<String>, ExecutionStatus> {
    let plan = run.plan;
    let name = |buffer: usize| plan.buffers[buffer].name.as_str();
    let at = |buffer: usize, index: usize| {
        let index = compare::position(index, &plan.buffers[buffer].shape);
        index.iter().map(|index| format!("[{index}]")).collect::<String>()
    };
    Ok(match check {
        _ if found.count == 0 && !matches!(check, Check::Product { .. }) => None,
        Check::Outside { guard } => {
            let (first, last) = (found.first as usize, found.last as usize);
            Some(format!("it {}", run.layout.describe(plan, *guard, found.count, first, last)))
        }
        Check::Input { buffer } => {
            let size = if matches!(plan.buffers[*buffer].fill, Fill::Data(_)) {
                plan.buffers[*buffer].element.bytes()
            } else {
                1
            };
            Some(format!(
                "it changed its input: `{}{}` and {} more",
                name(*buffer),
                at(*buffer, found.first as usize / size),
                found.count.saturating_sub(1)
            ))
        }
        Check::Output { buffer, start, expected } => {
            let element = plan.buffers[*buffer].element;
            let size = element.bytes();
            let first = found.first as usize;
            let (mut is, mut should) = (vec![0; size], vec![0; size]);
            let place = run.layout.buffers[*buffer].start + (start + first) * size;
            run.arena.read(place, &mut is).map_err(preparing)?;
            run.read(*expected, first * size, &mut should)?;
            Some(format!(
                "`{}{}` was {}, expected {} ({} elements are wrong)",
                name(*buffer),
                at(*buffer, start + first),
                compare::text(element, &is),
                compare::text(element, &should),
                found.count
            ))
        }
        Check::Product { buffer, wanted, bounds } => {
            let groups = (wanted.extents[0] * wanted.extents[1].div_ceil(GROUP)) as f64;
            let typical = (sum / groups).sqrt();
            if found.count > 0 {
                Some(wrong_product(run, *buffer, wanted, found)?)
            } else if typical > bounds.typical {
                Some(format!(
                    "`{}` is less exact than single precision: its errors are {:.0} times what they may be",
                    name(*buffer),
                    typical / bounds.typical
                ))
            } else {
                None
            }
        }
    })
}

/// Names the element of the first wrong group that is furthest from the product.
fn wrong_product(
    run: &Checked<'_>,
    index: usize,
    wanted: &Product,
    found: &Found,
) -> Result<String, ExecutionStatus> {
    let [_, n, k] = wanted.extents;
    let groups = n.div_ceil(GROUP);
    let (row, first) = (found.first as usize / groups, found.first as usize % groups * GROUP);
    let columns = first..(first + GROUP).min(n);
    let buffer = &run.plan.buffers[index];
    let size = buffer.element.bytes();
    let mut bytes = vec![0; columns.len() * size];
    let place = run.layout.buffers[index].start + (row * n + columns.start) * size;
    run.arena.read(place, &mut bytes).map_err(preparing)?;
    let (a, b) = (&run.plan.buffers[wanted.a.0], &run.plan.buffers[wanted.b.0]);
    let worst = columns
        .zip(bytes.chunks_exact(size))
        .map(|(column, bytes)| {
            let exact = product::element(a, b, [row, column], [n, k]);
            let error = (compare::float(buffer.element, bytes) - exact).abs();
            // Not a number is furthest.
            (if error.is_nan() { f64::INFINITY } else { error }, column, exact, bytes)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    Ok(match worst {
        Some((_, column, exact, bytes)) => format!(
            "`{}[{row}][{column}]` was {}, expected about {exact:.6}; {}",
            buffer.name,
            compare::text(buffer.element, bytes),
            match found.count as usize {
                1 => "elsewhere it is right".to_owned(),
                // Nothing else is wrong so evenly.
                count if 100 * count > groups * wanted.extents[0] =>
                    "it is so all over, as if it were not computed in single precision".to_owned(),
                count => format!("at least {count} elements are wrong"),
            }
        ),
        None => format!("`{}` is not the product", buffer.name),
    })
}
