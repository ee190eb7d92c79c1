//! A compiler may copy one barrier of the source into several branches: who meets at two copies has met at one
//! barrier. Two barriers of the source are two, wherever the compiler puts them. Nobody can make a compiler do so at
//! will, so these kernels are written by hand.

use std::sync::Arc;

use warpsim::{Argument, FindingKind, Launch, LaunchStatus, Module, Profile, Schedules, Simulator};

/// Places of barriers: a line of the kernel; a line of a function that two lines call; none.
const HERE: &str = ".loc 1 10 5";
const THERE: &str = ".loc 1 12 5";
const IN_FIRST_CALL: &str = ".loc 1 3 5, function_name $L_name, inlined_at 1 10 5";
const IN_SECOND_CALL: &str = ".loc 1 3 5, function_name $L_name, inlined_at 1 12 5";
/// Of a line in a header, which the same line of the learner's calls both times.
const IN_HEADER: &str = ".loc 2 3 5, function_name $L_name, inlined_at 1 10 5";
const IN_HEADER_LATER: &str = ".loc 2 4 5, function_name $L_name, inlined_at 1 10 5";

/// The kinds of findings of a body, which may use %t (the thread), %p, %q, %i and `flag`; of 64 threads, in several orders.
fn kinds(body: &str) -> Vec<FindingKind> {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func meet()\n{{\n.loc 1 2 1\nbarrier.sync 0;\nret;\n}}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .b32 %t, %i, %r<4>;\n.reg .b64 %out, %at;\n.reg .pred %p, %q, %s;\n\
         .loc 1 8 1\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %at, %t, 4;\nadd.u64 %at, %out, %at;\n\
         setp.lt.u32 %p, %t, 32;\nmov.u32 %i, 0;\n{body}\nend:\n.loc 1 20 1\nst.global.u32 [%at], %t;\nret;\n}}\n\
         .file 1 \"k.cu\"\n.file 2 \"/usr/include/cooperative_groups/sync.h\"\n\
         .section .debug_str\n{{\n$L_name:\n.b8 102\n.b8 0\n}}\n"
    );
    let module = Arc::new(Module::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}")));
    let mut found = Vec::new();
    for schedule in 0..6 {
        let schedules = Schedules::Only(schedule);
        let mut simulator = Simulator::new(Arc::clone(&module), &Profile::H200).with_schedules(schedules);
        let out = simulator.allocate(4 * 64, "out");
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
        let report = simulator.launch(&Launch::new("k", [1; 3], [64, 1, 1], arguments)).expect("a launch");
        assert_eq!(report.status, LaunchStatus::Finished, "{:?}", report.findings);
        found.extend(report.findings.into_iter().map(|finding| finding.kind));
    }
    found.dedup();
    found
}

/// A barrier in each branch, at these places.
fn in_branches(one: &str, other: &str) -> String {
    format!(
        "@%p bra then;\n{other}\nbarrier.sync 0;\n.loc 1 14 1\nadd.u32 %r0, %t, 1;\nbra end;\n\
         then:\n{one}\nbarrier.sync 0;\n.loc 1 15 1\nadd.u32 %r0, %t, 2;"
    )
}

#[test]
fn copies_of_one_barrier_are_one() {
    for place in [HERE, IN_FIRST_CALL, IN_HEADER] {
        assert_eq!(kinds(&in_branches(place, place)), [], "{place}");
    }
}

#[test]
fn two_barriers_of_the_source_are_two() {
    for (one, other) in
        [(HERE, THERE), (IN_FIRST_CALL, IN_SECOND_CALL), (HERE, IN_FIRST_CALL), (IN_HEADER, IN_HEADER_LATER)]
    {
        assert_eq!(kinds(&in_branches(one, other)), [FindingKind::BarrierDivergence], "{one} {other}");
    }
}

#[test]
fn copies_in_a_loop_are_one_though_one_way_chooses_more_often() {
    // In odd rounds the first warp asks once more whether to go there, and always does.
    let body = format!(
        "loop:\n.loc 1 9 1\nand.b32 %r1, %i, 1;\nsetp.eq.u32 %q, %r1, 0;\n@%q bra plain;\n@!%p bra plain;\n\
         setp.gt.u32 %s, %i, 100;\n@%s bra next;\n{HERE}\nbarrier.sync 0;\nbra next;\n\
         plain:\n{HERE}\nbarrier.sync 0;\n\
         next:\n.loc 1 16 1\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 4;\n@%q bra loop;"
    );
    assert_eq!(kinds(&body), []);
}

#[test]
fn copies_in_different_rounds_are_not_one() {
    // A loop of two rounds, unrolled: the second warp leaves out the first round's barrier.
    let unrolled = format!("@!%p bra second;\n{HERE}\nbarrier.sync 0;\nsecond:\n{HERE}\nbarrier.sync 0;");
    assert_eq!(kinds(&unrolled), [FindingKind::BarrierDivergence]);
    // Each passes one: the first warp that of the first round, the second that of the second.
    let each_its_own = format!(
        "@!%p bra second;\n{HERE}\nbarrier.sync 0;\nsecond:\n.loc 1 9 1\n@%p bra end;\n{HERE}\nbarrier.sync 0;"
    );
    assert_eq!(kinds(&each_its_own), [FindingKind::BarrierDivergence]);
}

#[test]
fn who_leaves_out_both_copies_has_left_out_the_barrier() {
    // Threads from 48 on go to neither.
    let body = format!(".loc 1 9 1\nsetp.ge.u32 %q, %t, 48;\n@%q bra end;\n{}", in_branches(HERE, HERE));
    assert_eq!(kinds(&body), [FindingKind::BarrierDivergence]);
}

#[test]
fn copies_of_a_call_lead_to_one_barrier() {
    let calls =
        |one: &str, other: &str| in_branches(one, other).replace("barrier.sync 0;", "call.uni meet, ();");
    assert_eq!(kinds(&calls(HERE, HERE)), []);
    assert_eq!(kinds(&calls(HERE, THERE)), [FindingKind::BarrierDivergence]);
}

#[test]
fn without_places_each_instruction_is_a_barrier() {
    let body = "@%p bra then;\nbarrier.sync 0;\nbra end;\nthen:\nbarrier.sync 0;";
    assert_eq!(kinds(&format!(".loc 1 0 0\n{body}")), [FindingKind::BarrierDivergence]);
}
