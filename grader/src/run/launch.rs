//! From `run`'s specifications to a plan.

use std::fs;

use harness::device::worker::{SIMULATOR_MEMORY, simulated_bytes};
use harness::plan::{Argument, BufferId, Bytes, Element, Fill as Contents, Launch, Plan, Step, TexelLayout};
use harness::{tensor, texture};
use launch_options::{ByteSource, Fill, GlobalFill, OptionError, Saved, Specification, number};
use warpsim::Profile;

use super::{numpy, parameters::Parameter};
use crate::{
    cli::Run,
    exit::{Result, Trouble},
    files,
    visible::{one_line, shown},
};

/// A variable of the module: its size and, where the PTX tells, its element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Size in bytes.
    pub bytes: usize,
    /// Element type; none for arrays, which PTX declares as bytes.
    pub element: Option<Element>,
}

impl Variable {
    /// How many elements of a type it has.
    fn elements(self, name: &str, element: Element) -> Result<usize> {
        if self.bytes.is_multiple_of(element.bytes()) {
            return Ok(self.bytes / element.bytes());
        }
        let message = format!("`{name}` has {} bytes, which is no number of {}s", self.bytes, element.name());
        Err(Trouble::usage(message, "give the variable's own type"))
    }
}

/// The plan of a run, and the buffer that each `--save` means. `kernel` is the name to launch and `parameters` what it takes;
/// `variable` looks a module's variable up.
///
/// # Errors
/// Wrong usage: what does not fit.
pub fn plan(
    run: &Run,
    kernel: &str,
    parameters: &[Parameter],
    variable: impl Fn(&str) -> Option<Variable>,
) -> Result<(Plan, Vec<BufferId>)> {
    let mut plan = Plan::new();
    let mut arguments = Vec::new();
    for (index, specification) in run.arguments.iter().enumerate() {
        let place = Place { kernel, index, parameter: parameters.get(index) };
        arguments.push(argument(&mut plan, run, place, specification, &arguments)?);
    }
    let variable = |name: &str| {
        variable(name).ok_or_else(|| {
            Trouble::usage(
                format!("the module has no variable `{name}`"),
                "name a __device__ or __constant__ variable; static ones may be optimised away",
            )
        })
    };
    for global in &run.globals {
        let variable = variable(&global.name)?;
        let (element, contents) = contents_of_global(run, global, variable)?;
        plan.set_global(&global.name, element, contents);
    }
    let launch = Launch {
        kernel: kernel.to_owned(),
        grid: run.grid.0,
        block: run.block.0,
        dynamic_shared: run.shared,
        arguments: arguments.clone(),
        cluster: run.cluster.map(|cluster| cluster.0),
        cooperative: run.cooperative,
    };
    if run.repeat == 1 {
        plan.launch(launch);
    } else {
        plan.steps.push(Step::Repeat { times: run.repeat, steps: vec![Step::Launch(launch)] });
    }
    let of_arguments = plan.buffers.len();
    let mut saved = Vec::new();
    for save in &run.save {
        saved.push(match &save.what {
            Saved::Argument(index) => saved_buffer(&arguments, *index)?,
            Saved::Variable { name, element } => {
                let (element, elements) = elements_of(name, *element, variable(name)?)?;
                let into = plan.buffer(name, element, &[elements], Contents::Uninitialized);
                plan.steps.push(Step::ReadGlobal { name: name.clone(), into });
                into
            }
        });
    }
    for index in 0..of_arguments {
        if saved.contains(&BufferId(index)) {
            plan.steps.push(Step::ReadBack(BufferId(index)));
        }
    }
    Ok((plan, saved))
}

/// The type and the number of a variable's elements, of which `--save` may name the type.
fn elements_of(name: &str, element: Option<Element>, variable: Variable) -> Result<(Element, usize)> {
    let Some(element) = element.or(variable.element) else {
        return Err(untyped(name, variable, &format!("--save {name}=f32:PATH.npy")));
    };
    Ok((element, variable.elements(name, element)?))
}

/// The trouble of a variable whose type neither the PTX nor the option tells.
fn untyped(name: &str, variable: Variable, example: &str) -> Trouble {
    Trouble::usage(
        format!("the PTX declares `{name}` as {} bytes and does not say of which type", variable.bytes),
        format!("write the type, for example {example}"),
    )
}

/// Refuses what no GPU takes, before anything is compiled for it.
///
/// # Errors
/// Wrong usage: the limit and what was asked for (CUDA C++ Programming Guide, Technical Specifications
/// per Compute Capability).
pub fn check(run: &Run, profile: &Profile) -> Result<()> {
    let extent = |[x, y, z]: [u32; 3]| format!("{x},{y},{z}");
    let (grid, block) = (run.grid.0, run.block.0);
    let threads = block.iter().fold(1, |threads: u64, &n| threads.saturating_mul(u64::from(n)));
    if threads > 1024 || block[2] > 64 {
        return Err(Trouble::usage(
            format!(
                "--block {}: a block has at most 1024 threads in all, and at most 64 in z",
                extent(block)
            ),
            "use fewer threads per block and more blocks",
        ));
    }
    if grid[0] > 0x7fff_ffff || grid[1] > 65_535 || grid[2] > 65_535 {
        return Err(Trouble::usage(
            format!(
                "--grid {}: a grid has at most 2147483647 blocks in x and 65535 in y and z",
                extent(grid)
            ),
            "let each thread do more, or put the long extent into x",
        ));
    }
    if let Some(cluster) = run.cluster {
        let size = cluster.0;
        let blocks = size.iter().fold(1, |blocks: u64, &n| blocks.saturating_mul(u64::from(n)));
        if profile.compute_capability < 90 {
            return Err(Trouble::usage(
                format!(
                    "--cluster {}: sim:{} has compute capability {}.{} and no clusters",
                    extent(size),
                    profile.name,
                    profile.compute_capability / 10,
                    profile.compute_capability % 10
                ),
                "leave --cluster out, or choose another --device, such as sim:h200",
            ));
        }
        if blocks > 8 {
            return Err(Trouble::usage(
                format!("--cluster {}: a cluster has at most 8 blocks", extent(size)),
                "use smaller clusters",
            ));
        }
        if (0..3).any(|axis| !grid[axis].is_multiple_of(size[axis])) {
            return Err(Trouble::usage(
                format!("--cluster {}: --grid {} is no multiple of it", extent(size), extent(grid)),
                "make the grid a multiple of the cluster in every dimension",
            ));
        }
    }
    let most = profile.shared_per_block_optin;
    if run.shared > most {
        return Err(Trouble::usage(
            format!("--shared {}: sim:{} gives a block at most {most} bytes", run.shared, profile.name),
            "keep less in shared memory at a time, or choose another --device",
        ));
    }
    match run.arch {
        Some(arch) if arch.capability > profile.compute_capability => Err(Trouble::usage(
            format!(
                "--arch {arch}: sim:{} has compute capability {}.{} and runs no code for a newer GPU",
                profile.name,
                profile.compute_capability / 10,
                profile.compute_capability % 10
            ),
            "leave --arch out, or choose another --device",
        )),
        _ => fits(run),
    }
}

/// Refuses buffers that the simulator's worker has no room for, before one of them is filled.
fn fits(run: &Run) -> Result<()> {
    let mut sketch = Plan::new();
    for (index, specification) in run.arguments.iter().enumerate() {
        let buffer = match specification {
            Specification::TensorMap { buffer, .. }
            | Specification::Texture { buffer, .. }
            | Specification::Surface { buffer, .. } => buffer,
            other => other,
        };
        let Specification::Buffer { element, shape, fill, .. } = buffer else { continue };
        let fill = match fill {
            None => Contents::Uninitialized,
            Some(Fill::Zeros) => Contents::Zeros,
            Some(Fill::File(_) | Fill::Values(_)) => Contents::Data(Bytes::default()),
            Some(_) => Contents::Counting,
        };
        let buffer = sketch.buffer("", *element, shape, fill);
        if run.save.iter().any(|save| save.what == Saved::Argument(index)) {
            sketch.steps.push(Step::ReadBack(buffer));
        }
    }
    let (needed, room) = (simulated_bytes(&sketch), SIMULATOR_MEMORY);
    if needed <= room {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Err(Trouble::usage(
        format!(
            "the buffers take about {:.1} GiB in the simulator, contents and what is known of them, and it may use {:.0} GiB",
            gib(needed),
            gib(room)
        ),
        "give smaller buffers: what a kernel does wrong it does as wrong with a few thousand elements",
    ))
}

/// The buffer that `--save INDEX` means.
///
/// # Errors
/// Wrong usage where that argument is none.
fn saved_buffer(arguments: &[Argument], index: usize) -> Result<BufferId> {
    match arguments.get(index) {
        Some(
            Argument::Buffer { buffer, .. }
            | Argument::TensorMap { buffer, .. }
            | Argument::Texture { buffer, .. }
            | Argument::Surface { buffer, .. },
        ) => Ok(*buffer),
        Some(_) => Err(Trouble::usage(
            format!("--save {index}: argument {index} is no buffer"),
            "count the arguments from 0 and name one that is in, inout, out, same, texture or surface",
        )),
        None => Err(Trouble::usage(
            format!("--save {index}: there are {} arguments, counted from 0", arguments.len()),
            "give the index of a buffer",
        )),
    }
}

/// Which argument it is.
#[derive(Clone, Copy)]
struct Place<'a> {
    kernel: &'a str,
    index: usize,
    /// What the kernel takes there, if it takes so many.
    parameter: Option<&'a Parameter>,
}

impl Place<'_> {
    /// What findings call the buffer that is passed there: as the source does, but for the name of a variable that
    /// is saved beside it.
    fn name_of_buffer(&self, run: &Run) -> String {
        let is_variable = |name: &str| {
            run.save
                .iter()
                .any(|save| matches!(&save.what, Saved::Variable { name: saved, .. } if saved == name))
        };
        match self.parameter {
            Some(Parameter { name, in_source: true, .. }) if !is_variable(name) => name.clone(),
            _ => format!("argument {}", self.index),
        }
    }
}

/// A value by its bytes, as many as the parameter has.
fn by_bytes(Place { kernel, index, parameter }: Place<'_>, source: &ByteSource) -> Result<Argument> {
    let (bytes, of) = match source {
        ByteSource::Listed(bytes) => (bytes.clone(), "bytes:".to_owned()),
        ByteSource::File(path) if path.extension().is_some_and(|extension| extension == "npy") => {
            (numpy::record(path)?, shown(path))
        }
        ByteSource::File(path) => {
            let bytes = fs::read(path).map_err(|error| {
                Trouble::usage(
                    format!("argument {index}: could not read {}: {}", shown(path), files::explain(&error)),
                    "name a file that holds the parameter's bytes and nothing else",
                )
            })?;
            (bytes, shown(path))
        }
    };
    match parameter {
        Some(Parameter { name, bytes: takes, .. }) if *takes != bytes.len() => Err(Trouble::usage(
            format!(
                "argument {index} (`{}`) of kernel `{kernel}` takes {takes} bytes, but {of} has {}",
                one_line(name),
                bytes.len()
            ),
            "give every byte of the structure in its order in memory, with those that pad it (`sizeof` counts them; NumPy's \
             dtype has them with align=True, but for CUDA's vectors: a float2 begins at a multiple of 8 bytes, a float4 of 16)",
        )),
        // Of a parameter that isn't there the launch says how many there are.
        _ => Ok(Argument::Scalar(bytes)),
    }
}

fn argument(
    plan: &mut Plan,
    run: &Run,
    place: Place<'_>,
    specification: &Specification,
    before: &[Argument],
) -> Result<Argument> {
    let index = place.index;
    match specification {
        Specification::Scalar { bytes, .. } => Ok(Argument::Scalar(bytes.clone())),
        Specification::Bytes(source) => by_bytes(place, source),
        Specification::Null => Ok(Argument::Null),
        Specification::Buffer { element, shape, fill, .. } => {
            let elements: usize = shape.iter().product();
            let fill = match fill {
                None => Contents::Uninitialized,
                Some(Fill::Zeros) => Contents::Zeros,
                Some(Fill::Random(seed)) => random(run, *element, *seed),
                Some(Fill::Iota) => Contents::Counting,
                Some(fill @ (Fill::Ones | Fill::Constant(_))) => {
                    Contents::Repeated(data(fill, *element, 1, &format!("argument {index}"))?)
                }
                Some(fill @ (Fill::File(_) | Fill::Values(_))) => {
                    Contents::Data(data(fill, *element, elements, &format!("argument {index}"))?)
                }
            };
            Ok(Argument::buffer(plan.buffer(&place.name_of_buffer(run), *element, shape, fill)))
        }
        Specification::TensorMap { tile, buffer } => {
            let buffer = match argument(plan, run, place, buffer, before)? {
                Argument::Buffer { buffer, offset: 0 } => buffer,
                _ => {
                    return Err(Trouble::usage(
                        format!("argument {index}: a tensor map is of a whole buffer"),
                        "write same:INDEX without an offset; a tensor that is smaller takes dims=",
                    ));
                }
            };
            // Where the buffer will lie is not known yet; devices align it well.
            tensor::map(&plan.buffers[buffer.0], tile, 0).map_err(|why| {
                Trouble::usage(
                    format!("argument {index}: {why}"),
                    "change BOX, SHAPE or the options: a row of the buffer, and one of the box, is a multiple of 16 bytes long; a tensor \
                     whose own rows are shorter takes dims= in a wider buffer",
                )
            })?;
            Ok(Argument::TensorMap { buffer, tile: tile.clone() })
        }
        Specification::Texture { layout, sampling, buffer } => {
            let (buffer, layout) = texels(plan, run, place, (buffer, *layout), before)?;
            // Where the buffer will lie is not known yet; devices align it well.
            texture::texture(&plan.buffers[buffer.0], layout, *sampling, 0)
                .map_err(|why| no_texture(index, &why))?;
            Ok(Argument::Texture { buffer, layout, sampling: *sampling })
        }
        Specification::Surface { layout, buffer } => {
            let (buffer, layout) = texels(plan, run, place, (buffer, *layout), before)?;
            texture::surface(&plan.buffers[buffer.0], layout, 0).map_err(|why| no_texture(index, &why))?;
            Ok(Argument::Surface { buffer, layout })
        }
        Specification::Same { index: other, offset } => match before.get(*other) {
            Some(Argument::Texture { .. } | Argument::Surface { .. }) if !is_memory(&before[*other]) => {
                Err(Trouble::usage(
                    format!(
                        "argument {index} is same:{other}, but argument {other} is an array, which has no address"
                    ),
                    format!(
                        "write texture:same:{other} or surface:same:{other}, or make argument {other} a texture with the option memory"
                    ),
                ))
            }
            Some(Argument::Texture { buffer, .. }) if *offset <= plan.buffers[buffer.0].len() => {
                Ok(Argument::Buffer { buffer: *buffer, offset: *offset })
            }
            Some(Argument::TensorMap { buffer, .. }) if *offset <= plan.buffers[buffer.0].len() => {
                Ok(Argument::Buffer { buffer: *buffer, offset: *offset })
            }
            Some(Argument::Buffer { buffer, offset: base }) => {
                let (offset, length) = (base.saturating_add(*offset), plan.buffers[buffer.0].len());
                if offset > length {
                    let message =
                        format!("argument {index} starts at element {offset} of a buffer of {length}");
                    return Err(Trouble::usage(message, "give an offset within the buffer"));
                }
                Ok(Argument::Buffer { buffer: *buffer, offset })
            }
            _ => Err(Trouble::usage(
                format!("argument {index} is same:{other}, but argument {other} is no buffer before it"),
                "count the arguments from 0 and name a buffer that comes earlier",
            )),
        },
    }
}

/// True of a texture in linear memory, which is a buffer like any other.
fn is_memory(argument: &Argument) -> bool {
    matches!(argument, Argument::Texture { sampling, .. } if sampling.memory)
}

/// The buffer of a texture or surface, and how its elements are texels.
fn texels(
    plan: &mut Plan,
    run: &Run,
    place: Place<'_>,
    (buffer, layout): (&Specification, TexelLayout),
    before: &[Argument],
) -> Result<(BufferId, TexelLayout)> {
    if let Specification::Same { index: other, offset: 0 } = buffer
        && let Some(Argument::Texture { buffer, layout, .. } | Argument::Surface { buffer, layout }) =
            before.get(*other)
    {
        return Ok((*buffer, *layout));
    }
    match argument(plan, run, place, buffer, before)? {
        Argument::Buffer { buffer, offset: 0 } => Ok((buffer, layout)),
        _ => Err(Trouble::usage(
            format!("argument {}: a texture or surface has a whole buffer for its texels", place.index),
            "write same:INDEX without an offset",
        )),
    }
}

fn no_texture(index: usize, why: &str) -> Trouble {
    Trouble::usage(
        format!("argument {index}: {why}"),
        "change TYPE, SHAPE or the options: `grader run --help` lists them",
    )
}

/// A fill by the harness's generator, which any size is cheap for.
fn random(run: &Run, element: Element, seed: u64) -> Contents {
    let (low, high) = range(element);
    Contents::Random { seed: mixed(run, seed), low, high }
}

/// The run's seed varies all random fills at once.
fn mixed(run: &Run, seed: u64) -> u64 {
    seed.wrapping_add(run.seed.unwrap_or(0))
}

/// The random values of each type: small enough that sums of many stay exact or nearly so.
fn range(element: Element) -> (f64, f64) {
    match element {
        Element::F16 | Element::Bf16 | Element::F32 | Element::F64 => (-1.0, 1.0),
        Element::U8 => (0.0, 255.0),
        Element::I8 => (-128.0, 127.0),
        Element::U16 | Element::U32 | Element::U64 => (0.0, 1000.0),
        Element::I16 | Element::I32 | Element::I64 => (-1000.0, 1000.0),
    }
}

/// The bytes of a fill that isn't random.
fn data(fill: &Fill, element: Element, elements: usize, what: &str) -> Result<Bytes> {
    let wrong =
        |error: OptionError| Trouble::usage(format!("{what}: {error}"), "write a number of that type");
    let everywhere = |text: &str| -> Result<Bytes> {
        Ok(Bytes(number(element, text).map_err(wrong)?.repeat(elements).into()))
    };
    match fill {
        Fill::Zeros => Ok(Bytes(vec![0; elements * element.bytes()].into())),
        Fill::Ones => everywhere("1"),
        Fill::Constant(text) => everywhere(text),
        Fill::Values(values) => {
            launch_options::counted(values.len(), elements, what)
                .map_err(|error| Trouble::usage(error.to_string(), "list one value for each element"))?;
            let bytes = values.iter().map(|text| number(element, text)).collect::<Result<Vec<_>, _>>();
            Ok(Bytes(bytes.map_err(wrong)?.concat().into()))
        }
        Fill::Iota => Ok(Bytes(harness::fill::counting(element, elements).into())),
        Fill::File(path) => {
            let (bytes, shape) = numpy::read(path, element)?;
            if bytes.len() != elements * element.bytes() {
                let found: usize = shape.iter().product();
                let message = format!("{what} has {elements} elements, but {} holds {found}", shown(path));
                return Err(Trouble::usage(message, "make the two agree"));
            }
            Ok(Bytes(bytes.into()))
        }
        // Random contents of buffers are the harness's; those of globals are made by `contents_of_global`.
        Fill::Random(_) => {
            Err(Trouble::usage(format!("{what}: random is not possible here"), "use PATH.npy"))
        }
    }
}

fn contents_of_global(run: &Run, global: &GlobalFill, variable: Variable) -> Result<(Element, Bytes)> {
    let name = &global.name;
    if global.fill == Fill::Zeros {
        // A zero is one of any type.
        return Ok((Element::U8, Bytes(vec![0; variable.bytes].into())));
    }
    // A file says its own type; PTX declares an int as .u32 and an array as bytes.
    let from_file = match &global.fill {
        Fill::File(path) if global.element.is_none() => Some(numpy::element(path)?),
        _ => None,
    };
    let of_ptx = variable.element.map(|element| match &global.fill {
        Fill::Constant(value) if value.starts_with('-') => signed(element),
        Fill::Values(values) if values.iter().any(|value| value.starts_with('-')) => signed(element),
        _ => element,
    });
    let Some(element) = global.element.or(from_file).or(of_ptx) else {
        let example = format!("--global {name}=f32:{}", written(&global.fill));
        return Err(untyped(name, variable, &example));
    };
    let elements = variable.elements(name, element)?;
    if let Fill::Random(seed) = global.fill {
        let (low, high) = range(element);
        let bytes = harness::fill::bytes(element, elements, mixed(run, seed), low, high);
        return Ok((element, Bytes(bytes.into())));
    }
    Ok((element, data(&global.fill, element, elements, &format!("`{name}`"))?))
}

/// PTX declares signed integers as unsigned ones; who writes a minus sign means a signed one.
fn signed(element: Element) -> Element {
    match element {
        Element::U8 => Element::I8,
        Element::U16 => Element::I16,
        Element::U32 => Element::I32,
        Element::U64 => Element::I64,
        other => other,
    }
}

fn written(fill: &Fill) -> String {
    match fill {
        Fill::Zeros => "zeros".to_owned(),
        Fill::Ones => "ones".to_owned(),
        Fill::Iota => "iota".to_owned(),
        Fill::Constant(value) => format!("const:{value}"),
        Fill::Values(values) => format!("values:{}", values.join(",")),
        Fill::Random(seed) => format!("random:{seed}"),
        Fill::File(path) => shown(path),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn planned(arguments: &str) -> String {
        let line = format!("grader run k.cu --entry k --grid 2 --block 32 {arguments}");
        let cli = Cli::try_parse_from(line.split_whitespace()).unwrap();
        let Some(Command::Run(run)) = cli.command else { panic!("not run") };
        let variable = |name: &str| match name {
            "scale" => Some(Variable { bytes: 4, element: Some(Element::F32) }),
            "table" => Some(Variable { bytes: 8, element: None }),
            "count" => Some(Variable { bytes: 4, element: Some(Element::U32) }),
            _ => None,
        };
        match plan(&run, "k", &[Parameter { name: "count".to_owned(), in_source: true, bytes: 4 }], variable)
        {
            Ok((plan, _)) => format!("{:?} {:?}", plan.buffers, plan.steps),
            Err(trouble) => format!("{trouble} | {}", trouble.next),
        }
    }

    #[test]
    fn arguments_and_globals_become_a_plan() {
        let all = [
            "--arg in:i16:2x2=iota --arg out:f32:4 --arg same:0+2 --arg u32:7 --save 2=a.npy --save 1=b.npy",
            "--repeat 3 --arg inout:u8:2=const:9 --global scale=const:2",
            "--global table=f32:ones",
            "--global table=iota",
            "--global count=const:-2",
            "--global count=const:4294967295",
            "--arg in:i16:_=values:1,-2,0x3 --arg in:f32:1x2=values:0.5,2",
            "--global table=f32:values:1,0.5",
            "--global table=i16:values:1,2,-3",
            "--global table=values:1,2",
            "--global count=values:-2",
            "--global count=values:x",
            "--global table=f64:const:1 --global nothing=zeros",
            "--arg u32:7 --save 0=a.npy",
            "--save 3=a.npy",
            "--save count=a.npy --save table=f32:b.npy --arg out:i32:2 --save 0=c.npy",
            "--save table=a.npy",
            "--save table=f64:a.npy --save count=f64:b.npy",
            "--save nothing=a.npy",
            "--arg same:0",
            "--arg out:f32:4 --arg same:0+5",
            "--arg out:f32:4 --arg same:0+1 --arg same:1+18446744073709551615",
            "--arg in:f32:4=missing.npy",
            "--arg tensormap:2x8:in:f32:4x8=iota --arg tensormap:4x4:same:0 --arg same:0+3 --save 1=a.npy",
            "--arg tensormap:2x8:in:f32:4x6=iota",
            "--arg tensormap:2x2:in:f32:4x8=iota",
            "--arg in:f32:4x8=iota --arg tensormap:2x8:same:0+4",
            "--arg in:f32:4x8=iota --arg tensormap:8:same:0",
            "--arg texture:u8x4:2x3=iota,linear,as-float,border --arg surface:f32:4x8 --arg texture:same:1,linear --save 1=a.npy",
            "--arg texture:i32:8=iota,memory --arg same:0+2",
            "--arg texture:f32:8=iota --arg same:0",
            "--arg in:f32:4x8=iota --arg texture:same:0,wrap,normalized",
            "--arg in:f32:4x8=iota --arg texture:same:0+4",
            "--arg texture:i32:8=iota,linear",
            "--arg texture:f32:8=iota,mirror",
            "--arg surface:f64:8",
            "--arg bytes:01020304 --arg bytes:05",
            "--arg bytes:010203",
            "--arg bytes:@missing.bin",
            "--arg bytes:@missing.npy",
        ]
        .map(|arguments| format!("{arguments}\n  {}", planned(arguments)));
        insta::assert_snapshot!(all.join("\n"));
    }
}
