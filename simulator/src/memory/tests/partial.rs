//! Bits that nothing wrote, stored and loaded again in every space, against one
//! undefined bit per bit of memory.

use proptest::prelude::*;

use super::*;
use crate::memory::{LOCAL_LIMIT, LOCAL_WINDOW};

const BYTES: u64 = 32;

/// (space, offset, size as a power of two, undefined bits of what is stored, store or load)
type Step = (usize, u64, u32, u64, bool);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let undefined =
        prop_oneof![Just(0), Just(u64::MAX), any::<u64>(), (0..8u64).prop_map(|byte| 0xff << (8 * byte))];
    prop::collection::vec((0..3usize, 0..BYTES, 0..4u32, undefined, any::<bool>()), 1..60)
}

proptest! {
    #[test]
    fn a_load_gives_the_undefined_bits_that_stores_left(steps in steps()) {
        let (mut world, _, tile) = World::new(1, 32);
        let buffer = world.global.allocate(BYTES, "buffer");
        let local = world.blocks[0].push_local(0, ALL, BYTES as u32, 16, 0).expect("there is room")[0];
        let spaces = [(InShared, tile), (InGlobal, buffer), (Generic, LOCAL_WINDOW + 5 * u64::from(LOCAL_LIMIT) + local)];
        let mut model = [[0xffu8; BYTES as usize]; 3];
        let mut values = [[0u8; BYTES as usize]; 3];
        for (which, offset, size, undefined, stores) in steps {
            let bytes = 1u64 << size;
            let at = (offset / bytes * bytes) as usize;
            let (space, start) = spaces[which];
            let access = world.access(thread(0, 5), space, |_| start + at as u64, bytes as u8);
            let range = at..at + bytes as usize;
            let mut words = LaneWords::ZERO;
            if stores {
                let value = undefined.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                words.set_pair(5, value);
                words.set_undefined(0, 5, undefined as u32);
                words.set_undefined(1, 5, (undefined >> 32) as u32);
                world.blocks[0].store(&mut Global::Direct(&mut world.global), &access, &words);
                model[which][range.clone()].copy_from_slice(&undefined.to_le_bytes()[..bytes as usize]);
                values[which][range].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
            } else {
                let (out, outcome) = world.do_load(thread(0, 5), &access);
                prop_assert_eq!(outcome.faulted, 0);
                let (value, found) = (out.pair(5).to_le_bytes(), out.undefined_pair(5).to_le_bytes());
                prop_assert_eq!(&found[..bytes as usize], &model[which][range.clone()]);
                prop_assert!(found[bytes as usize..].iter().all(|&bits| bits == 0));
                // Before the first store memory holds what it holds.
                for (byte, index) in range.enumerate() {
                    let defined = !model[which][index];
                    prop_assert_eq!(value[byte] & defined, values[which][index] & defined);
                }
            }
        }
        // The host takes a byte of which any bit is undefined for never written.
        let (_, undefined) = world.global.read(buffer, BYTES).expect("in bounds");
        for (at, &bits) in model[1].iter().enumerate() {
            let is_undefined = undefined.iter().any(|range| range.contains(&at));
            prop_assert_eq!(is_undefined, bits != 0, "byte {}", at);
        }
    }
}
