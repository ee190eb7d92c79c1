//! Kernels as files, and their launches: as their headers say, which `launch_options` reads.
//!
//! Nothing here knows what a test expects.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use launch_options::{
    AddressMode, ByteSource, Element, Fill, Header, Sampling, Specification, TensorTile, TexelLayout, number,
};
use warpsim::{
    Argument, Geometry, Launch, LaunchReport, Module, OutsideFill, Place, Profile, Simulator, Swizzle,
    TensorElement, TensorMap, TexelElement, Texels, Texture, TextureAddressing, TextureFilter,
};

/// The folder of the tests.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// All `.cu` files below a folder, in order.
pub fn kernels(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(kernels(&path));
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The PTX that the compiler made of a kernel, with `ending` in place of `cu`.
pub fn compiled(kernel: &Path, ending: &str) -> String {
    let name = kernel.with_extension(ending);
    let path = kernel.with_file_name("compiled").join(name.file_name().expect("a file"));
    fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; tests/corpus/compile.py makes it", path.display()))
}

/// A launch and the buffers that its kernel writes.
pub struct Done {
    /// What the simulator says.
    pub report: LaunchReport,
    /// By argument: its index, the type, and the elements as text, `?` where nothing wrote.
    pub outputs: Vec<(usize, Vec<String>)>,
}

/// The profile that a header asks for.
pub fn profile(header: &Header) -> &'static Profile {
    let Some(device) = &header.device else { return &Profile::H200 };
    let name = device.strip_prefix("sim:").expect("--device sim:PROFILE");
    Profile::by_name(name).expect("a profile's name")
}

/// Launches a kernel as its header says; `budget` is for headers without one.
pub fn launch(
    header: &Header,
    module: Arc<Module>,
    budget: u64,
    simulator: impl FnOnce(Arc<Module>) -> Simulator,
) -> Done {
    assert!(
        header.others.is_empty() && header.globals.is_empty(),
        "only `grader run` understands {:?}",
        header.words
    );
    // A template's instance goes by another name in the PTX, and is the only kernel there.
    let names: Vec<String> = module.kernels().map(|kernel| kernel.name.clone()).collect();
    let kernel = match names.iter().find(|name| **name == header.entry) {
        Some(name) => name.clone(),
        None => names[0].clone(),
    };
    let mut simulator = simulator(module);
    let mut arguments = Vec::new();
    // By argument, where it has a buffer.
    let mut buffers: Vec<Option<Buffer>> = Vec::new();
    for (index, specification) in header.arguments.iter().enumerate() {
        let (argument, buffer) = match specification {
            Specification::Scalar { bytes, .. } => (Argument::Bytes(bytes.clone()), None),
            Specification::Bytes(ByteSource::Listed(bytes)) => (Argument::Bytes(bytes.clone()), None),
            Specification::Bytes(ByteSource::File(path)) => {
                panic!("a kernel of these tests has no files: {}", path.display())
            }
            Specification::Null => (Argument::Bytes(vec![0; 8]), None),
            Specification::Same { index, offset } => {
                let buffer = buffers[*index].as_ref().expect("an earlier buffer");
                (
                    Argument::Pointer { base: buffer.base, offset: (offset * buffer.element.bytes()) as u64 },
                    None,
                )
            }
            Specification::Buffer { .. } => {
                let buffer = Buffer::make(&mut simulator, index, specification);
                (Argument::Pointer { base: buffer.base, offset: 0 }, Some(buffer))
            }
            Specification::TensorMap { tile, buffer } => {
                let (buffer, own) = match &**buffer {
                    Specification::Same { index, .. } => {
                        (buffers[*index].clone().expect("an earlier buffer"), false)
                    }
                    own => (Buffer::make(&mut simulator, index, own), true),
                };
                let map = tensor_map(tile, &buffer).argument().expect("a map that the driver makes");
                (map, own.then_some(buffer))
            }
            Specification::Texture { layout, sampling, buffer } => {
                let (buffer, own) = Buffer::of_texels(&mut simulator, index, (buffer, *layout), &buffers);
                let handle = simulator.texture(&texture(*sampling, buffer.texels()));
                (Argument::Bytes(handle.expect("a texture").to_le_bytes().to_vec()), own.then_some(buffer))
            }
            Specification::Surface { layout, buffer } => {
                let (buffer, own) = Buffer::of_texels(&mut simulator, index, (buffer, *layout), &buffers);
                let handle = simulator.surface(&buffer.texels());
                (Argument::Bytes(handle.expect("a surface").to_le_bytes().to_vec()), own.then_some(buffer))
            }
        };
        arguments.push(argument);
        buffers.push(buffer);
    }
    let launch = Launch::new(&kernel, header.grid.0, header.block.0, arguments)
        .with_dynamic_shared(header.shared)
        .with_cluster(header.cluster.map(|cluster| cluster.0))
        .with_cooperative(header.cooperative)
        .with_budget(header.budget.unwrap_or(budget));
    let report = simulator.launch(&launch).expect("a launch that a GPU accepts");
    for finding in &report.findings {
        // A line of the source that ends without its backslash leaves its indentation in the text.
        assert!(!finding.message.contains("  "), "spaces in a row: {}", finding.message);
        for place in finding.place.iter().chain(&finding.other) {
            assert!(!is_at_a_closing_brace(place), "{place:?} has a `}}` alone: {}", finding.message);
        }
    }
    let outputs = buffers.into_iter().enumerate().filter_map(|(index, buffer)| {
        let Buffer { base, element, shape, .. } = buffer.filter(|buffer| buffer.is_written)?;
        let elements: usize = shape.iter().product();
        let contents = simulator.read(base, elements * element.bytes()).expect("the buffer");
        let values = contents.bytes.chunks(element.bytes()).enumerate().take(256).map(|(at, value)| {
            let unwritten =
                contents.uninitialised.iter().any(|range| range.contains(&(at * element.bytes())));
            if unwritten { "?".to_owned() } else { shown(element, value) }
        });
        Some((index, values.collect()))
    });
    Done { report, outputs: outputs.collect() }
}

/// Whether a place is a line with nothing but a closing brace. Threads leave there, and it tells a reader nothing.
fn is_at_a_closing_brace(place: &Place) -> bool {
    let source = fs::read_to_string(root().join(&place.file)).unwrap_or_default();
    let line = (place.line as usize).checked_sub(1).and_then(|at| source.lines().nth(at));
    line.is_some_and(|line| line.trim() == "}")
}

/// A buffer of an argument.
#[derive(Clone)]
struct Buffer {
    base: u64,
    element: Element,
    shape: Vec<usize>,
    is_written: bool,
    /// How its elements are texels, where they are any.
    layout: Option<TexelLayout>,
}

impl Buffer {
    fn make(simulator: &mut Simulator, index: usize, specification: &Specification) -> Buffer {
        let Specification::Buffer { element, shape, fill, written } = specification else {
            panic!("{specification:?} is no buffer")
        };
        let elements: usize = shape.iter().product();
        let base = simulator.allocate((elements * element.bytes()) as u64, &format!("argument {index}"));
        if let Some(fill) = fill {
            simulator.write(base, &contents(fill, *element, elements)).expect("a buffer of this size");
        }
        Buffer { base, element: *element, shape: shape.clone(), is_written: *written, layout: None }
    }

    /// The buffer of a texture or surface, and whether it is its own.
    fn of_texels(
        simulator: &mut Simulator,
        index: usize,
        (buffer, layout): (&Specification, TexelLayout),
        before: &[Option<Buffer>],
    ) -> (Buffer, bool) {
        let (mut buffer, own) = match buffer {
            Specification::Same { index, .. } => (before[*index].clone().expect("an earlier buffer"), false),
            own => (Buffer::make(simulator, index, own), true),
        };
        buffer.layout.get_or_insert(layout);
        (buffer, own)
    }

    /// Its texels; extents are the slowest first where they are written, and the fastest first there, with the layers last.
    fn texels(&self) -> Texels {
        let layout = self.layout.expect("texels");
        let element = match self.element {
            Element::U8 => TexelElement::U8,
            Element::I8 => TexelElement::I8,
            Element::U16 => TexelElement::U16,
            Element::I16 => TexelElement::I16,
            Element::U32 => TexelElement::U32,
            Element::I32 => TexelElement::I32,
            Element::F16 => TexelElement::F16,
            Element::F32 => TexelElement::F32,
            other => panic!("no texel has channels of {other}"),
        };
        let mut extents: Vec<u32> = self.shape.iter().rev().map(|&extent| extent as u32).collect();
        if layout.channels > 1 {
            extents.remove(0);
        }
        let geometry = match (extents.len(), layout.layered) {
            (1, false) => Geometry::Line,
            (2, false) => Geometry::Plane,
            (3, false) => Geometry::Volume,
            (2, true) => Geometry::LayeredLine,
            _ => Geometry::LayeredPlane,
        };
        Texels::new(element, layout.channels as u32, geometry, &extents, self.base)
    }
}

/// The map of a buffer, whose extents are the slowest first where it is written and the fastest first in a map.
fn tensor_map(tile: &TensorTile, buffer: &Buffer) -> TensorMap {
    let element = match buffer.element {
        Element::U8 | Element::I8 => TensorElement::U8,
        Element::U16 | Element::I16 => TensorElement::U16,
        Element::U32 => TensorElement::U32,
        Element::I32 => TensorElement::I32,
        Element::U64 => TensorElement::U64,
        Element::I64 => TensorElement::I64,
        Element::F16 => TensorElement::F16,
        Element::Bf16 => TensorElement::Bf16,
        Element::F32 => TensorElement::F32,
        Element::F64 => TensorElement::F64,
    };
    let dims = tile.within(&buffer.shape).expect("extents that go together");
    let turned = |list: &[usize]| list.iter().rev().map(|&extent| extent as u64).collect::<Vec<_>>();
    let turned_small = |list: &[u32]| list.iter().rev().copied().collect::<Vec<_>>();
    let extents = turned_small(&tile.extents);
    let strides = TensorMap::new(element, buffer.base, &turned(&buffer.shape), &extents).strides;
    let steps = tile.steps.clone().unwrap_or_else(|| vec![1; dims.len()]);
    TensorMap::new(element, buffer.base, &turned(&dims), &extents)
        .with_strides(&strides)
        .with_element_strides(&turned_small(&steps))
        .with_swizzle(match tile.swizzle {
            32 => Swizzle::Bytes32,
            64 => Swizzle::Bytes64,
            128 => Swizzle::Bytes128,
            _ => Swizzle::None,
        })
        .with_fill(if tile.nan { OutsideFill::Nan } else { OutsideFill::Zeros })
}

fn texture(sampling: Sampling, texels: Texels) -> Texture {
    Texture::new(texels)
        .with_filter(if sampling.linear { TextureFilter::Linear } else { TextureFilter::Point })
        .with_addressing(match sampling.address_mode {
            AddressMode::Clamp => TextureAddressing::Clamp,
            AddressMode::Border => TextureAddressing::Border,
            AddressMode::Wrap => TextureAddressing::Wrap,
            AddressMode::Mirror => TextureAddressing::Mirror,
        })
        .with_normalized(sampling.normalized)
        .with_as_float(sampling.as_float)
        .with_linear_memory(sampling.memory)
}

fn contents(fill: &Fill, element: Element, elements: usize) -> Vec<u8> {
    let of = |text: &str| number(element, text).expect("a number of the type");
    match fill {
        Fill::Zeros => vec![0; elements * element.bytes()],
        Fill::Ones => of("1").repeat(elements),
        Fill::Constant(value) => of(value).repeat(elements),
        Fill::Values(values) => values.iter().flat_map(|value| of(value)).collect(),
        // Integers wrap, as in `grader run`.
        Fill::Iota if element.is_float() => (0..elements).flat_map(|i| of(&i.to_string())).collect(),
        Fill::Iota => {
            (0..elements as u64).flat_map(|i| i.to_le_bytes()[..element.bytes()].to_vec()).collect()
        }
        Fill::Random(_) | Fill::File(_) => {
            panic!("the simulator's tests keep what they compute from in their headers")
        }
    }
}

fn shown(element: Element, bytes: &[u8]) -> String {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(eight);
    let unused = 64 - 8 * bytes.len() as u32;
    match element {
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => unsigned.to_string(),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => {
            (unsigned.wrapping_shl(unused) as i64 >> unused).to_string()
        }
        Element::F16 => half::f16::from_bits(unsigned as u16).to_string(),
        Element::Bf16 => half::bf16::from_bits(unsigned as u16).to_string(),
        Element::F32 => f32::from_bits(unsigned as u32).to_string(),
        Element::F64 => f64::from_bits(unsigned).to_string(),
    }
}
