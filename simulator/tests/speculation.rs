//! Plain loads of optimised code that race: an error exactly if something comes of what they read.

use std::sync::Arc;

use warpsim::{Argument, Finding, FindingKind, Launch, LaunchStatus, Module, Profile, Severity, Simulator};

/// The head of every kernel here: `%t` is the thread, `%o` its word of `out`, `%m` its word of `tile`, `%n` its
/// neighbour's, `%low` whether it is one of the first half of 64.
fn kernel(body: &str) -> String {
    format!(
        "
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 cell;
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<4>;
    .reg .pred %low;
    .reg .b32 %r<9>;
    .reg .b32 %t;
    .reg .b32 %m;
    .reg .b32 %n;
    .reg .b32 %b;
    .reg .b64 %o;
    .reg .b64 %a<4>;
    .shared .align 4 .b8 tile[512];
    .local .align 4 .b8 own[16];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    ld.param.u64 %a0, [out];
    mad.lo.u32 %r0, %b, 64, %t;
    mul.wide.u32 %a1, %r0, 4;
    add.s64 %o, %a0, %a1;
    shl.b32 %r0, %t, 2;
    mov.u32 %m, tile;
    add.u32 %m, %m, %r0;
    add.u32 %n, %m, 128;
    setp.lt.u32 %low, %t, 32;
    st.shared.u32 [%m], %t;
    st.shared.u32 [%m+256], %t;
    bar.sync 0;
{body}
    ret;
}}
"
    )
}

fn findings(ptx: &str, blocks: u32, optimised: bool) -> Vec<Finding> {
    let module = Arc::new(Module::load(ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}")));
    let simulator = Simulator::new(module, &Profile::H200);
    let mut simulator = if optimised { simulator.with_optimised_code() } else { simulator };
    let base = simulator.allocate(4 * 64 * u64::from(blocks), "out");
    let cell = simulator.global_address("cell").expect("it is there");
    simulator.write(cell, &[0; 4]).expect("it is there");
    let report = simulator
        .launch(
            &Launch::new("k", [blocks, 1, 1], [64, 1, 1], vec![Argument::Pointer { base, offset: 0 }])
                .with_budget(1_000_000),
        )
        .expect("a launch");
    assert_eq!(report.status, LaunchStatus::Finished);
    report.findings
}

fn races(ptx: &str, blocks: u32, optimised: bool) -> bool {
    let found = findings(ptx, blocks, optimised);
    assert!(found.iter().all(|finding| finding.kind == FindingKind::Race), "{found:#?}");
    found.iter().any(|finding| finding.severity == Severity::Error)
}

/// A load that races, and what is made of `%r1`, which it gave.
const LOADS: &[(&str, u32, &str)] = &[
    (
        "a write by another warp that comes later",
        1,
        "@%low ld.shared.u32 %r1, [%n];
         @!%low mov.u32 %r1, 0;
         @!%low st.shared.u32 [%m], 5;",
    ),
    (
        "an earlier write",
        1,
        "@%low st.shared.u32 [%m], 5;
         mov.u32 %r1, 0;
         @!%low ld.shared.u32 %r1, [%m+-128];",
    ),
    (
        "an atomic of another warp",
        1,
        "@%low atom.shared.add.u32 %r5, [%m], 1;
         mov.u32 %r1, 0;
         @!%low ld.shared.u32 %r1, [%m+-128];",
    ),
    (
        "a write by another block that runs apart",
        2,
        "setp.eq.u32 %p0, %b, 1;
         setp.eq.u32 %p1, %t, 7;
         and.pred %p1, %p0, %p1;
         mov.u32 %r1, 0;
         @!%p0 ld.global.u32 %r1, [cell];
         @%p1 st.global.u32 [cell], 3;",
    ),
    (
        "a write by another block that takes turns",
        2,
        "setp.eq.u32 %p0, %b, 1;
         setp.eq.u32 %p1, %t, 7;
         and.pred %p1, %p0, %p1;
         mov.u32 %r1, 0;
         @!%p0 ld.global.u32 %r1, [cell];
         membar.gl;
         @%p1 st.global.u32 [cell], 3;",
    ),
];

/// What is made of it, and whether something comes of that.
const USES: &[(&str, bool, &str)] = &[
    ("nothing", false, "st.global.u32 [%o], %t;"),
    (
        "the other one of two is selected",
        false,
        "setp.gt.u32 %p2, %t, 1000;
         selp.b32 %r2, %r1, %t, %p2;
         st.global.u32 [%o], %r2;",
    ),
    (
        "it is masked away",
        false,
        "and.b32 %r2, %r1, 0;
         add.u32 %r2, %r2, %t;
         st.global.u32 [%o], %r2;",
    ),
    (
        "it is kept in local memory, and the other one of two is selected",
        false,
        "st.local.u32 [own], %r1;
         ld.local.u32 %r3, [own];
         setp.gt.u32 %p2, %t, 1000;
         selp.b32 %r2, %r3, %t, %p2;
         st.global.u32 [%o], %r2;",
    ),
    ("an output", true, "st.global.u32 [%o], %r1;"),
    (
        "an output by way of local memory",
        true,
        "st.local.u32 [own], %r1; ld.local.u32 %r2, [own]; st.global.u32 [%o], %r2;",
    ),
    ("a store to shared memory", true, "st.shared.u32 [%m+256], %r1; st.global.u32 [%o], %t;"),
    (
        "an address",
        true,
        "and.b32 %r2, %r1, 4;
         add.u32 %r2, %m, %r2;
         ld.shared.u32 %r3, [%r2];
         st.global.u32 [%o], %t;",
    ),
    (
        "a branch",
        true,
        "setp.eq.u32 %p2, %r1, 5;
         @%p2 bra skip;
         st.global.u32 [%o], %t;
         skip:",
    ),
    (
        "the guard of a barrier",
        true,
        "setp.ne.u32 %p2, %r1, 123456;
         @%p2 bar.sync 0;
         st.global.u32 [%o], %t;",
    ),
    ("an atomic", true, "red.global.add.u32 [%o], %r1;"),
    ("a shuffle", true, "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; st.global.u32 [%o], %t;"),
    (
        "a vote",
        true,
        "setp.eq.u32 %p2, %r1, 5;
         vote.sync.any.pred %p3, %p2, -1;
         st.global.u32 [%o], %t;",
    ),
];

#[test]
fn a_racing_load_is_an_error_if_something_comes_of_it() {
    for &(load, blocks, loads) in LOADS {
        for &(what, matters, uses) in USES {
            let zero = if what == "an atomic" { "st.global.u32 [%o], 0;\n" } else { "" };
            let ptx = kernel(&format!("{zero}{loads}\n{uses}"));
            assert!(races(&ptx, blocks, false), "{load}, {what}: source code has no such load for nothing");
            assert_eq!(races(&ptx, blocks, true), matters, "{load}: {what}\n{ptx}");
        }
    }
}

#[test]
fn of_many_loads_of_a_word_each_counts() {
    // Lane by lane and site by site, where the race shadow keeps one reader for all.
    for used in 0..3 {
        let word = 1 + used;
        let ptx = kernel(&format!(
            "mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
             @%low ld.shared.u32 %r1, [tile+128];
             @%low ld.shared.u32 %r2, [tile+128];
             @%low ld.shared.u32 %r3, [tile+128];
             setp.eq.u32 %p0, %t, 40;
             @%p0 st.shared.u32 [tile+128], 5;
             setp.eq.u32 %p1, %t, {lane};
             mov.u32 %r4, 0;
             @%p1 mov.u32 %r4, %r{word};
             st.global.u32 [%o], %r4;",
            lane = 9 * used + 3,
        ));
        assert!(races(&ptx, 1, true), "load {word}");
    }
}

#[test]
fn other_loads_of_the_same_place_are_not_suspected() {
    // The first round's load is ordered and used, the second one's races and is dropped.
    let ptx = kernel(
        "mov.u32 %r5, 0; mov.u32 %r6, 0;
         round:
         ld.shared.u32 %r1, [%n];
         setp.eq.u32 %p0, %r5, 0;
         selp.b32 %r6, %r1, %r6, %p0;
         @%p0 bar.sync 0;
         @%p0 st.shared.u32 [%m], %r5;
         add.u32 %r5, %r5, 1;
         setp.lt.u32 %p1, %r5, 2;
         @%p1 bra round;
         st.global.u32 [%o], %r6;",
    );
    assert!(races(&ptx, 1, false));
    assert!(!races(&ptx, 1, true), "{:#?}", findings(&ptx, 1, true));
}

#[test]
fn bytes_beside_the_one_that_is_written_are_not_suspected() {
    let ptx = kernel(
        "mov.u32 %r1, 0; mov.u32 %r2, 0;
         @%low ld.shared.u8 %r1, [tile+129];
         @%low ld.shared.u8 %r2, [tile+128];
         setp.eq.u32 %p0, %t, 40;
         @%p0 st.shared.u8 [tile+128], 5;
         st.global.u32 [%o], %r1;",
    );
    assert!(races(&ptx, 1, false));
    assert!(!races(&ptx, 1, true));
}

#[test]
fn what_no_optimiser_moves_is_an_error_at_once() {
    for body in [
        // Two writes.
        "@%low st.shared.u32 [%n], 1; @!%low st.shared.u32 [%m], 2; st.global.u32 [%o], %t;",
        // A load that others are meant to meet, of what is written plainly.
        "mov.u32 %r1, 0; @%low ld.volatile.shared.u32 %r1, [%n]; @!%low st.shared.u32 [%m], 2; st.global.u32 [%o], %t;",
        "@%low red.shared.add.u32 [%n], 1; @!%low st.shared.u32 [%m], 2; st.global.u32 [%o], %t;",
    ] {
        let ptx = kernel(body);
        assert!(races(&ptx, 1, true), "{ptx}");
    }
}
