//! What the judge's own kernels (`kernels/checks.cu`) must do, on any device that executes a plan.

use harness::{
    compare::{OutputView, mismatches},
    device::{Execution, ExecutionStatus},
    fill::{self, DeviceRecipe},
    plan::{Argument, BufferId, Bytes, Element, Fill, Launch, Plan, Strays, Tolerance},
    product::{Bounds, GROUP, Moments},
};
use strum::VariantArray;

/// Their source.
pub const CHECKS: &str = include_str!("../../../kernels/checks.cu");

fn launch(kernel: &str, arguments: Vec<Argument>) -> Launch {
    Launch { arguments, ..Launch::new(kernel, 3, 256) }
}

fn output(execution: &Execution, buffer: BufferId) -> &[u8] {
    assert_eq!(execution.status, ExecutionStatus::Finished, "{execution:#?}");
    &execution.outputs.iter().find(|output| output.buffer == buffer).expect("it is read back").bytes.0
}

/// Count, first and last of what a check finds, before it has found anything.
fn nothing_found(plan: &mut Plan) -> BufferId {
    plan.buffer("found", Element::U64, &[3], Fill::Data(Bytes::of(&[0u64, u64::MAX, 0])))
}

fn found(execution: &Execution, buffer: BufferId) -> [u64; 3] {
    let numbers: Vec<u64> = bytemuck::pod_collect_to_vec(output(execution, buffer));
    [numbers[0], numbers[1], numbers[2]]
}

fn strays(unit: f64, most: (f64, f64), strays: (f64, f64)) -> Fill {
    Fill::Strays(Strays { seed: 83, most, strays, one_in: 8, unit })
}

pub fn fills_are_the_hosts_to_the_bit(count: usize, execute: impl Fn(Plan) -> Execution) {
    for &element in Element::VARIANTS {
        for fill in [
            Fill::Zeros,
            Fill::Repeated(Bytes(fill::counting(element, 8)[7 * element.bytes()..].into())),
            Fill::Counting,
            Fill::Random { seed: 77, low: -3.5, high: 100.25 },
            Fill::Random { seed: 78, low: 0.0, high: 1.0 },
            Fill::Random { seed: 79, low: -1e30, high: 1e30 },
            Fill::Random { seed: 80, low: 1e-7, high: 1.00000006e-7 },
            Fill::Whole { seed: 81, low: -300.0, high: 300.0 },
            Fill::Whole { seed: 82, low: 0.0, high: 9e15 },
            strays(0.0, (-3.5, 100.25), (1e5, 1e6)),
            strays(0.25, (-3.5, 100.25), (1e5, 1e6)),
            strays(1.0, (255.0, 255.0), (0.0, 254.0)),
        ] {
            let mut plan = Plan::new();
            let data = plan.buffer("data", element, &[count], Fill::Uninitialized);
            let found_in = nothing_found(&mut plan);
            let recipe = plan.buffer("recipe", element, &[count], fill);
            let recipe = plan.buffers.remove(recipe.0);
            let device = DeviceRecipe::of(&recipe).expect("a recipe");
            let mut arguments =
                vec![Argument::buffer(data), Argument::scalar(count as u64), Argument::scalar(device)];
            plan.launch(launch("fill_elements", arguments.clone()));
            arguments.push(Argument::buffer(found_in));
            plan.launch(launch("find_changed", arguments));
            plan.expect(data, Bytes::default(), Tolerance::Exact);
            plan.expect(found_in, Bytes::default(), Tolerance::Exact);
            let execution = execute(plan);
            let expected = fill::contents(&recipe).expect("it has some");
            let bytes = output(&execution, data);
            let size = element.bytes();
            for (index, (is, should)) in bytes.chunks(size).zip(expected.chunks(size)).enumerate() {
                assert_eq!(is, should, "{element:?} {index} of {:?}", recipe.fill);
            }
            assert_eq!(found(&execution, found_in)[0], 0, "{element:?} {:?}", recipe.fill);
        }
    }
}

pub fn comparing_is_the_hosts(execute: impl Fn(Plan) -> Execution) {
    let special = |element: Element| -> Vec<u8> {
        let values: [f64; 10] =
            [0.0, -0.0, 1.0, 1.001, -1.0, 65000.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-7];
        let integers: [i64; 10] = [0, 1, -1, 2, 100, 101, i64::MIN, i64::MAX, 127, -128];
        let bytes = |index: usize| match element {
            Element::F16 => half::f16::from_f64(values[index]).to_le_bytes().to_vec(),
            Element::Bf16 => half::bf16::from_f64(values[index]).to_le_bytes().to_vec(),
            Element::F32 => (values[index] as f32).to_le_bytes().to_vec(),
            Element::F64 => values[index].to_le_bytes().to_vec(),
            _ => integers[index].to_le_bytes()[..element.bytes()].to_vec(),
        };
        (0..10).flat_map(bytes).collect()
    };
    for &element in Element::VARIANTS {
        let values = special(element);
        let size = element.bytes();
        // Everything against everything.
        let (mut is, mut should) = (Vec::new(), Vec::new());
        for a in values.chunks(size) {
            for b in values.chunks(size) {
                is.extend_from_slice(a);
                should.extend_from_slice(b);
            }
        }
        for tolerance in [
            Tolerance::Exact,
            Tolerance::Close { absolute: 0.0, relative: 0.0 },
            Tolerance::Close { absolute: 1.0, relative: 0.0 },
            Tolerance::Close { absolute: 0.0, relative: 0.01 },
            Tolerance::Close { absolute: 1e300, relative: 1.0 },
        ] {
            let count = is.len() / size;
            let mut plan = Plan::new();
            let data = plan.buffer("data", element, &[count], Fill::Data(Bytes(is.as_slice().into())));
            let expected =
                plan.buffer("expected", element, &[count], Fill::Data(Bytes(should.as_slice().into())));
            let found_in = nothing_found(&mut plan);
            let (exact, absolute, relative) = match tolerance {
                Tolerance::Exact => (1i32, 0.0, 0.0),
                Tolerance::Close { absolute, relative } => (0, absolute, relative),
            };
            plan.launch(launch(
                "find_wrong",
                vec![
                    Argument::buffer(data),
                    Argument::buffer(expected),
                    Argument::scalar(count as u64),
                    Argument::scalar(element as i32),
                    Argument::scalar(exact),
                    Argument::scalar(absolute),
                    Argument::scalar(relative),
                    Argument::buffer(found_in),
                ],
            ));
            plan.expect(found_in, Bytes::default(), Tolerance::Exact);
            let execution = execute(plan.clone());
            plan.expectations.clear();
            plan.expect(data, Bytes(should.as_slice().into()), tolerance);
            let host = mismatches(&plan.buffers, &plan.expectations, |_| {
                Some(OutputView { bytes: &is, unwritten: &[], undefined: &[] })
            });
            let [wrong, first, _] = found(&execution, found_in);
            match host.first() {
                None => assert_eq!(wrong, 0, "{element:?} {tolerance:?}"),
                Some(host) => {
                    assert_eq!(
                        (wrong, first as usize),
                        (host.wrong, host.index[0]),
                        "{element:?} {tolerance:?}"
                    );
                }
            }
        }
    }
}

pub fn changed_bytes_are_found(execute: impl Fn(Plan) -> Execution) {
    let words = 4000usize;
    let scrambled = || {
        let mut bytes = vec![0; 8 * words];
        fill::scramble(&mut bytes, 5);
        bytes
    };
    for (changes, start, end, expected) in [
        (&[][..], 3, 31_999, [0, u64::MAX, 0]),
        (&[2, 31_999][..], 3, 31_999, [0, u64::MAX, 0]),
        (&[3, 777, 31_998][..], 3, 31_999, [3, 0, 31_995]),
    ] {
        let mut bytes = scrambled();
        changes.iter().for_each(|&at: &usize| bytes[at] ^= 0x10);
        let mut plan = Plan::new();
        let data = plan.buffer("data", Element::U64, &[words], Fill::Data(Bytes(bytes.into())));
        let again = plan.buffer("again", Element::U64, &[words], Fill::Uninitialized);
        let same = plan.buffer("same", Element::U64, &[words], Fill::Data(Bytes(scrambled().into())));
        let (found_in, others) = (nothing_found(&mut plan), nothing_found(&mut plan));
        let base = fill::hash_base(5);
        plan.launch(launch(
            "scramble",
            vec![Argument::buffer(again), Argument::scalar(words as u64), Argument::scalar(base)],
        ));
        let range = [start, end].map(|at: u64| Argument::scalar(at));
        let [from, to] = range;
        plan.launch(launch(
            "find_unscrambled",
            vec![Argument::buffer(data), from, to, Argument::scalar(base), Argument::buffer(found_in)],
        ));
        let count = Argument::scalar(8 * words as u64);
        plan.launch(launch(
            "find_other_bytes",
            vec![Argument::buffer(data), Argument::buffer(same), count, Argument::buffer(others)],
        ));
        for buffer in [again, found_in, others] {
            plan.expect(buffer, Bytes::default(), Tolerance::Exact);
        }
        let execution = execute(plan);
        assert_eq!(output(&execution, again), scrambled());
        assert_eq!(found(&execution, found_in), expected);
        assert_eq!(found(&execution, others)[0], changes.len() as u64);
    }
}

pub fn products_are_verified(extents: [usize; 3], execute: impl Fn(Plan) -> Execution) {
    let [m, n, k] = extents;
    let groups = n.div_ceil(GROUP);
    for element in [Element::F32, Element::F16] {
        let (wrong_row, wrong_column) = (m - 2, n - 1);
        for wrong_by in [0.0, 1.01] {
            let mut plan = Plan::new();
            let random = |seed| Fill::Random { seed, low: -1.0, high: 1.0 };
            let a = plan.buffer("a", element, &[m, k], random(1));
            let b = plan.buffer("b", element, &[k, n], random(2));
            let c = plan.buffer("c", Element::F32, &[m, n], Fill::Zeros);
            plan.expect_product(c, a, b, extents);
            let bounds = {
                let moments = [a, b].map(|id| Moments::of(&plan.buffers[id.0]).expect("random"));
                let harness::plan::Expected::Product(product) = plan.expectations[0].expected else {
                    panic!()
                };
                Bounds::of(&product, moments[0], moments[1], Element::F32)
            };
            let exact = harness::compare::listed(&plan.buffers, &plan.expectations[0]).expect("a product");
            let mut values: Vec<f32> = bytemuck::pod_collect_to_vec(&exact.0);
            values[wrong_row * n + wrong_column] += (wrong_by * bounds.caught()) as f32;
            plan.buffers[c.0].fill = Fill::Data(Bytes::of(&values));
            plan.expectations.clear();
            plan.steps.clear();

            let bx = plan.buffer("bx", Element::F64, &[k, groups], Fill::Uninitialized);
            let cx = plan.buffer("cx", Element::F64, &[m, groups], Fill::Uninitialized);
            let found_in = nothing_found(&mut plan);
            let squares = plan.buffer("squares", Element::F64, &[1], Fill::Zeros);
            let base = Argument::scalar(fill::hash_base(9));
            for (matrix, element, rows, sums) in [(b, element, k, bx), (c, Element::F32, m, cx)] {
                let sizes = [rows, n].map(|size| Argument::scalar(size as u64));
                let [rows, columns] = sizes;
                let element = Argument::scalar(element as i32);
                let arguments = vec![
                    Argument::buffer(matrix),
                    element,
                    rows,
                    columns,
                    base.clone(),
                    Argument::buffer(sums),
                ];
                plan.launch(launch("project", arguments));
            }
            let [rows, columns, groups_] = [m, k, groups].map(|size| Argument::scalar(size as u64));
            plan.launch(launch(
                "find_residuals",
                vec![
                    Argument::buffer(a),
                    Argument::scalar(element as i32),
                    rows,
                    columns,
                    groups_,
                    Argument::buffer(bx),
                    Argument::buffer(cx),
                    Argument::scalar(bounds.largest),
                    Argument::buffer(found_in),
                    Argument::buffer(squares),
                ],
            ));
            plan.expect(found_in, Bytes::default(), Tolerance::Exact);
            plan.expect(squares, Bytes::default(), Tolerance::Exact);
            let execution = execute(plan);
            let expected = if wrong_by == 0.0 { 0 } else { 1 };
            let [count, first, _] = found(&execution, found_in);
            assert_eq!(count, expected, "{element:?} {wrong_by}");
            if expected == 1 {
                assert_eq!(first as usize, wrong_row * groups + wrong_column / GROUP);
            }
            let sum: Vec<f64> = bytemuck::pod_collect_to_vec(output(&execution, squares));
            let typical = (sum[0] / (m * groups) as f64).sqrt();
            // Rounded once, it is far inside.
            assert!(typical < bounds.typical, "{typical} {bounds:?}");
        }
    }
}
