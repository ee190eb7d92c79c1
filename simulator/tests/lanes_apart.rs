//! Lanes that a branch has parted need not meet behind it, and those that none has parted need not stay together:
//! what rests on that shows in another order.

use std::{collections::BTreeSet, sync::Arc};

use warpsim::{Argument, Launch, LaunchStatus, Module, Profile, Schedules, Simulator};

/// Schedules that are tried.
const SCHEDULES: u64 = 16;

/// What one of two lanes says and then the other, with something between them: the values that stay, by schedule.
fn last_word(between: &str) -> BTreeSet<u32> {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b32 %r<4>;\n.reg .b64 %out;\n.reg .pred %p<4>;\nld.param.u64 %out, [out];\nmov.u32 %r0, %tid.x;\n\
         setp.ne.u32 %p0, %r0, 1;\n@%p0 bra behind_first;\nst.release.gpu.global.u32 [%out], 1;\nbehind_first:\n\
         {between}\n\
         setp.ne.u32 %p1, %r0, 0;\n@%p1 bra behind_second;\nst.release.gpu.global.u32 [%out], 2;\nbehind_second:\n\
         ret;\n}}\n"
    );
    values_of_word(&ptx, 1, 0)
}

/// What a kernel of one warp leaves in a word of its only buffer, which holds so many: the values, by schedule.
fn values_of_word(ptx: &str, words: usize, word: usize) -> BTreeSet<u32> {
    let module = Arc::new(Module::load(ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}")));
    let said = (0..SCHEDULES).map(|schedule| {
        let mut simulator =
            Simulator::new(Arc::clone(&module), &Profile::H200).with_schedules(Schedules::Only(schedule));
        let out = simulator.allocate(4 * words as u64, "out");
        simulator.write(out, &vec![0; 4 * words]).expect("a buffer of this size");
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
        let report = simulator.launch(&Launch::new("k", [1; 3], [32, 1, 1], arguments)).expect("a launch");
        assert_eq!(report.status, LaunchStatus::Finished);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        let bytes = simulator.read(out, 4 * words).expect("the buffer").bytes;
        u32::from_le_bytes(bytes[4 * word..][..4].try_into().expect("four bytes"))
    });
    said.collect()
}

#[test]
fn either_lane_may_have_the_last_word() {
    assert_eq!(last_word(""), BTreeSet::from([1, 2]));
}

#[test]
fn what_brings_lanes_together_orders_them() {
    for between in [
        "bar.warp.sync 0xffffffff;",
        "barrier.sync 0;",
        "vote.sync.any.pred %p2, %p0, 0xffffffff;",
        "shfl.sync.down.b32 %r1, %r0, 1, 31, 0xffffffff;",
    ] {
        assert_eq!(last_word(between), BTreeSet::from([2]), "{between}");
    }
}

/// What all lanes say, each to a word of its own, and then lane 0 to the word of lane 5, with something between:
/// the values that stay there, by schedule. No branch parts the lanes before all have spoken.
fn last_of_all(say: &str, between: &str) -> BTreeSet<u32> {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b32 %r<6>;\n.reg .b64 %out, %mine, %at;\n.reg .pred %p<4>;\nld.param.u64 %out, [out];\nmov.u32 %r0, %tid.x;\n\
         mul.wide.u32 %at, %r0, 4;\nadd.u64 %mine, %out, %at;\nadd.u64 %at, %out, 20;\nmov.u32 %r4, 1;\n\
         setp.eq.u32 %p0, %r0, 0;\n{}\n{between}\nmov.u32 %r4, 2;\n@%p0 {}\nret;\n}}\n",
        say.replace("AT", "%mine"),
        say.replace("AT", "%at"),
    );
    values_of_word(&ptx, 32, 5)
}

#[test]
fn lanes_that_no_branch_has_parted_speak_in_any_order() {
    for say in [
        "st.release.gpu.global.u32 [AT], %r4;",
        "st.relaxed.gpu.global.u32 [AT], %r4;",
        "st.volatile.global.u32 [AT], %r4;",
        "atom.global.exch.b32 %r5, [AT], %r4;",
    ] {
        assert_eq!(last_of_all(say, ""), BTreeSet::from([1, 2]), "{say}");
        for between in
            ["bar.warp.sync 0xffffffff;", "barrier.sync 0;", "vote.sync.any.pred %p2, %p0, 0xffffffff;"]
        {
            assert_eq!(last_of_all(say, between), BTreeSet::from([2]), "{say} {between}");
        }
    }
}
