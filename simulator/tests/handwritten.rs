//! What PTX allows and no compiler writes: kernels by hand, each with the result that its text promises.
//!
//! With `PREPARE_HANDWRITTEN=FOLDER` every kernel is written to that folder, too; there `hardware/handwritten.py FOLDER`
//! runs them on a GPU and compares. Where single instructions could tell otherwise, `hardware/forms.txt` has them, measured.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use warpsim::{
    Argument, FindingKind, Launch, LaunchReport, LaunchStatus, Module, Profile, Severity, Simulator,
};

/// A kernel with registers `%r0…` and `%d0…`, `%p0…`; `%out` is the address of what it gives back.
fn kernel(functions: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b32 %r<16>;\n.reg .b64 %d<16>, %out;\n.reg .pred %p<4>;\nld.param.u64 %out, [out];\n{body}\nret;\n}}\n"
    )
}

/// Runs [`kernel`] by one thread.
fn run(functions: &str, body: &str) -> (LaunchReport, Vec<u32>) {
    run_by(1, functions, body)
}

/// Runs [`kernel`] by some threads.
fn run_by(threads: u32, functions: &str, body: &str) -> (LaunchReport, Vec<u32>) {
    let ptx = kernel(functions, body);
    let module = Module::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
    let out = simulator.allocate(32, "out");
    simulator.write(out, &[0xEE; 32]).expect("a buffer of this size");
    let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
    let report = simulator
        .launch(&Launch::new("k", [1; 3], [threads, 1, 1], arguments))
        .expect("a launch that is taken");
    let bytes = simulator.read(out, 32).expect("the buffer").bytes;
    (report, bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

fn gives(functions: &str, body: &str, expected: &[u32]) {
    let (report, words) = run(functions, body);
    assert_eq!(report.status, LaunchStatus::Finished, "{:?}\n{body}", report.findings);
    assert!(report.findings.is_empty(), "{:?}\n{body}", report.findings);
    assert_eq!(&words[..expected.len()], expected, "{body}");
    if let Some(folder) = env::var_os("PREPARE_HANDWRITTEN") {
        prepare(Path::new(&folder), &kernel(functions, body), expected);
    }
}

/// Writes a kernel for the machine with the GPU. Its first line holds the words that it must give.
fn prepare(folder: &Path, ptx: &str, expected: &[u32]) {
    let mut text = "//".to_owned();
    for word in expected {
        write!(text, " {word}").expect("memory has room");
    }
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    fs::create_dir_all(folder).expect("a folder to write to");
    fs::write(folder.join(format!("{number:03}.ptx")), format!("{text}\n{ptx}")).expect("a file in it");
}

/// One flag for all: the adder's carry. A subtraction adds the complement and 1, and leaves a carry where it
/// borrows nothing.
#[test]
fn a_carry_passes_from_one_kind_of_operation_to_another() {
    let store = "st.global.b32 [%out], %r1;";
    for (first, second, expected) in [
        // 1 - 2 borrows: no carry.
        ("sub.cc.u32 %r0, 1, 2;", "addc.u32 %r1, 0, 0;", 0),
        ("sub.cc.u32 %r0, 2, 1;", "addc.u32 %r1, 0, 0;", 1),
        ("sub.cc.u32 %r0, 1, 2;", "subc.u32 %r1, 0, 0;", 0xFFFF_FFFF),
        ("sub.cc.u32 %r0, 2, 1;", "subc.u32 %r1, 0, 0;", 0),
        ("add.cc.u32 %r0, 0, 0;", "subc.u32 %r1, 0, 0;", 0xFFFF_FFFF),
        ("add.cc.u32 %r0, -1, 1;", "subc.u32 %r1, 5, 2;", 3),
        ("add.cc.u32 %r0, -1, 1;", "madc.lo.u32 %r1, 2, 3, 4;", 11),
        ("sub.cc.u32 %r0, 0, 1;", "madc.lo.u32 %r1, 2, 3, 4;", 10),
        ("mad.lo.cc.u32 %r0, -1, 1, 1;", "subc.u32 %r1, 0, 0;", 0),
        ("mad.hi.cc.u32 %r0, -1, -1, 1;", "subc.u32 %r1, 0, 0;", 0xFFFF_FFFF),
        ("sub.cc.u64 %d0, 0, 1;", "addc.u32 %r1, 0, 0;", 0),
        ("sub.cc.u64 %d0, 1, 1;", "addc.u32 %r1, 0, 0;", 1),
        ("sub.cc.u32 %r0, 1, 2; addc.cc.u32 %r0, -1, 0;", "addc.u32 %r1, 0, 0;", 0),
        ("add.cc.u32 %r0, -1, 1; subc.cc.u32 %r0, 1, 1;", "addc.u32 %r1, 0, 0;", 1),
        ("add.cc.u32 %r0, 0, 0; subc.cc.u32 %r0, 1, 1;", "addc.u32 %r1, 0, 0;", 0),
    ] {
        gives("", &format!("{first}\n{second}\n{store}"), &[expected]);
    }
}

/// In every space that can have them: initial values, names that hide others, names that end with their block.
#[test]
fn a_variable_belongs_to_the_block_that_declares_it() {
    for space in ["global", "const"] {
        let declared = format!(".{space} .align 4 .b32 from[4] = {{1, 2, 3, 4}};");
        let load = format!("ld.{space}.b32 %r0, [from+8];\nst.global.b32 [%out], %r0;");
        gives("", &format!("{declared}\n{load}"), &[3]);
        gives(&declared, &load, &[3]);
        // Through its generic address, and through an address among another's initial values.
        gives(
            "",
            &format!(
                "{declared}\nmov.u64 %d0, from;\ncvta.{space}.u64 %d0, %d0;\nld.b32 %r0, [%d0+4];\nst.global.b32 [%out], %r0;"
            ),
            &[2],
        );
        let there = format!(".{space} .align 8 .u64 there = from+12;");
        gives(
            "",
            &format!(
                "{declared}\n{there}\nld.{space}.u64 %d0, [there];\nld.{space}.b32 %r0, [%d0];\nst.global.b32 [%out], %r0;"
            ),
            &[4],
        );
        // Hidden by an inner one, in sight again behind it; of another function, out of sight.
        let one = |value: u32| format!(".{space} .align 4 .b32 from = {value};");
        let get = |at: u32| format!("ld.{space}.b32 %r0, [from];\nst.global.b32 [%out+{at}], %r0;");
        let body =
            format!("{}\n{{\n{}\n{{\n{}\n{}\n}}\n{}\n}}\n{}", one(1), one(2), one(3), get(0), get(4), get(8));
        gives("", &body, &[3, 2, 1]);
        let other = format!(
            "{}\n.func f(.param .b64 at)\n{{\n.reg .b64 %a;\n.reg .b32 %v;\n{}\nld.param.u64 %a, [at];\nld.{space}.b32 %v, [from];\nst.global.b32 [%a], %v;\nret;\n}}",
            one(7),
            one(8)
        );
        let call = "{\n.param .b64 p;\nst.param.b64 [p], %out;\ncall.uni f, (p);\n}";
        gives(&other, &format!("{call}\n{}", get(4)), &[8, 7]);
    }
    for space in ["shared", "local"] {
        let body = format!(
            ".{space} .align 4 .b32 kept;\nst.{space}.b32 [kept], 1;\n{{\n.{space} .align 4 .b32 kept;\nst.{space}.b32 [kept], 2;\n\
             ld.{space}.b32 %r0, [kept];\nst.global.b32 [%out], %r0;\n}}\nld.{space}.b32 %r0, [kept];\nst.global.b32 [%out+4], %r0;"
        );
        gives("", &body, &[2, 1]);
    }
}

/// A thread's own memory has no place outside functions: no driver takes it, and here it would be one memory for all.
#[test]
fn local_memory_belongs_to_a_function() {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.local .b32 mine;\n";
    let error = Module::load(ptx).expect_err("a GPU takes none").to_string();
    assert!(error.contains(".local belongs inside a function"), "{error}");
}

/// PTX leaves the result open: whoever uses it is told, whatever today's GPUs give.
#[test]
fn what_is_divided_by_zero_is_undefined() {
    for operation in ["div", "rem"] {
        for (kind, register, bits) in [
            ("u16", "%h", 16),
            ("s16", "%h", 16),
            ("u32", "%r", 32),
            ("s32", "%r", 32),
            ("u64", "%d", 64),
            ("s64", "%d", 64),
        ] {
            let divide = |divisor: u32, result: u32| {
                format!(
                    ".reg .b16 %h<4>;\nmov.b{bits} {register}0, 7;\nmov.b{bits} {register}1, {divisor};\n\
                     {operation}.{kind} {register}{result}, {register}0, {register}1;"
                )
            };
            let store = |result: u32| format!("st.global.b{bits} [%out], {register}{result};");
            // Also where the result takes the place of the divisor.
            for result in [1, 2] {
                gives("", &format!("{}\nst.global.b32 [%out], 5;", divide(0, result)), &[5]);
                let (report, _) = run("", &format!("{}\n{}", divide(0, result), store(result)));
                let [finding] = &report.findings[..] else { panic!("{kind}: {:?}", report.findings) };
                assert_eq!(finding.kind, FindingKind::UninitializedRead);
                assert_eq!(finding.severity, Severity::Error);
                assert!(finding.message.contains("by zero"), "{}", finding.message);
                let (report, words) = run("", &format!("{}\n{}", divide(2, result), store(result)));
                assert!(report.findings.is_empty(), "{:?}", report.findings);
                assert_eq!(words[0] & 0xFFFF, if operation == "div" { 3 } else { 1 });
            }
        }
    }
}

/// PTX leaves open where a branch goes whose table ends before its index.
#[test]
fn a_branch_beyond_its_table_is_an_error() {
    let branch = |index: u32| {
        format!(
            "mov.u32 %r0, {index};\nways: .branchtargets first, second;\nbrx.idx %r0, ways;\n\
             first:\nst.global.b32 [%out], 1;\nret;\nsecond:\nst.global.b32 [%out], 2;"
        )
    };
    gives("", &branch(0), &[1]);
    gives("", &branch(1), &[2]);
    for index in [2, u32::MAX] {
        let (report, _) = run("", &branch(index));
        let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
        assert_eq!((finding.kind, finding.severity), (FindingKind::OutOfBounds, Severity::Error));
        assert!(finding.message.contains(&format!("index {index} of a table of 2 targets")));
    }
}

/// Lanes that return at different places wait for each other, and for those that leave the kernel in the function instead.
#[test]
fn guarded_returns_are_for_their_own_lanes() {
    let function = ".func f(.param .b32 who)\n{\n.reg .b32 %w;\n.reg .pred %q<3>;\nld.param.u32 %w, [who];\n\
                    setp.eq.u32 %q0, %w, 0;\n@%q0 ret;\nsetp.eq.u32 %q1, %w, 1;\n@%q1 ret;\n\
                    setp.ne.u32 %q2, %w, 2;\n@!%q2 exit;\nret;\n}\n";
    let body = "mov.u32 %r0, %tid.x;\n{\n.param .b32 who;\nst.param.b32 [who], %r0;\ncall.uni f, (who);\n}\n\
                mul.wide.u32 %d0, %r0, 4;\nadd.u64 %d0, %out, %d0;\nst.global.b32 [%d0], 7;";
    let (report, words) = run_by(4, function, body);
    assert_eq!((report.status, report.findings.len()), (LaunchStatus::Finished, 0), "{:?}", report.findings);
    assert_eq!(words[..4], [7, 7, 0xEEEE_EEEE, 7]);
}

/// Lanes whose predicate does not hold go on behind the branch.
#[test]
fn a_guarded_branch_by_a_table_may_be_left_out() {
    let branch = |holds: u32| {
        format!(
            "mov.u32 %r0, 1;\nmov.u32 %r1, {holds};\nsetp.ne.u32 %p0, %r1, 0;\nways: .branchtargets first, second;\n\
             @%p0 brx.idx %r0, ways;\nst.global.b32 [%out], 3;\nret;\n\
             first:\nst.global.b32 [%out], 1;\nret;\nsecond:\nst.global.b32 [%out], 2;"
        )
    };
    gives("", &branch(1), &[2]);
    gives("", &branch(0), &[3]);
}

/// A kernel with more registers than there is room for says so when it is launched, and only then: its neighbours run.
#[test]
fn too_many_registers_are_lacking_in_their_own_kernel_alone() {
    let used: String = (0..33_000).map(|at| format!("add.u32 %many{}, %many{at}, 1;\n", at + 1)).collect();
    let large = |declared: &str, body: &str| {
        format!(
            ".visible .entry large(.param .u64 out)\n{{\n.reg .b32 %many<{declared}>;\nmov.u32 %many0, 0;\n{body}ret;\n}}\n"
        )
    };
    for large in [large("33001", &used), large("4000000000", "")] {
        gives(&large, "st.global.b32 [%out], 7;", &[7]);
        let ptx = format!(".version 8.0\n.target sm_80\n.address_size 64\n{large}");
        let module = Module::load(&ptx).unwrap_or_else(|error| panic!("{error}"));
        let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
        let launch = Launch::new("large", [1; 3], [1; 3], vec![Argument::Bytes(vec![0; 8])]);
        let report = simulator.launch(&launch).expect("a launch that is taken");
        assert_eq!(report.status, LaunchStatus::Unsupported);
        let message = &report.findings[0].message;
        assert!(message.contains("32-bit registers of `large`: it has room for 32766"), "{message}");
    }
}

/// Each form of what concerns another block's shared memory, in clusters of two blocks of a thread each.
#[test]
fn addresses_of_another_block_are_the_same_in_every_form() {
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry k(.param .u64 out) .explicitcluster .reqnctapercluster 2, 1, 1\n{\n\
        .reg .b32 %r<16>;\n.reg .b64 %d<16>;\n.reg .pred %p<4>;\n.shared .align 16 .b8 box[64];\n\
        mov.u32 %r0, %cluster_ctarank;\nxor.b32 %r1, %r0, 1;\n\
        st.shared.u32 [box], 100;\n\
        mapa.shared::cluster.u32 %r3, box+16, %r1;\n\
        mapa.shared::cluster.u64 %d1, box, %r1;\n\
        cvta.shared::cluster.u64 %d2, %d1;\n\
        mov.u64 %d5, box;\ncvta.shared.u64 %d4, %d5;\nmapa.u64 %d3, %d4, %r1;\n\
        barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n\
        add.u32 %r4, %r0, 5;\nst.shared::cluster.v2.u32 [%r3], {%r4, %r1};\n\
        red.shared::cluster.add.u32 [%d1], 20;\n\
        atom.relaxed.cluster.shared::cluster.max.u32 %r5, [%r3+8], 3;\n\
        barrier.cluster.arrive;\nbarrier.cluster.wait;\n\
        ld.param.u64 %d6, [out];\nmov.u32 %r6, %ctaid.x;\nmul.wide.u32 %d7, %r6, 32;\nadd.u64 %d6, %d6, %d7;\n\
        ld.shared.v2.u32 {%r7, %r8}, [box+16];\nst.global.v2.u32 [%d6], {%r7, %r8};\n\
        ld.shared.u32 %r7, [box];\nld.u32 %r8, [%d3];\nst.global.v2.u32 [%d6+8], {%r7, %r8};\n\
        getctarank.shared::cluster.u32 %r7, %r3;\ngetctarank.u64 %r8, %d2;\nst.global.v2.u32 [%d6+16], {%r7, %r8};\n\
        setp.eq.u64 %p0, %d2, %d3;\nselp.u32 %r7, 1, 0, %p0;\n\
        mapa.u64 %d8, %d3, %r0;\nsetp.eq.u64 %p1, %d8, %d4;\nselp.u32 %r8, 1, 0, %p1;\n\
        st.global.v2.u32 [%d6+24], {%r7, %r8};\n\
        barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nret;\n}\n";
    for (zeroed, findings) in [(true, 0), (false, 1)] {
        // The maximum is of what nothing wrote, unless it is.
        let ptx = if zeroed {
            ptx.replace("[box], 100;", "[box], 100;\nst.shared.u32 [box+24], 0;")
        } else {
            ptx.to_owned()
        };
        let mut simulator =
            Simulator::new(Arc::new(Module::load(&ptx).expect("this is PTX")), &Profile::H200);
        let out = simulator.allocate(128, "out");
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
        let report = simulator
            .launch(&Launch::new("k", [4, 1, 1], [1; 3], arguments))
            .expect("a launch that is taken");
        assert_eq!(report.status, LaunchStatus::Finished, "{:?}", report.findings);
        // A relaxed arrival says nothing of what was read before it.
        let (last, others): (Vec<_>, Vec<_>) =
            report.findings.iter().partition(|finding| finding.message.contains("may have left the kernel"));
        assert_eq!((last.len(), others.len()), (1, findings), "{:?}", report.findings);
        assert!(others.iter().all(|finding| finding.kind == FindingKind::UninitializedRead));
        let bytes = simulator.read(out, 128).expect("the buffer").bytes;
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        for block in 0..4 {
            let rank = block as u32 % 2;
            let expected = [5 + (1 - rank), rank, 120, 120, 1 - rank, 1 - rank, 1, 1];
            assert_eq!(words[8 * block..8 * block + 8], expected, "block {block}");
        }
    }
}

/// Registers of two and four elements: as a whole, element by element by both kinds of names, as a part of a list.
#[test]
fn a_register_may_have_elements() {
    let four = ".reg .v4 .b32 %v, %w;\nmov.v4.b32 %v, {1, 2, 3, 4};\n";
    for (body, expected) in [
        ("st.global.v4.b32 [%out], %v;", [1, 2, 3, 4]),
        ("mov.v4.b32 %w, %v;\nst.global.v4.b32 [%out], %w;", [1, 2, 3, 4]),
        ("st.global.v4.b32 [%out], {%v.w, %v.z, %v.y, %v.x};", [4, 3, 2, 1]),
        ("add.u32 %v.x, %v.y, %v.a;\nmov.b32 %v.g, %v.b;\nst.global.v4.b32 [%out], %v;", [6, 3, 3, 4]),
        // All are read before one is written.
        ("mov.v4.b32 %v, {%v.y, %v.x, %v.w, %v.z};\nst.global.v4.b32 [%out], %v;", [2, 1, 4, 3]),
        ("mov.v2.b32 {%v.x, %v.y}, {%v.y, %v.x};\nst.global.v4.b32 [%out], %v;", [2, 1, 3, 4]),
        (
            "mov.v4.b32 {%r0, %r1, %r2, %r3}, %v;\nst.global.v4.b32 [%out], {%r3, %r2, %r1, %r0};",
            [4, 3, 2, 1],
        ),
        (
            "st.global.v4.b32 [%out], %v;\nld.global.v4.b32 %w, [%out];\nst.global.v2.b32 [%out], {%w.z, %w.w};",
            [3, 4, 3, 4],
        ),
        // A guard holds for all of a move.
        (
            "setp.eq.u32 %p0, 1, 2;\n@%p0 mov.v4.b32 %v, {9, 9, 9, 9};\n@!%p0 mov.v4.b32 %v, {5, 6, 7, 8};\nst.global.v4.b32 [%out], %v;",
            [5, 6, 7, 8],
        ),
        // One of several, and an inner one that hides another.
        (
            ".reg .v4 .b32 %m<3>;\nmov.v4.b32 %m2, %v;\nmov.b32 %m1.x, %m2.w;\nst.global.v4.b32 [%out], {%m1.x, %m2.x, %m2.y, %m2.z};",
            [4, 1, 2, 3],
        ),
        (
            "{\n.reg .v2 .b32 %v;\nmov.v2.b32 %v, {7, 8};\nst.global.v2.b32 [%out+8], %v;\n}\nst.global.v2.b32 [%out], {%v.x, %v.y};",
            [1, 2, 7, 8],
        ),
    ] {
        gives("", &format!("{four}{body}"), &expected);
    }
    // Packed and unpacked, of every width.
    gives(
        "",
        ".reg .v2 .b32 %v;\nmov.b64 %v, 0x0000000200000001;\nmov.b64 %d0, {%v.y, %v.x};\nst.global.b64 [%out], %d0;",
        &[2, 1],
    );
    gives(
        "",
        ".reg .v4 .b16 %v;\nmov.b64 %v, 0x0004000300020001;\nmov.b16 %v.x, %v.w;\nmov.b64 %d0, %v;\nst.global.b64 [%out], %d0;",
        &[0x0002_0004, 0x0004_0003],
    );
    gives(
        "",
        ".reg .v2 .b64 %v;\nmov.v2.b64 %v, {1, 2};\nadd.u64 %v.x, %v.x, %v.y;\nst.global.v2.b64 [%out], %v;",
        &[3, 0, 2, 0],
    );
    // `%tid` and its like as a whole.
    gives("", ".reg .v4 .b32 %v;\nmov.v4.u32 %v, %ntid;\nst.global.v4.b32 [%out], %v;", &[1, 1, 1, 0]);
    // There is no such element.
    let (report, _) = run("", ".reg .v2 .b32 %v;\nmov.b32 %v.z, 1;");
    assert_eq!(report.status, LaunchStatus::Unsupported);
    // Nor is there such a register.
    let (report, _) = run("", ".reg .v2 .b128 %v;\nmov.b128 %v, {%d0, %d1};");
    assert_eq!(report.status, LaunchStatus::Unsupported);
}

/// Parameters and results that are registers, as PTX had them before it had an ABI.
#[test]
fn a_function_may_take_and_give_registers() {
    for (function, body, expected) in [
        (
            ".func (.reg .u32 r) f (.reg .u32 a, .reg .u32 b)\n{\nsub.u32 r, a, b;\nret;\n}",
            "mov.b32 %r0, 7;\ncall.uni (%r1), f, (%r0, 3);\nst.global.v2.b32 [%out], {%r0, %r1};",
            vec![7, 4],
        ),
        // The function's register is its own.
        (
            ".func (.reg .u32 r) f (.reg .u32 a)\n{\nadd.u32 a, a, 1;\nmov.u32 r, a;\n}",
            "mov.b32 %r0, 7;\ncall (%r1), f, (%r0);\nst.global.v2.b32 [%out], {%r0, %r1};",
            vec![7, 8],
        ),
        // 64 bits, and a return in the middle.
        (
            ".func (.reg .b64 r) f (.reg .b64 a)\n{\n.reg .pred p;\nsetp.gt.u64 p, a, 10;\nmov.b64 r, 1;\n@p ret;\nadd.u64 r, a, a;\nret;\n}",
            "mov.b64 %d0, 5;\ncall (%d0), f, (%d0);\ncall (%d1), f, (0x500000000);\nst.global.v2.b64 [%out], {%d0, %d1};",
            vec![10, 0, 1, 0],
        ),
        // Itself.
        (
            ".func (.reg .u32 r) f (.reg .u32 a)\n{\n.reg .pred p;\n.reg .u32 t;\nsetp.eq.u32 p, a, 0;\nmov.u32 r, 0;\n@p ret;\nsub.u32 t, a, 1;\n\
             call (t), f, (t);\nadd.u32 r, t, a;\nret;\n}",
            "call (%r0), f, (4);\nst.global.b32 [%out], %r0;",
            vec![10],
        ),
        // Two results; four elements; a register for one that is no register, and the other way round; none wanted.
        (
            ".func (.reg .u32 r, .reg .b64 s) f (.reg .u32 a)\n{\nadd.u32 r, a, 1;\nmov.b64 s, 9;\nret;\n}",
            "call (%r0, %d0), f, (1);\nst.global.b32 [%out], %r0;\nst.global.b64 [%out+8], %d0;\nst.global.b32 [%out+4], 0;",
            vec![2, 0, 9, 0],
        ),
        (
            ".func (.reg .v4 .b16 r) f (.reg .v4 .b16 a)\n{\nmov.v4.b16 r, {a.w, a.z, a.y, a.x};\nret;\n}",
            ".reg .v4 .b16 %v;\nmov.v4.b16 %v, {1, 2, 3, 4};\ncall (%v), f, (%v);\nst.global.v4.b16 [%out], %v;",
            vec![0x0003_0004, 0x0001_0002],
        ),
        (
            ".func (.reg .u32 r) f (.param .b32 a)\n{\nld.param.u32 r, [a];\nret;\n}",
            ".param .b32 x;\nst.param.b32 [x], 6;\ncall (%r0), f, (x);\ncall (%r1), f, (5);\ncall (_), f, (4);\nst.global.v2.b32 [%out], {%r0, %r1};",
            vec![6, 5],
        ),
        (
            ".func (.param .f32 r) f (.reg .f32 a)\n{\nadd.f32 a, a, 1.0;\nst.param.f32 [r], a;\nret;\n}",
            ".reg .f32 %f;\ncall (%f), f, (1.5);\nst.global.f32 [%out], %f;",
            vec![2.5f32.to_bits()],
        ),
    ] {
        gives(function, body, &expected);
    }
}

/// A function's parameter whose address is taken lies on the stack, whatever an instruction calls its space; beside it the parameter is
/// read by its name.
#[test]
fn a_function_may_take_the_address_of_its_parameter() {
    let call = "{\n.param .align 8 .b8 p[16];\n.param .align 8 .b8 rv[8];\nst.param.v2.u32 [p], {1, 20};\nst.param.v2.u32 [p+8], {300, 4000};\n\
                call (rv), f, (p);\nld.param.v2.b32 {%r0, %r1}, [rv];\n}\nst.global.v2.b32 [%out], {%r0, %r1};";
    let by_address = |load: &str| {
        format!(
            ".func (.param .align 8 .b8 rv[8]) f (.param .align 8 .b8 a[16])\n{{\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\nmov.b64 %d1, a;\n{load}\n\
             ld.param.b32 %r3, [a+4];\nadd.u32 %r1, %r1, %r3;\nst.param.v2.b32 [rv], {{%r1, %r2}};\nret;\n}}"
        )
    };
    for load in [
        "ld.local.v2.b32 {%r1, %r2}, [%d1+8];",
        "ld.param.v2.b32 {%r1, %r2}, [%d1+8];",
        "cvta.local.u64 %d1, %d1;\nld.v2.b32 {%r1, %r2}, [%d1+8];",
    ] {
        gives(&by_address(load), call, &[320, 4000]);
    }
    // An H200 reads something else there.
    let (report, _) = run(&by_address("cvta.param.u64 %d1, %d1;\nld.v2.b32 {%r1, %r2}, [%d1+8];"), call);
    assert_eq!(report.status, LaunchStatus::Unsupported);
}

/// In operands, offsets and initial values.
#[test]
fn a_constant_may_be_an_expression() {
    let table = ".global .align 8 .u64 there = from+4*2;";
    let from = ".global .align 4 .b32 from[4] = {1+1, 2<<3, 0x10/4, ~0 & 15};";
    gives(
        &format!("{from}\n{table}"),
        "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [from];\nst.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};\n\
         ld.global.u64 %d0, [there];\nld.global.b32 %r0, [%d0];\nst.global.b32 [%out+4*(2+2)], %r0;\n\
         mov.u64 %d0, from+4*3;\nld.global.b32 %r0, [%d0+2*4-8];\nst.global.b32 [%out+20], %r0;\n\
         add.u32 %r1, (1<<4)|3, WARP_SZ*2;\nst.global.b32 [%out+24], %r1;\nst.global.f32 [%out+28], 1e1*.5;",
        &[2, 16, 4, 15, 4, 15, 83, 5f32.to_bits()],
    );
}

/// PTX ISA, "mbarrier.init": the count is at most 2^20 - 1.
#[test]
fn an_mbarrier_takes_so_many_arrivals_and_no_more() {
    let init = |count: u32| {
        format!(
            ".shared .align 8 .b64 bar;\nmov.u32 %r0, bar;\nmbarrier.init.shared.b64 [%r0], {count};\n\
             st.global.b32 [%out], 7;"
        )
    };
    gives("", &init((1 << 20) - 1), &[7]);
    let (report, _) = run("", &init(1 << 20));
    assert!(report.findings.iter().any(|finding| finding.severity == Severity::Error), "{report:?}");
}

/// A bulk copy moves the sectors of each 128 bytes by themselves, counted from where it begins: what an H200 counts
/// where it begins inside a sector.
#[test]
fn a_bulk_copy_moves_the_sectors_of_every_128_bytes() {
    let sectors = |offset: u64, bytes: u32| {
        let body = format!(
            ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\nmov.u32 %r0, tile;\nmov.u32 %r1, bar;\n\
             mbarrier.init.shared.b64 [%r1], 1;\nfence.proxy.async;\n\
             mbarrier.arrive.expect_tx.shared.b64 %d0, [%r1], {bytes};\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%out], {bytes}, [%r1];\n\
             WAIT: mbarrier.try_wait.shared.b64 %p1, [%r1], %d0;\n@!%p1 bra WAIT;"
        );
        let ptx = kernel("", &body).replace(".version 8.0", ".version 8.6").replace("sm_80", "sm_90");
        let module = Module::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
        let base = simulator.allocate(1024, "in");
        simulator.write(base, &[0xEE; 1024]).expect("a buffer of this size");
        let from = Argument::Pointer { base, offset };
        let report =
            simulator.launch(&Launch::new("k", [1; 3], [1; 3], vec![from])).expect("a launch that is taken");
        assert_eq!(
            (report.status, report.findings.len()),
            (LaunchStatus::Finished, 0),
            "{:?}",
            report.findings
        );
        report.counters.bulk_load_sectors
    };
    assert_eq!(sectors(0, 256), 8);
    // Five for each 128 bytes, because each begins in the middle of a sector; the whole touches nine.
    assert_eq!(sectors(16, 256), 10);
    assert_eq!(sectors(16, 128), 5);
}

/// PTX ISA, "fence.proxy.async": the state space names the memory whose accesses are ordered; without one it is all.
#[test]
fn a_fence_between_proxies_is_for_the_memory_that_it_names() {
    let findings = |fence: &str| {
        let body = format!(
            ".shared .align 128 .b8 tile[16];\nmov.u32 %r0, tile;\nst.shared.v4.u32 [%r0], {{1, 2, 3, 4}};\n{fence}\n\
             cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], 16;\ncp.async.bulk.commit_group;\n\
             cp.async.bulk.wait_group 0;"
        );
        let ptx = kernel("", &body).replace(".version 8.0", ".version 8.6").replace("sm_80", "sm_90");
        let module = Module::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
        let base = simulator.allocate(16, "out");
        let to = Argument::Pointer { base, offset: 0 };
        let report =
            simulator.launch(&Launch::new("k", [1; 3], [1; 3], vec![to])).expect("a launch that is taken");
        report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    for hands_over in
        ["fence.proxy.async;", "fence.proxy.async.shared::cta;", "fence.proxy.async.shared::cluster;"]
    {
        assert_eq!(findings(hands_over), [], "{hands_over}");
    }
    for keeps in ["", "fence.proxy.async.global;", "fence.sc.gpu;", "fence.proxy.alias;"] {
        assert_eq!(findings(keeps), [FindingKind::Race], "{keeps}");
    }
}

/// What a kernel has changed and put back was changed, whichever instruction did it.
#[test]
fn a_watched_buffer_tells_of_changes_that_are_put_back() {
    let first_change = |body: &str| {
        let ptx = kernel("", body);
        let module = Module::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
        let out = simulator.allocate(32, "out");
        simulator.write(out, &[0; 32]).expect("a buffer of this size");
        assert!(simulator.watch(out) && !simulator.watch(out + 4));
        // The host may write to it.
        simulator.write(out, &[1; 4]).expect("a buffer of this size");
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
        let report =
            simulator.launch(&Launch::new("k", [1; 3], [1; 3], arguments)).expect("a launch that is taken");
        assert_eq!(report.status, LaunchStatus::Finished, "{:?}\n{body}", report.findings);
        simulator.first_change(out)
    };
    for (body, expected) in [
        ("ld.global.u32 %r0, [%out];", None),
        ("st.global.u32 [%out+8], 0;", None),
        ("st.global.u32 [%out+8], 7; st.global.u32 [%out+8], 0;", Some(8)),
        ("st.volatile.global.u32 [%out+12], 7; st.volatile.global.u32 [%out+12], 0;", Some(12)),
        ("st.u8 [%out+9], 7; st.u8 [%out+9], 0;", Some(9)),
        ("st.global.v2.u32 [%out+16], {0, 7}; st.global.v2.u32 [%out+16], {0, 0};", Some(16)),
        ("atom.global.or.b32 %r0, [%out+4], 0;", None),
        ("red.global.add.u32 [%out+4], 1; red.global.add.u32 [%out+4], -1;", Some(4)),
        ("atom.global.exch.b64 %d0, [%out+24], 5; st.global.u64 [%out+24], %d0;", Some(24)),
        ("st.global.u32 [%out+20], 1; st.global.u32 [%out+4], 1;", Some(4)),
    ] {
        assert_eq!(first_change(body), expected, "{body}");
    }
}
