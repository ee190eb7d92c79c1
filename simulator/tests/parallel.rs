//! However many host threads simulate a launch, and whatever instruction set they use, the report and the
//! memory are the same, byte for byte. The kernels are random PTX: arithmetic, divergence, loops, shared and
//! global memory, barriers, races, reads of what nothing wrote.

use std::{fmt::Write as _, sync::Arc};

use proptest::prelude::*;
use warpsim::{
    Argument, Contents, FindingKind, Launch, LaunchReport, LaunchStatus, Module, Profile, Schedules,
    Simulator,
};

#[derive(Clone, Debug)]
enum Step {
    Arithmetic {
        op: u8,
        d: u8,
        a: u8,
        b: u8,
    },
    Load {
        d: u8,
        index: u8,
    },
    Store {
        a: u8,
    },
    /// From where another thread of the grid stores, most often one of another wave.
    LoadOther {
        d: u8,
        index: u8,
    },
    StoreOther {
        a: u8,
        index: u8,
    },
    SharedStore {
        a: u8,
        index: u8,
    },
    SharedLoad {
        d: u8,
        index: u8,
    },
    SharedAtomic {
        a: u8,
        index: u8,
    },
    GlobalAtomic {
        a: u8,
        index: u8,
    },
    Shuffle {
        d: u8,
        a: u8,
        distance: u8,
    },
    Barrier,
    Skip {
        a: u8,
        b: u8,
        steps: Vec<Step>,
    },
    Repeat {
        trips: u8,
        steps: Vec<Step>,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let leaf = prop_oneof![
        6 => (0..6u8, 0..8u8, 0..8u8, 0..8u8).prop_map(|(op, d, a, b)| Step::Arithmetic { op, d, a, b }),
        2 => (0..8u8, 0..8u8).prop_map(|(d, index)| Step::Load { d, index }),
        2 => (0..8u8).prop_map(|a| Step::Store { a }),
        1 => (0..8u8, 0..8u8).prop_map(|(d, index)| Step::LoadOther { d, index }),
        1 => (0..8u8, 0..8u8).prop_map(|(a, index)| Step::StoreOther { a, index }),
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
        Step::LoadOther { d, index } => writeln!(text, "{}ld.global.u32 %r{d}, [%a0];", other(*index)),
        Step::StoreOther { a, index } => writeln!(text, "{}st.global.u32 [%a0], %r{a};", other(*index)),
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

/// The address at which the thread stores whose number in the grid a register holds.
fn other(index: u8) -> String {
    format!("rem.u32 %t0, %r{index}, %n;\nmul.wide.u32 %a0, %t0, 4;\nadd.s64 %a0, %out, %a0;\n")
}

fn kernel(steps: &[Step], atomics: bool) -> String {
    let mut body = String::new();
    let mut next = 0;
    steps.iter().for_each(|step| write(step, &mut body, &mut next, atomics));
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b32 %t<2>;\n.reg .b32 %c<{}>;\n.reg .b32 %s;\n.reg .b32 %n;\n.reg .b64 %a<2>;\n\
         .reg .b64 %in;\n.reg .b64 %out;\n.reg .b64 %mine;\n.shared .align 4 .b8 tile[256];\n\
         ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %s, tile;\n\
         mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.s32 %r3, %r1, %r2, %r0;\n\
         mul.wide.s32 %a0, %r3, 4;\nadd.s64 %mine, %out, %a0;\nmov.u32 %n, %nctaid.x;\n\
         mul.lo.s32 %n, %n, %r2;\nmov.u32 %r4, 7;\nmul.lo.s32 %r5, %r0, %r4;\n\
         shr.u32 %r6, %r3, 3;\nmov.u32 %r7, 12345;\n{body}\nst.global.u32 [%mine], %r0;\nret;\n}}\n.file 1 \"random.cu\"\n",
        next + 1
    )
}

/// More instructions than any of these kernels takes.
const PLENTY: u64 = 2_000_000;

fn run(
    ptx: &str,
    grid: u32,
    block: u32,
    threads: usize,
    (schedules, budget): (Schedules, u64),
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
        .launch(
            &Launch::new(
                "k",
                [grid, 1, 1],
                [block, 1, 1],
                [input, output].map(|base| Argument::Pointer { base, offset: 0 }).to_vec(),
            )
            .with_budget(budget),
        )
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
        grid in prop_oneof![1..70u32, 120..300u32],
        block in 1..100u32,
        schedules in prop::sample::select(vec![Schedules::Affordable, Schedules::First(3), Schedules::Only(7)]),
        budget in prop_oneof![3 => Just(PLENTY), 1 => 100..40_000u64],
    ) {
        let ptx = kernel(&steps, atomics);
        let serial = run(&ptx, grid, block, 1, (schedules, budget));
        for threads in [2, 3, 16] {
            let parallel = run(&ptx, grid, block, threads, (schedules, budget));
            prop_assert_eq!(&serial, &parallel, "{} threads, {:?}, {}, kernel:\n{}", threads, schedules, budget, ptx);
        }
    }
}

/// A kernel of which each block has a word of its own, at `%rd1`, and a long string to print.
fn of_words(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n\
         .global .align 1 .b8 long[4096] = {{{}, 10, 0}};\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\n\
         mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n{body}\nret;\n}}\n",
        [b'a'; 4094].map(|letter| letter.to_string()).join(", ")
    )
}

/// Runs the same on one host thread and on as many as let waves run beside each other.
fn on_many_threads(body: &str, (grid, block): (u32, u32), budget: u64) -> (LaunchReport, Vec<u32>) {
    let ptx = of_words(body);
    let one = run(&ptx, grid, block, 1, (Schedules::default(), budget));
    for threads in [5, 16] {
        let many = run(&ptx, grid, block, threads, (Schedules::default(), budget));
        assert_eq!(one.0, many.0, "{threads} threads");
        assert!(one == many, "{threads} threads leave other contents");
    }
    let (words, _) = one.2.bytes.as_chunks();
    (one.0, words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// Block `b` adds one to what block `b − 64` left: a race, in which each wave sees what
/// the one before it wrote.
#[test]
fn a_wave_sees_what_earlier_waves_wrote() {
    let body = "mov.u32 %r2, 0;\nsetp.lt.u32 %p0, %r1, 64;\n@%p0 bra FIRST;\nld.global.u32 %r2, [%rd1+-256];\nFIRST:\n\
         add.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;";
    let (report, words) = on_many_threads(body, (1000, 1), PLENTY);
    assert_eq!(words, (0..1000).map(|block| block / 64 + 1).collect::<Vec<u32>>());
    assert!(report.findings.iter().any(|finding| finding.kind == FindingKind::Race));
    // Only block 100 looks back: at a block of the wave before, and at one of its own,
    // whose writes it does not see.
    for (distance, sees) in [(40, true), (4, false)] {
        let body = format!(
            "add.u32 %r2, %r1, 1;\nsetp.ne.u32 %p0, %r1, 100;\n@%p0 bra OWN;\nld.global.u32 %r2, [%rd1+-{}];\nOWN:\n\
             st.global.u32 [%rd1], %r2;",
            4 * distance
        );
        let (_, words) = on_many_threads(&body, (1000, 1), PLENTY);
        assert_eq!(words[100] == 101 - distance, sees);
    }
}

/// Of 300 blocks one counts for ever. It has what the blocks of earlier waves left of the budget.
#[test]
fn one_block_that_never_ends_is_left_at_the_same_place() {
    for endless in [3, 100, 130, 299] {
        let body = format!(
            "mov.u32 %r2, 0;\nsetp.ne.u32 %p0, %r1, {endless};\n@%p0 bra END;\n\
             L:\nadd.u32 %r2, %r2, 2;\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra L;\nEND:\nst.global.u32 [%rd1], %r1;"
        );
        let (report, words) = on_many_threads(&body, (300, 32), 20_000);
        assert_eq!(report.status, LaunchStatus::Unfinished);
        assert!(
            report.findings[0].message.starts_with("The launch's budget of 20000 warp instructions"),
            "{:?}",
            report.findings[0]
        );
        assert_eq!(words[2], 2);
    }
}

/// Of 300 blocks one goes round without effect. When that is noticed depends on nothing but the block: not
/// on those before it, nor on what memory its predecessors have changed.
#[test]
fn a_block_that_waits_in_vain_is_left_at_the_same_place() {
    let instructions = [0, 3, 100, 130, 299].map(|endless| {
        let body = format!("setp.ne.u32 %p0, %r1, {endless};\nL:\n@!%p0 bra L;\nst.global.u32 [%rd1], %r1;");
        let (report, _) = on_many_threads(&body, (300, 32), PLENTY);
        assert_eq!(report.status, LaunchStatus::Unfinished);
        assert!(report.findings[0].message.starts_with("This loop never ends"), "{endless}");
        let of_a_block = 8;
        report.counters.ptx_instructions - endless * of_a_block
    });
    assert!(instructions.windows(2).all(|pair| pair[0] == pair[1]), "{instructions:?}");
}

/// A mebibyte is what a launch may print; these blocks would print more. Reading it costs instructions,
/// as long as there is room.
#[test]
fn what_is_printed_ends_at_the_same_place() {
    let print = "{\n.param .b64 p0;\nst.param.b64 [p0], %rd2;\n.param .b64 p1;\nst.param.b64 [p1], %rd3;\n.param .b32 q;\n\
         call (q), vprintf, (p0, p1);\n}\n";
    let body = format!(
        "mov.u64 %rd2, long;\ncvta.global.u64 %rd2, %rd2;\nmov.u64 %rd3, 0;\n{print}{print}st.global.u32 [%rd1], %r1;"
    );
    let (report, _) = on_many_threads(&body, (200, 1), PLENTY);
    assert_eq!(report.printf.len(), 1 << 20);
    let ends = |budget: u64| run(&of_words(&body), 200, 1, 1, (Schedules::default(), budget)).0.status;
    let (mut too_little, mut enough) = (10_000, 50_000);
    assert_eq!([ends(too_little), ends(enough)], [LaunchStatus::Unfinished, LaunchStatus::Finished]);
    while enough - too_little > 1 {
        let middle = enough.midpoint(too_little);
        *(if ends(middle) == LaunchStatus::Finished { &mut enough } else { &mut too_little }) = middle;
    }
    on_many_threads(&body, (200, 1), too_little);
    on_many_threads(&body, (200, 1), enough);
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
    let best = run(&ptx, 20, 96, 1, (Schedules::default(), PLENTY));
    warpsim::internals::force_baseline(true);
    let baseline = run(&ptx, 20, 96, 1, (Schedules::default(), PLENTY));
    warpsim::internals::force_baseline(false);
    assert_eq!(best, baseline);
}
