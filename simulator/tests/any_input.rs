//! Whatever text is given, the simulator answers: with a module or an error, with a report or a refusal.
//! Never with a panic, a hang or all the memory that there is.
//!
//! `fuzz/` looks for texts that break this; what it finds ends up here or, when the text is
//! long, in `any_input/*.ptx`.

use std::{fs, path::Path, sync::Arc};

use warpsim::{Argument, Launch, LaunchReport, LaunchStatus, Module, Profile, Simulator};

fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [out];\n{body}\nret;\n}}\n"
    )
}

fn refusal(text: &str) -> String {
    Module::load(text).expect_err("this can't be run").to_string()
}

/// Launches every kernel of a text with a small buffer behind each pointer.
fn run(text: &str) -> Vec<LaunchReport> {
    let Ok(module) = Module::load(text) else { return Vec::new() };
    let module = Arc::new(module);
    let mut simulator = Simulator::new(module.clone(), &Profile::H200);
    let kernels = module.kernels();
    kernels
        .filter_map(|kernel| {
            let arguments = (kernel.parameters.iter())
                .map(|parameter| match parameter.bytes {
                    8 => Argument::Pointer { base: simulator.allocate(4096, "buffer"), offset: 0 },
                    bytes => Argument::Bytes(vec![1; bytes as usize]),
                })
                .collect();
            let launch = Launch::new(&kernel.name, [2, 1, 1], [64, 1, 1], arguments)
                .with_dynamic_shared(1024)
                .with_budget(10_000);
            simulator.launch(&launch).ok()
        })
        .collect()
}

#[test]
fn what_the_fuzzer_found_is_answered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/any_input");
    for entry in fs::read_dir(folder).expect("the folder of texts") {
        let path = entry.expect("an entry").path();
        let text = String::from_utf8_lossy(&fs::read(&path).expect("a text")).into_owned();
        run(&text);
    }
}

#[test]
fn variables_that_no_memory_holds_are_refused() {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    for variable in [
        ".global .align 4 .b8 big[18446744073709551615];",
        ".global .v4 .f32 big[4611686018427387904];",
        ".const .b64 big[99999999999];",
        ".global .b8 a[4000000000];\n.global .b8 big[4000000000];",
        ".shared .align 4 .b8 big[4294967300];",
        ".shared .align 2147483648 .b8 big[1];",
    ] {
        let error = refusal(&format!("{head}{variable}"));
        assert!(error.contains("variable `big`") && error.contains("too big"), "{error}");
    }
    assert!(refusal(&format!("{head}.global .align 3 .b8 x[4];")).contains("a power of two"));
}

#[test]
fn parameters_that_no_kernel_may_have_are_refused() {
    for parameters in [
        ".param .b8 a[4294967299]",
        ".param .b8 a[32764], .param .u32 b",
        ".param .align 2147483648 .b8 a[1], .param .align 2147483648 .b8 b[1]",
    ] {
        let error =
            refusal(&format!(".version 8.0\n.target sm_80\n.visible .entry k({parameters})\n{{\nret;\n}}\n"));
        assert!(error.contains("more than 32764 bytes of parameters"), "{error}");
    }
}

#[test]
fn local_variables_that_no_stack_holds_overflow_it() {
    for variables in [
        ".local .b8 a[4294967300];",
        ".local .b8 a[4294967295];\n.local .align 16 .b8 b[16];",
        ".local .align 2147483648 .b8 a[4];\n.local .align 2147483648 .b8 b[4];",
    ] {
        let reports = run(&kernel(&format!("{variables}\nmov.u64 %rd2, a;\nst.local.u32 [%rd2], 1;")));
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].status, LaunchStatus::Faulted, "{variables}");
    }
}

#[test]
fn offsets_beyond_a_parameter_name_nothing() {
    for body in [
        "{\n.param .b32 x;\nst.param.v4.b32 [x+4294967292], {%r1, %r1, %r1, %r1};\n}",
        "{\n.param .b32 x;\nld.param.b32 %r1, [x+4294967295];\n}",
        "{\n.param .b8 x[68719476736];\nst.param.b8 [x], %r1;\nst.param.b8 [x+1], %r1;\n}",
    ] {
        run(&kernel(body));
    }
}

#[test]
fn a_kernel_with_more_registers_than_there_can_be_is_refused_alone() {
    let declarations = (0..4).map(|i| format!(".reg .b32 %w{i}_<32000>;\n")).collect::<String>();
    let large = kernel(&format!("{declarations}add.u32 %w3_31999, %w2_31999, %w1_31999;"));
    let reports = run(&format!("{large}.visible .entry small()\n{{\nret;\n}}\n"));
    assert_eq!(
        reports.iter().map(|report| report.status).collect::<Vec<_>>(),
        [LaunchStatus::Unsupported, LaunchStatus::Finished]
    );
    let message = &reports[0].findings[0].message;
    assert!(message.contains("32-bit registers of `k`"), "{message}");
}

/// The kernels of a text with a small buffer behind each pointer, in 64 blocks of 32 threads,
/// on so many host threads.
fn run_many(text: &str, threads: usize) -> LaunchReport {
    run_within(text, threads, 30_000)
}

/// The same with another budget.
fn run_within(text: &str, threads: usize, budget: u64) -> LaunchReport {
    let module = Arc::new(Module::load(text).expect("a module"));
    let mut simulator = Simulator::new(module, &Profile::H200).with_threads(threads);
    let base = simulator.allocate(4096, "buffer");
    let launch = Launch::new("k", [64, 1, 1], [32, 1, 1], vec![Argument::Pointer { base, offset: 0 }])
        .with_budget(budget);
    simulator.launch(&launch).expect("a launch that a GPU accepts")
}

#[test]
fn a_loop_without_a_way_out_ends_whatever_the_budget_is() {
    let endless = kernel("L:\nred.global.add.u32 [%rd1], 1;\nbra L;");
    let report = run_within(&endless, 1, u64::MAX);
    assert_eq!(report.status, LaunchStatus::Unfinished);
    assert!(report.findings[0].message.contains("no way leads out of it"), "{:?}", report.findings);
    assert_eq!(report, run_within(&endless, 16, u64::MAX));
}

#[test]
fn an_atomic_costs_the_budget_what_it_takes() {
    let body = |access: &str| {
        kernel(&format!(
            "mov.u32 %r1, 0;\nL:\n{access}\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 1000000;\n@%p1 bra L;"
        ))
    };
    let issued = |access: &str| {
        let report = run_many(&body(access), 1);
        assert_eq!(report.status, LaunchStatus::Unfinished);
        report.counters.ptx_instructions
    };
    let plain = issued("ld.relaxed.gpu.global.u32 %r2, [%rd1];");
    let atomic = issued("red.global.add.u32 [%rd1], 1;");
    assert!(4 * atomic < plain, "{atomic} with atomics, {plain} without");
}

#[test]
fn a_grid_that_never_ends_is_left_at_the_same_place_on_any_number_of_threads() {
    let endless =
        kernel("mov.u32 %r1, %ctaid.x;\nL:\nadd.s32 %r1, %r1, 1;\nmul.lo.s32 %r2, %r1, %r1;\nbra L;");
    let report = run_many(&endless, 1);
    assert_eq!(report.status, LaunchStatus::Unfinished);
    assert_eq!(report, run_many(&endless, 2));
    assert_eq!(report, run_many(&endless, 16));
    // One block in 16 takes what all of them may; the others are over at once.
    let some = kernel(
        "mov.u32 %r1, %ctaid.x;\nand.b32 %r2, %r1, 15;\nsetp.ne.s32 %p1, %r2, 15;\n@%p1 bra E;\nL:\nadd.s32 %r1, %r1, 1;\n\
         setp.lt.s32 %p2, %r1, 4000;\n@%p2 bra L;\nE:",
    );
    let report = run_many(&some, 1);
    assert_eq!(report.status, LaunchStatus::Unfinished);
    assert_eq!(report, run_many(&some, 2));
    assert_eq!(report, run_many(&some, 16));
}

#[test]
fn printing_long_strings_costs_the_budget() {
    let text = |format: &str| {
        let bytes = |text: &[u8]| text.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        format!(
            ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.global .align 1 .b8 f[9] = {{{}, 0}};\n\
             .global .align 1 .b8 long[4096] = {{{}}};\n",
            bytes(format.as_bytes()),
            bytes(&[b'a'; 4096])
        )
    };
    let body = "mov.u64 %rd2, long;\ncvta.global.u64 %rd2, %rd2;\nst.local.u64 [d], %rd2;\nmov.u64 %rd3, d;\n\
         cvta.local.u64 %rd3, %rd3;\nmov.u64 %rd4, f;\ncvta.global.u64 %rd4, %rd4;\nL:\n{\n.param .b64 p0;\n\
         st.param.b64 [p0], %rd4;\n.param .b64 p1;\nst.param.b64 [p1], %rd3;\n.param .b32 q;\ncall (q), vprintf, (p0, p1);\n}\n\
         bra L;";
    let run = |format: &str| {
        let kernel = kernel(&format!(".local .align 8 .b8 d[8];\n{body}"));
        let (head, entry) = kernel.split_once(".visible").expect("an entry");
        run_many(&format!("{head}{}.visible{entry}", text(format)), 1)
    };
    let report = run("%s");
    assert_eq!(report.status, LaunchStatus::Unfinished);
    assert!(report.counters.ptx_instructions < 1000, "{}", report.counters.ptx_instructions);
    // What a precision cuts off is not even read, as C has it: the string may lack its end.
    let report = run("%.0s");
    assert!(report.counters.ptx_instructions > 10_000, "{}", report.counters.ptx_instructions);
}
