//! Lanes that a branch has parted need not meet behind it: what rests on that shows in another order.

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
    let module = Arc::new(Module::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}")));
    let said = (0..SCHEDULES).map(|schedule| {
        let mut simulator =
            Simulator::new(Arc::clone(&module), &Profile::H200).with_schedules(Schedules::Only(schedule));
        let out = simulator.allocate(4, "out");
        simulator.write(out, &[0; 4]).expect("a buffer of this size");
        let arguments = vec![Argument::Pointer { base: out, offset: 0 }];
        let report = simulator.launch(&Launch::new("k", [1; 3], [32, 1, 1], arguments)).expect("a launch");
        assert_eq!(report.status, LaunchStatus::Finished);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        let bytes = simulator.read(out, 4).expect("the buffer").bytes;
        u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
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
