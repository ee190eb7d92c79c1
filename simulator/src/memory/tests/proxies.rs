//! What threads write and bulk copies read: who has to be before whom, and where a fence between the proxies has to lie.

use super::*;
use crate::{
    findings::{Message, Proxied, RaceCause, Reason},
    memory::{Beginner, BulkCopy, GlobalSide},
};

/// How the copying thread comes to know of the write.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Nothing,
    BlockBarrier,
    BarrierOfAPart,
    WarpSync,
    ReleasedFlag,
    FencedFlag,
}

/// Where the fence between the proxies lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fenced {
    Nowhere,
    BeforeTheWrite,
    ByTheWriter,
    ByTheCopier,
    ByTheCopierTooEarly,
    ByABystander,
}

const WAYS: [Way; 6] =
    [Way::Nothing, Way::BlockBarrier, Way::BarrierOfAPart, Way::WarpSync, Way::ReleasedFlag, Way::FencedFlag];
const FENCES: [Fenced; 6] = [
    Fenced::Nowhere,
    Fenced::BeforeTheWrite,
    Fenced::ByTheWriter,
    Fenced::ByTheCopier,
    Fenced::ByTheCopierTooEarly,
    Fenced::ByABystander,
];

fn hand_over(world: &mut World, who: Who) {
    world.blocks[0].hand_over(&mut Global::Direct(&mut world.global), who.warp, who.mask);
}

/// Why a copy of 16 bytes by `copier` is a race, if it is one, where thread 0 writes to the first of them.
fn played(way: Way, fenced: Fenced, copier: u32) -> Option<RaceCause> {
    let (mut world, buffer, tile) = World::new(1, 96);
    let (writer, bystander) = (thread(0, 0), thread(0, 70));
    let copying = thread(0, copier);
    // All of it holds something.
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    hand_over(&mut world, warp(0, 0));
    world.barrier(0);
    let at = |world: &mut World, place: Fenced, who: Who| {
        if fenced == place {
            hand_over(world, who);
        }
    };
    at(&mut world, Fenced::BeforeTheWrite, writer);
    world.store(writer, InShared, |_| tile);
    at(&mut world, Fenced::ByTheWriter, writer);
    at(&mut world, Fenced::ByTheCopierTooEarly, copying);
    let flag = tile + 256;
    match way {
        Way::Nothing => {}
        Way::BlockBarrier => world.barrier(0),
        Way::BarrierOfAPart => {
            let both =
                if copier < 32 { vec![(0, 3, 3)] } else { vec![(0, 1, 1), (1, copying.mask, copying.mask)] };
            world.blocks[0].barrier_among(&mut Global::Direct(&mut world.global), 1, &both, 0);
        }
        Way::WarpSync => world.sync_warp(0, 0, 3),
        Way::ReleasedFlag => {
            world.strong_store(writer, InShared, flag, Order::Release, Scope::Block);
            world.strong_load(copying, InShared, flag, Order::Acquire, Scope::Block);
        }
        Way::FencedFlag => {
            world.fence(writer, Scope::Block);
            world.strong_store(writer, InShared, flag, Order::Relaxed, Scope::Block);
            world.strong_load(copying, InShared, flag, Order::Relaxed, Scope::Block);
            world.fence(copying, Scope::Block);
        }
    }
    at(&mut world, Fenced::ByABystander, bystander);
    at(&mut world, Fenced::ByTheCopier, copying);
    let by = Beginner { warp: copying.warp, lane: copying.mask.trailing_zeros() as usize, site: Site(99) };
    let copy = BulkCopy { by, shared: tile, global: GlobalSide::Stretch(buffer), bytes: 16 };
    let mut value = LaneWords::ZERO;
    assert!(world.blocks[0].copy_out(&mut Global::Direct(&mut world.global), &copy, None, &mut value));
    let causes = world.findings().into_iter().map(|finding| match finding.message {
        Message::Memory(Reason::Race(.., cause)) => cause,
        ref other => panic!("{other:?}"),
    });
    let causes: Vec<RaceCause> = causes.collect();
    assert!(causes.len() <= 1, "{way:?} {fenced:?} {causes:?}");
    causes.first().copied()
}

#[test]
fn a_copy_reads_what_it_knows_of_and_what_was_handed_over() {
    for copier in [1, 40] {
        for way in WAYS.into_iter().filter(|&way| way != Way::WarpSync || copier < 32) {
            for fenced in FENCES {
                let expected = match (way, fenced) {
                    (Way::Nothing, _) => Some(RaceCause::ByProxy(Proxied::Copy)),
                    (_, Fenced::ByTheWriter | Fenced::ByTheCopier) => None,
                    _ => Some(RaceCause::ProxyFence(Proxied::Copy)),
                };
                assert_eq!(played(way, fenced, copier), expected, "{way:?} {fenced:?} thread {copier}");
            }
        }
    }
}

#[test]
fn a_bystander_hands_over_what_a_barrier_told_it() {
    let (mut world, buffer, tile) = World::new(1, 96);
    world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
    world.barrier(0);
    // Thread 70 knows of the writes by the barrier, and thread 40 of its fence by the next.
    hand_over(&mut world, thread(0, 70));
    world.barrier(0);
    let by = Beginner { warp: 1, lane: 8, site: Site(99) };
    let copy = BulkCopy { by, shared: tile, global: GlobalSide::Stretch(buffer), bytes: 128 };
    let mut value = LaneWords::ZERO;
    assert!(world.blocks[0].copy_out(&mut Global::Direct(&mut world.global), &copy, None, &mut value));
    world.clean();
}

#[test]
fn the_writer_itself_needs_a_fence() {
    for fenced in [false, true] {
        let (mut world, buffer, tile) = World::new(1, 32);
        world.store(warp(0, 0), InShared, |lane| tile + 4 * lane);
        hand_over(&mut world, warp(0, 0));
        world.barrier(0);
        world.store(thread(0, 0), InShared, |_| tile);
        if fenced {
            hand_over(&mut world, thread(0, 0));
        }
        let by = Beginner { warp: 0, lane: 0, site: Site(99) };
        let copy = BulkCopy { by, shared: tile, global: GlobalSide::Stretch(buffer), bytes: 16 };
        let mut value = LaneWords::ZERO;
        assert!(world.blocks[0].copy_out(&mut Global::Direct(&mut world.global), &copy, None, &mut value));
        assert_eq!(world.races().len(), usize::from(!fenced));
    }
}
