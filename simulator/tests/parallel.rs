//! However many host threads simulate a launch, and whatever instruction set they use, the report and the memory are the
//! same, byte for byte. The kernels are random PTX: arithmetic, divergence, loops, shared and global memory, barriers,
//! races, reads of what nothing wrote.

use std::{fmt::Write as _, sync::Arc};

use proptest::prelude::*;
use warpsim::{Argument, Contents, Launch, LaunchReport, Module, Profile, Schedules, Simulator};

#[derive(Clone, Debug)]
enum Step {
    Arithmetic { op: u8, d: u8, a: u8, b: u8 },
    Load { d: u8, index: u8 },
    Store { a: u8 },
    SharedStore { a: u8, index: u8 },
    SharedLoad { d: u8, index: u8 },
    SharedAtomic { a: u8, index: u8 },
    GlobalAtomic { a: u8, index: u8 },
    Shuffle { d: u8, a: u8, distance: u8 },
    Barrier,
    Skip { a: u8, b: u8, steps: Vec<Step> },
    Repeat { trips: u8, steps: Vec<Step> },
}

fn step() -> impl Strategy<Value = Step> {
    let leaf = prop_oneof![
        6 => (0..6u8, 0..8u8, 0..8u8, 0..8u8).prop_map(|(op, d, a, b)| Step::Arithmetic { op, d, a, b }),
        2 => (0..8u8, 0..8u8).prop_map(|(d, index)| Step::Load { d, index }),
        2 => (0..8u8).prop_map(|a| Step::Store { a }),
        2 => (0..8u8, 0..8u8).prop_map(|(a, index)| Step::SharedStore { a, index }),
        2 => (0..8u8, 0..8u8).prop_map(|(d, index)| Step::SharedLoad { d, index }),
        1 => (0..8u8, 0..8u8).prop_map(|(a, index)| Step::SharedAtomic { a, index }),
        1 => (0..8u8, 0..8u8).prop_map(|(a, index)| Step::GlobalAtomic { a, index }),
        1 => (0..8u8, 0..8u8, 0..32u8).prop_map(|(d, a, distance)| Step::Shuffle { d, a, distance }),
        1 => Just(Step::Barrier),
    ];
    leaf.prop_recursive(2, 12, 5, |inner| {
        prop_oneof![
            (0..8u8, 0..8u8, prop::collection::vec(inner.clone(), 1..5))
                .prop_map(|(a, b, steps)| Step::Skip { a, b, steps }),
            (1..5u8, prop::collection::vec(inner, 1..5))
                .prop_map(|(trips, steps)| Step::Repeat { trips, steps }),
        ]
    })
}

/// Writes a step; `%r0`…`%r7` are the values, `line` numbers the learner's lines.
fn write(step: &Step, text: &mut String, next: &mut u32, atomics: bool) {
    *next += 1;
    let id = *next;
    let _ = writeln!(text, ".loc 1 {id} 0");
    let _ = match step {
        Step::Arithmetic { op, d, a, b } => {
            let name =
                ["add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "max.s32", "and.b32"][usize::from(*op)];
            writeln!(text, "{name} %r{d}, %r{a}, %r{b};")
        }
        Step::Load { d, index } => writeln!(
            text,
            "and.b32 %t0, %r{index}, 255;\nmul.wide.u32 %a0, %t0, 4;\nadd.s64 %a0, %in, %a0;\nld.global.u32 %r{d}, [%a0];"
        ),
        Step::Store { a } => writeln!(text, "st.global.u32 [%mine], %r{a};"),
        Step::SharedStore { a, index } => {
            writeln!(
                text,
                "and.b32 %t0, %r{index}, 63;\nshl.b32 %t0, %t0, 2;\nadd.u32 %t0, %t0, %s;\nst.shared.u32 [%t0], %r{a};"
            )
        }
        Step::SharedLoad { d, index } => {
            writeln!(
                text,
                "and.b32 %t0, %r{index}, 63;\nshl.b32 %t0, %t0, 2;\nadd.u32 %t0, %t0, %s;\nld.shared.u32 %r{d}, [%t0];"
            )
        }
        Step::SharedAtomic { a, index } => writeln!(
            text,
            "and.b32 %t0, %r{index}, 15;\nshl.b32 %t0, %t0, 2;\nadd.u32 %t0, %t0, %s;\natom.shared.add.u32 %r{a}, [%t0], %r{a};"
        ),
        Step::GlobalAtomic { a, index } if atomics => writeln!(
            text,
            "and.b32 %t0, %r{index}, 15;\nmul.wide.u32 %a0, %t0, 4;\nadd.s64 %a0, %in, %a0;\nred.global.add.u32 [%a0], %r{a};"
        ),
        Step::GlobalAtomic { a, .. } => writeln!(text, "not.b32 %r{a}, %r{a};"),
        Step::Shuffle { d, a, distance } => {
            writeln!(text, "shfl.sync.bfly.b32 %r{d}, %r{a}, {distance}, 31, -1;")
        }
        Step::Barrier => writeln!(text, "bar.sync 0;"),
        Step::Skip { a, b, steps } => {
            let _ = writeln!(text, "setp.lt.s32 %p0, %r{a}, %r{b};\n@%p0 bra $L{id};");
            steps.iter().for_each(|step| write(step, text, next, atomics));
            writeln!(text, "$L{id}:")
        }
        Step::Repeat { trips, steps } => {
            let _ = writeln!(text, "mov.u32 %c{id}, 0;\n$L{id}:");
            steps.iter().for_each(|step| write(step, text, next, atomics));
            writeln!(text, "add.u32 %c{id}, %c{id}, 1;\nsetp.lt.u32 %p0, %c{id}, {trips};\n@%p0 bra $L{id};")
        }
    };
}

fn kernel(steps: &[Step], atomics: bool) -> String {
    let mut body = String::new();
    let mut next = 0;
    steps.iter().for_each(|step| write(step, &mut body, &mut next, atomics));
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b32 %t<2>;\n.reg .b32 %c<{}>;\n.reg .b32 %s;\n.reg .b64 %a<2>;\n\
         .reg .b64 %in;\n.reg .b64 %mine;\n.shared .align 4 .b8 tile[256];\n\
         ld.param.u64 %in, [in];\nld.param.u64 %mine, [out];\nmov.u32 %s, tile;\n\
         mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.s32 %r3, %r1, %r2, %r0;\n\
         mul.wide.s32 %a0, %r3, 4;\nadd.s64 %mine, %mine, %a0;\nmov.u32 %r4, 7;\nmul.lo.s32 %r5, %r0, %r4;\n\
         shr.u32 %r6, %r3, 3;\nmov.u32 %r7, 12345;\n{body}\nst.global.u32 [%mine], %r0;\nret;\n}}\n.file 1 \"random.cu\"\n",
        next + 1
    )
}

fn run(
    ptx: &str,
    grid: u32,
    block: u32,
    threads: usize,
    schedules: Schedules,
) -> (LaunchReport, Contents, Contents) {
    let module = Arc::new(Module::load(ptx).expect("the kernel is PTX"));
    let mut simulator =
        Simulator::new(module, &Profile::H200).with_threads(threads).with_schedules(schedules);
    let input = simulator.allocate(1024, "in");
    let bytes: Vec<u8> =
        (0..256u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) % 1000).to_le_bytes()).collect();
    simulator.write(input, &bytes).expect("a buffer of this size");
    let size = 4 * grid as usize * block as usize;
    let output = simulator.allocate(size as u64, "out");
    let report = simulator
        .launch(&Launch {
            kernel: "k".into(),
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
            registers: None,
            arguments: [input, output].map(|base| Argument::Pointer { base, offset: 0 }).to_vec(),
            cooperative: false,
            budget: 2_000_000,
        })
        .expect("a launch that a GPU accepts");
    let input = simulator.read(input, 1024).expect("the buffer");
    let output = simulator.read(output, size).expect("the buffer");
    (report, input, output)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn threads_change_nothing(
        steps in prop::collection::vec(step(), 1..14),
        atomics: bool,
        grid in 1..70u32,
        block in 1..100u32,
        schedules in prop::sample::select(vec![Schedules::Affordable, Schedules::First(3), Schedules::Only(7)]),
    ) {
        let ptx = kernel(&steps, atomics);
        let serial = run(&ptx, grid, block, 1, schedules);
        for threads in [2, 3, 8] {
            let parallel = run(&ptx, grid, block, threads, schedules);
            prop_assert_eq!(&serial, &parallel, "{} threads, {:?}, kernel:\n{}", threads, schedules, ptx);
        }
    }
}

/// The only test here that changes a process-wide switch; the other gives the same results either way.
#[test]
fn vector_units_change_nothing() {
    let steps = [
        Step::Load { d: 5, index: 3 },
        Step::Repeat {
            trips: 4,
            steps: vec![
                Step::SharedStore { a: 5, index: 0 },
                Step::Barrier,
                Step::SharedLoad { d: 6, index: 5 },
                Step::Skip { a: 6, b: 0, steps: vec![Step::Arithmetic { op: 2, d: 5, a: 5, b: 6 }] },
                Step::Barrier,
            ],
        },
        Step::Shuffle { d: 0, a: 5, distance: 3 },
    ];
    let ptx = kernel(&steps, true);
    let best = run(&ptx, 20, 96, 1, Schedules::default());
    warpsim::internals::force_baseline(true);
    let baseline = run(&ptx, 20, 96, 1, Schedules::default());
    warpsim::internals::force_baseline(false);
    assert_eq!(best, baseline);
}
