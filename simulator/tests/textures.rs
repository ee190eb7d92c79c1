//! Textures and surfaces by hand: kernels of one thread against the formulas of the CUDA C++ Programming Guide ("Texture Fetching"), and
//! what is said where an object is used as it must not be. Kernels that a compiler made are in `pass/` and `fail/`.

use std::sync::Arc;

use warpsim::{
    Argument, FindingKind, Geometry, Launch, LaunchReport, LaunchStatus, Module, Profile, Simulator,
    TexelElement, Texels, Texture, TextureAddressing, TextureFilter,
};

/// A context with eight rows of eight floats, all that a kernel finds, and 16 words for what it gives.
struct Bench {
    simulator: Simulator,
    texels: u64,
    out: u64,
}

impl Bench {
    /// Of a kernel with registers `%r0…` and `%f0…`, `%d0…`; `%out` is where it gives back, `%h` the handle, `%in` three words.
    fn new(body: &str) -> Bench {
        let ptx = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 h, .param .b32 x, .param .b32 y, \
             .param .b32 z)\n{{\n.reg .b32 %r<16>, %x, %y, %z;\n.reg .f32 %f<16>;\n.reg .b64 %d<4>, %out, %h;\nld.param.u64 %out, [out];\n\
             ld.param.u64 %h, [h];\nld.param.b32 %x, [x];\nld.param.b32 %y, [y];\nld.param.b32 %z, [z];\n{body}\nret;\n}}\n"
        );
        let module = Module::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let mut simulator = Simulator::new(Arc::new(module), &Profile::H200);
        let (out, texels) = (simulator.allocate(64, "out"), simulator.allocate(256, "texels"));
        let values: Vec<u8> = (0..64).flat_map(|at| value(at).to_le_bytes()).collect();
        simulator.write(texels, &values).expect("a buffer of this size");
        simulator.write(out, &[0; 64]).expect("a buffer of this size");
        Bench { simulator, texels, out }
    }

    /// All that there is, as texels of a geometry.
    fn of(&self, geometry: Geometry, extents: &[u32]) -> Texels {
        Texels::new(TexelElement::F32, 1, geometry, extents, self.texels)
    }

    fn run(&mut self, handle: u64, words: [u32; 3]) -> (LaunchReport, Vec<u32>) {
        let word = |word: u32| Argument::Bytes(word.to_le_bytes().to_vec());
        let mut arguments = vec![
            Argument::Pointer { base: self.out, offset: 0 },
            Argument::Bytes(handle.to_le_bytes().to_vec()),
        ];
        arguments.extend(words.map(word));
        let launch = Launch::new("k", [1; 3], [1; 3], arguments);
        let report = self.simulator.launch(&launch).expect("a launch that is taken");
        let bytes = self.simulator.read(self.out, 64).expect("the buffer").bytes;
        (report, bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }
}

/// What the texel of this number holds.
fn value(at: u32) -> f32 {
    (at * 37 % 64) as f32 - 20.0
}

const PLANE: &str = "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%x, %y}];\nst.global.f32 [%out], %f0;";

/// The guide says how many bits a weight has, and not how it is rounded: half a step along each of two dimensions is the bound here.
#[test]
fn a_filtered_value_is_as_near_to_the_formula_as_its_weights_allow() {
    let mut bench = Bench::new(PLANE);
    let texture = Texture::new(bench.of(Geometry::Plane, &[8, 8])).with_filter(TextureFilter::Linear);
    let handle = bench.simulator.texture(&texture).expect("a texture");
    let at = |x: i64, y: i64| f64::from(value((y.clamp(0, 7) * 8 + x.clamp(0, 7)) as u32));
    // The largest difference of two texels, by half a step of a weight, twice.
    let bound = 63.0 / 256.0;
    let mut worst: f64 = 0.0;
    for step in 0..400u32 {
        // Places that lie nowhere in particular, some of them outside.
        let (x, y) = (step as f32 * 0.0271 - 1.3, step as f32 * 0.613 % 10.0 - 1.0);
        let (report, words) = bench.run(handle, [x.to_bits(), y.to_bits(), 0]);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        let (left, up) = (f64::from(x) - 0.5, f64::from(y) - 0.5);
        let (i, j) = (left.floor() as i64, up.floor() as i64);
        let (a, b) = (left - left.floor(), up - up.floor());
        let expected = (1.0 - a) * (1.0 - b) * at(i, j)
            + a * (1.0 - b) * at(i + 1, j)
            + (1.0 - a) * b * at(i, j + 1)
            + a * b * at(i + 1, j + 1);
        let difference = (f64::from(f32::from_bits(words[0])) - expected).abs();
        assert!(difference <= bound, "at ({x}, {y}): {} for {expected}", f32::from_bits(words[0]));
        worst = worst.max(difference);
    }
    assert!(worst > 0.0, "weights of 8 bits differ from those of more");
}

#[test]
fn a_coordinate_may_stand_alone() {
    let mut bench =
        Bench::new("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%h, %x];\nst.global.f32 [%out], %f0;");
    let texture = Texture::new(bench.of(Geometry::Line, &[64])).with_linear_memory(true);
    let handle = bench.simulator.texture(&texture).expect("a texture");
    let (report, words) = bench.run(handle, [9, 0, 0]);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!(f32::from_bits(words[0]), value(9));
}

#[test]
fn what_is_asked_is_answered() {
    let ask = |what: &str, opcode: &str| {
        Bench::new(&format!("{opcode}.{what}.b32 %r0, [%h];\nst.global.b32 [%out], %r0;"))
    };
    let answer = |what: &str| {
        let mut bench = ask(what, "txq");
        let texture = Texture::new(bench.of(Geometry::LayeredPlane, &[8, 4, 2]))
            .with_normalized(true)
            .with_addressing(TextureAddressing::Wrap);
        let handle = bench.simulator.texture(&texture).expect("a texture");
        bench.run(handle, [0; 3]).1[0]
    };
    let asked = ["width", "height", "array_size", "normalized_coords", "num_mipmap_levels"];
    assert_eq!(asked.map(answer), [8, 4, 2, 1, 1]);
    let mut bench = ask("depth", "suq");
    let volume = bench.of(Geometry::Volume, &[8, 4, 2]);
    let handle = bench.simulator.surface(&volume).expect("a surface");
    assert_eq!(bench.run(handle, [0; 3]).1[0], 2);
}

/// What a kernel does with a plane of floats that it must not, or that is lacking.
#[test]
fn what_must_not_be_is_said() {
    let surface = "suld.b.2d.b32.trap %r0, [%h, {%x, %y}];\nst.global.b32 [%out], %r0;";
    let nan = f32::NAN.to_bits();
    let one = 1.0f32.to_bits();
    let cases: [(&str, [u32; 2], bool, FindingKind, &str); 9] = [
        (surface, [4, 0], false, FindingKind::OutOfBounds, "that of a texture, not of a surface"),
        (PLANE, [one, one], true, FindingKind::OutOfBounds, "that of a surface, not of a texture"),
        (PLANE, [nan, one], false, FindingKind::Unsupported, "infinite or no number"),
        (surface, [2, 0], true, FindingKind::Misaligned, "not a multiple of 4"),
        (surface, [32, 0], true, FindingKind::OutOfBounds, "a surface of 32 bytes × 8"),
        (surface, [0, u32::MAX], true, FindingKind::OutOfBounds, "(0, -1)"),
        (
            "tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%h, {%x, %y}];",
            [one, one],
            false,
            FindingKind::OutOfBounds,
            "reads integers, but the texture gives floats",
        ),
        (
            "tld4.g.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%x, %y}];",
            [one, one],
            false,
            FindingKind::OutOfBounds,
            "gathers a channel that the texture lacks",
        ),
        (
            "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%f9, %y}];\nst.global.f32 [%out], %f0;",
            [one, one],
            false,
            FindingKind::UninitializedRead,
            "the address accessed here is computed from it",
        ),
    ];
    for (body, [x, y], of_surface, kind, words) in cases {
        let mut bench = Bench::new(body);
        let texels = bench.of(Geometry::Plane, &[8, 8]);
        let handle = match of_surface {
            true => bench.simulator.surface(&texels),
            false => bench.simulator.texture(&Texture::new(texels)),
        };
        let (report, _) = bench.run(handle.expect("an object"), [x, y, 0]);
        let said: Vec<String> =
            report.findings.iter().map(|found| format!("{:?}: {}", found.kind, found.message)).collect();
        let found = report.findings.iter().any(|found| found.kind == kind && found.message.contains(words));
        assert!(found, "{body}: {said:?}");
    }
}

#[test]
fn texels_that_are_gone_are_out_of_bounds() {
    let mut bench = Bench::new(PLANE);
    let texture = Texture::new(bench.of(Geometry::Plane, &[8, 8]));
    let handle = bench.simulator.texture(&texture).expect("a texture");
    assert!(bench.simulator.free(bench.texels));
    let (report, _) = bench.run(handle, [0, 0, 0]);
    assert_eq!(report.status, LaunchStatus::Faulted, "{:?}", report.findings);
    assert_eq!(report.findings[0].kind, FindingKind::OutOfBounds);
}

/// What instructions read and write is asked for in optimised code that races, and where the clock is read while loads are in flight.
#[test]
fn registers_of_a_texture_read_are_known_without_executing_it() {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 h)\n{\n.reg .b32 %r<4>;\n\
               .reg .f32 %f<8>;\n.reg .b64 %d<4>, %out, %h;\n.shared .align 4 .b8 s[4096];\nld.param.u64 %out, [out];\nld.param.u64 %h, [h];\n\
               mov.u64 %d0, %clock64;\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 7;\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\n\
               st.shared.b32 [%r1], %r0;\nxor.b32 %r1, %r1, 128;\nld.shared.b32 %r3, [%r1];\ncvt.rn.f32.u32 %f4, %r0;\n\
               tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%h, {%f4, %f4}];\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %out, %d1;\n\
               cvt.rn.f32.u32 %f5, %r3;\nadd.f32 %f0, %f0, %f5;\nmov.u64 %d2, %clock64;\nst.global.f32 [%d1], %f0;\nret;\n}\n";
    let module = Arc::new(Module::load(ptx).expect("PTX"));
    for optimised in [false, true] {
        let simulator = Simulator::new(module.clone(), &Profile::H200);
        let mut simulator = if optimised { simulator.with_optimised_code() } else { simulator };
        let (base, texels) = (simulator.allocate(128, "out"), simulator.allocate(256, "texels"));
        simulator.write(texels, &[0; 256]).expect("a buffer of this size");
        let texels = Texels::new(TexelElement::F32, 1, Geometry::Plane, &[8, 8], texels);
        let handle = simulator.texture(&Texture::new(texels)).expect("a texture");
        let arguments =
            vec![Argument::Pointer { base, offset: 0 }, Argument::Bytes(handle.to_le_bytes().to_vec())];
        let report = simulator.launch(&Launch::new("k", [1; 3], [32, 1, 1], arguments)).expect("a launch");
        assert_eq!(report.status, LaunchStatus::Finished);
        assert!(report.findings.iter().any(|found| found.kind == FindingKind::Race), "{:?}", report.findings);
    }
}
