//! Copies through tensor maps against their plain definition: for any tensor, box, place and swizzle, what comes to shared memory
//! and what goes from there is what the CUDA driver's and the PTX manual say, element by element.

use std::sync::Arc;

use proptest::prelude::*;
use warpsim::{
    Argument, FindingKind, Launch, LaunchStatus, Module, OutsideFill, Profile, Simulator, Swizzle,
    TensorElement, TensorMap,
};

const TILE_BYTES: usize = 16 << 10;

/// One thread copies a tile in and writes all of shared memory out; or fills it and copies it out through the map. PTX by hand,
/// because the rank is in the instruction.
fn kernel(rank: usize) -> String {
    let coordinates: Vec<String> = (0..rank).map(|index| format!("%c{index}")).collect();
    let list = coordinates.join(", ");
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .align 128 .b8 map[128], .param .align 4 .b8 at[20], .param .u64 bytes_of, .param .u32 count, .param .u32 comes)\n\
         {{\n.reg .b32 %r<8>, %c<8>;\n.reg .b64 %d<8>, %state;\n.reg .pred %p<4>;\n\
         .shared .align 1024 .b8 tile[{TILE_BYTES}];\n.shared .align 8 .b64 bar;\n\
         mov.b64 %d0, map;\ncvta.param.u64 %d0, %d0;\nld.param.u64 %d1, [bytes_of];\ncvta.to.global.u64 %d1, %d1;\n\
         ld.param.u32 %r0, [count];\nld.param.u32 %r1, [comes];\nmov.u32 %r2, tile;\nmov.u32 %r3, bar;\n{}\
         mov.u32 %r4, 0;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra OUT;\n\
         mbarrier.init.shared.b64 [%r3], 1;\nmbarrier.arrive.expect_tx.shared.b64 %state, [%r3], %r0;\n\
         cp.async.bulk.tensor.{rank}d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r2], [%d0, {{{list}}}], [%r3];\n\
         WAIT: mbarrier.try_wait.shared.b64 %p1, [%r3], %state;\n@!%p1 bra WAIT;\n\
         IN: ld.shared.u32 %r5, [%r2];\nst.global.u32 [%d1], %r5;\nadd.u32 %r2, %r2, 4;\nadd.u64 %d1, %d1, 4;\nadd.u32 %r4, %r4, 4;\n\
         setp.lt.u32 %p2, %r4, %r0;\n@%p2 bra IN;\nret;\n\
         OUT: ld.global.u32 %r5, [%d1];\nadd.u32 %r6, %r2, %r4;\nst.shared.u32 [%r6], %r5;\nadd.u64 %d1, %d1, 4;\nadd.u32 %r4, %r4, 4;\n\
         setp.lt.u32 %p2, %r4, %r0;\n@%p2 bra OUT;\nfence.proxy.async;\n\
         cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [%d0, {{{list}}}], [%r2];\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}}\n",
        (0..rank).map(|index| format!("ld.param.u32 %c{index}, [at+{}];\n", 4 * index)).collect::<String>()
    )
}

/// A tensor with a box at a place. All lists begin with the innermost dimension.
#[derive(Clone, Debug)]
struct Case {
    element: TensorElement,
    dimensions: Vec<u64>,
    /// Bytes between the end of what a row, plane… takes and the next, in units of 16.
    gaps: Vec<u64>,
    extents: Vec<u32>,
    steps: Vec<u32>,
    swizzle: Swizzle,
    nan: bool,
    at: Vec<i32>,
}

impl Case {
    fn size(&self) -> u64 {
        self.element.bytes().into()
    }

    fn strides(&self) -> Vec<u64> {
        let mut taken = self.dimensions[0] * self.size();
        let mut strides = Vec::new();
        for (gap, dimension) in self.gaps.iter().zip(&self.dimensions[1..]) {
            let stride = taken.next_multiple_of(16) + 16 * gap;
            strides.push(stride);
            taken = stride * dimension;
        }
        strides
    }

    /// Bytes from the tensor's first to behind its last element.
    fn tensor_bytes(&self) -> u64 {
        let last: u64 =
            self.strides().iter().zip(&self.dimensions[1..]).map(|(stride, n)| stride * (n - 1)).sum();
        last + self.dimensions[0] * self.size()
    }

    /// Elements that are copied along each dimension.
    fn counts(&self) -> Vec<u32> {
        let step = |index: usize| if index == 0 { 1 } else { self.steps[index] };
        self.extents.iter().enumerate().map(|(index, extent)| extent.div_ceil(step(index))).collect()
    }

    fn tile_bytes(&self) -> u64 {
        self.counts().iter().map(|&count| u64::from(count)).product::<u64>() * self.size()
    }

    /// Of each element of the tile, in its order: where it lies in shared memory, counted from the tile, and in the tensor, if there.
    fn places(&self) -> Vec<(u64, Option<u64>)> {
        let counts = self.counts();
        let elements: u32 = counts.iter().product();
        let place = |number: u32| {
            let mut rest = number;
            let mut global = Some(0);
            for (index, &count) in counts.iter().enumerate() {
                let step = if index == 0 { 1 } else { self.steps[index] };
                let coordinate = i64::from(self.at[index]) + i64::from(rest % count * step);
                rest /= count;
                let stride = if index == 0 { self.size() } else { self.strides()[index - 1] };
                global = match (global, u64::try_from(coordinate)) {
                    (Some(so_far), Ok(inside)) if inside < self.dimensions[index] => {
                        Some(so_far + inside * stride)
                    }
                    _ => None,
                };
            }
            (swapped(self.swizzle, u64::from(number) * self.size()), global)
        };
        (0..elements).map(place).collect()
    }

    fn outside(&self) -> Vec<u8> {
        let pair = if self.nan { [0xf7, 0x7f] } else { [0, 0] };
        pair.into_iter().cycle().take(self.size() as usize).collect()
    }

    fn map(&self, address: u64) -> TensorMap {
        TensorMap::new(self.element, address, &self.dimensions, &self.extents)
            .with_strides(&self.strides())
            .with_element_strides(&self.steps)
            .with_swizzle(self.swizzle)
            .with_fill(if self.nan { OutsideFill::Nan } else { OutsideFill::Zeros })
    }

    /// Runs the kernel, which finishes without findings; gives the tensor's bytes and the other buffer's.
    fn run(&self, tensor: &[u8], tile: &[u8], comes: bool) -> (Vec<u8>, Vec<u8>) {
        let (status, kinds, bytes) = self.launch(tensor, tile, comes);
        assert_eq!((status, kinds), (LaunchStatus::Finished, Vec::new()));
        bytes
    }

    /// Runs the kernel; gives how it ended, what was found, and the tensor's bytes and the other buffer's.
    fn launch(
        &self,
        tensor: &[u8],
        tile: &[u8],
        comes: bool,
    ) -> (LaunchStatus, Vec<FindingKind>, (Vec<u8>, Vec<u8>)) {
        let module = Module::load(&kernel(self.dimensions.len())).expect("PTX");
        let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
        let at = simulator.allocate(tensor.len() as u64, "tensor");
        simulator.write(at, tensor).expect("a buffer of this size");
        let other = simulator.allocate(tile.len() as u64, "tile");
        simulator.write(other, tile).expect("a buffer of this size");
        let mut coordinates: Vec<u8> = self.at.iter().flat_map(|at| at.to_le_bytes()).collect();
        coordinates.resize(20, 0);
        let arguments = vec![
            self.map(at).argument().expect("a map"),
            Argument::Bytes(coordinates),
            Argument::Pointer { base: other, offset: 0 },
            Argument::Bytes((self.tile_bytes() as u32).to_le_bytes().to_vec()),
            Argument::Bytes(u32::from(comes).to_le_bytes().to_vec()),
        ];
        let report = simulator.launch(&Launch::new("k", [1; 3], [1; 3], arguments)).expect("a launch");
        let bytes = |base, count: usize| simulator.read(base, count).expect("the buffer").bytes;
        let kinds = report.findings.iter().map(|finding| finding.kind).collect();
        (report.status, kinds, (bytes(at, tensor.len()), bytes(other, tile.len())))
    }
}

/// The manual's pictures: lines of 128 bytes in turn combine the number of each chunk of 16 bytes within its span with their own.
fn swapped(swizzle: Swizzle, offset: u64) -> u64 {
    let chunks = match swizzle {
        Swizzle::Bytes32 => 2,
        Swizzle::Bytes64 => 4,
        Swizzle::Bytes128 => 8,
        _ => return offset,
    };
    let (line, chunk, byte) = (offset / 128, offset % 128 / 16, offset % 16);
    let (span, within) = (chunk / chunks, chunk % chunks);
    128 * line + 16 * (span * chunks + (within ^ (line % chunks))) + byte
}

/// Bytes that differ, whatever they are multiples of.
fn pattern(count: u64, seed: u64) -> Vec<u8> {
    (0..count).map(|at| ((at + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8).collect()
}

/// Of a dimension but the first: elements, gap, extent of the box, step, coordinate.
type Outer = (u64, u64, u32, u32, i32);

fn case() -> impl Strategy<Value = Case> {
    let elements = prop::sample::select(vec![
        TensorElement::U8,
        TensorElement::F16,
        TensorElement::I32,
        TensorElement::F32,
        TensorElement::F64,
    ]);
    let swizzles =
        prop::sample::select(vec![Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128]);
    (1usize..=5, elements, swizzles, any::<bool>()).prop_flat_map(|(rank, element, swizzle, nan)| {
        let size = element.bytes();
        // Rows of the box: whole chunks, or as long as the swizzle.
        let rows = match swizzle {
            Swizzle::None => (1u32..=5).prop_map(move |chunks| chunks * 16 / size).boxed(),
            swizzle => Just(swizzle.span() / size).boxed(),
        };
        let outer = prop::collection::vec((1u64..7, 0u64..3, 1u32..5, 1u32..4, -3i32..8), rank - 1);
        // Boxes begin at multiples of 16 bytes.
        let apart = (16 / size) as i32;
        let first = (-5i32..18).prop_map(move |chunk| chunk * apart);
        (rows, 1u64..60, first, outer).prop_map(move |(row, inner, at, outer)| {
            let all = |of: &dyn Fn(&Outer) -> u64| outer.iter().map(of).collect::<Vec<_>>();
            let small = |first: u32, of: &dyn Fn(&Outer) -> u32| {
                std::iter::once(first).chain(outer.iter().map(of)).collect::<Vec<_>>()
            };
            Case {
                element,
                dimensions: std::iter::once(inner).chain(all(&|each| each.0)).collect(),
                gaps: all(&|each| each.1),
                extents: small(row, &|each| each.2),
                steps: small(1, &|each| each.3),
                swizzle,
                nan: nan && matches!(element, TensorElement::F16 | TensorElement::F32 | TensorElement::F64),
                at: std::iter::once(at).chain(outer.iter().map(|each| each.4)).collect(),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_comes_is_what_the_definition_says(case in case()) {
        prop_assume!(case.tile_bytes() <= TILE_BYTES as u64);
        let tensor = pattern(case.tensor_bytes(), 1);
        let size = case.size() as usize;
        let mut expected = vec![0; case.tile_bytes() as usize];
        for (shared, global) in case.places() {
            let element = match global {
                Some(at) => tensor[at as usize..][..size].to_vec(),
                None => case.outside(),
            };
            expected[shared as usize..][..size].copy_from_slice(&element);
        }
        let (unchanged, found) = case.run(&tensor, &vec![0xee; expected.len()], true);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(unchanged, tensor);
    }

    #[test]
    fn what_goes_is_what_the_definition_says(case in case()) {
        prop_assume!(case.tile_bytes() <= TILE_BYTES as u64);
        // And those that go to a tensor do not begin before it.
        let at = case.at.iter().map(|&at| at.max(0)).collect();
        let case = Case { steps: vec![1; case.steps.len()], at, ..case };
        prop_assume!(case.tile_bytes() <= TILE_BYTES as u64);
        let (tensor, tile) = (pattern(case.tensor_bytes(), 1), pattern(case.tile_bytes(), 1 << 20));
        let size = case.size() as usize;
        let mut expected = tensor.clone();
        for (shared, global) in case.places() {
            if let Some(at) = global {
                expected[at as usize..][..size].copy_from_slice(&tile[shared as usize..][..size]);
            }
        }
        prop_assert_eq!(case.run(&tensor, &tile, false).0, expected);
    }

    #[test]
    fn what_a_gpu_stops_is_found(case in case(), comes in any::<bool>(), shift in 1i32..16, dimension in 0usize..5) {
        let case = Case { steps: vec![1; case.steps.len()], ..case };
        prop_assume!(case.tile_bytes() <= TILE_BYTES as u64);
        let (tensor, tile) = (pattern(case.tensor_bytes(), 1), pattern(case.tile_bytes(), 1 << 20));
        let apart = 16 / case.size() as i32;

        let mut crooked = case.clone();
        crooked.at[0] += shift;
        if shift % apart != 0 {
            let (status, kinds, bytes) = crooked.launch(&tensor, &tile, comes);
            prop_assert_eq!((status, kinds), (LaunchStatus::Faulted, vec![FindingKind::Misaligned]));
            prop_assert_eq!(bytes.0, tensor.clone());
        }

        let mut before = case;
        let dimension = dimension % before.at.len();
        before.at[dimension] = if dimension == 0 { -shift * apart } else { -shift };
        let (status, kinds, bytes) = before.launch(&tensor, &tile, false);
        prop_assert_eq!((status, kinds), (LaunchStatus::Faulted, vec![FindingKind::OutOfBounds]));
        prop_assert_eq!(bytes.0, tensor);
    }
}

/// CUDA Driver API, `cuTensorMapEncodeTiled`: a map lies at a multiple of 64 bytes.
#[test]
fn a_map_that_lies_at_another_place_is_an_error() {
    let found = |pad: usize| {
        let map = format!(".param .align 16 .b8 pad[{pad}], .param .align 16 .b8 map[128],");
        let module = Module::load(&kernel(1).replace(".param .align 128 .b8 map[128],", &map)).expect("PTX");
        let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
        let at = simulator.allocate(64, "tensor");
        simulator.write(at, &[7; 64]).expect("a buffer of this size");
        let tile = simulator.allocate(64, "tile");
        let map = TensorMap::new(TensorElement::I32, at, &[16], &[16]);
        let arguments = vec![
            Argument::Bytes(vec![0; pad]),
            map.argument().expect("a map"),
            Argument::Bytes(vec![0; 20]),
            Argument::Pointer { base: tile, offset: 0 },
            Argument::Bytes(64_u32.to_le_bytes().to_vec()),
            Argument::Bytes(1_u32.to_le_bytes().to_vec()),
        ];
        let report = simulator.launch(&Launch::new("k", [1; 3], [1; 3], arguments)).expect("a launch");
        report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    assert_eq!(found(64), []);
    for pad in [16, 32, 96] {
        assert!(!found(pad).is_empty(), "{pad}");
    }
}
