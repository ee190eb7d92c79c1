//! The command line. The doc comments are the help text.

pub mod class;

use std::{path::PathBuf, str::FromStr};

use clap::{
    ArgGroup, Args, Parser, Subcommand, ValueEnum,
    builder::{RangedU64ValueParser, TypedValueParser},
};

use harness::{
    device::DeviceChoice,
    exercise::MOST_TINY,
    toolchain::{CompilerChoice, Release},
};
use launch_options::{Extent, GlobalFill, Save, Specification};

use class::{Class, Score};

/// Learn CUDA's shared memory and parallel patterns: write a kernel, have it judged. No GPU needed.
#[derive(Debug, Parser)]
#[command(name = "grader", version, max_term_width = 110, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do; without it, `watch` where there is a course folder and a terminal.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// For screen readers: sentences instead of tables and drawings, words instead of signs and colours
    #[arg(long, global = true, display_order = 900)]
    pub plain: bool,
}

const EXIT_CODES: &str = "\
For instructors:
  score      Judge a whole class (`class score` in short)
  class      Score a class, and what comes before and after

For the machine:
  compiler   Install the CUDA compiler (NVRTC) that the course uses
  calibrate  Measure what the course's kernels reach on this GPU

Exit codes: 0 passed, 1 failed, 2 wrong usage, 3 the judge could not do its work, 4 inconclusive,
130 stopped by Ctrl-C or another signal.";

/// The commands, in the order in which a learner meets them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judge your kernel whenever you save it (also without any command)
    Watch(Watch),
    /// Show the exercises and how far you are
    List(List),
    /// Judge your kernel of an exercise
    Check(Check),
    /// Show the next hint of an exercise; after passing, why it works and what to try next
    Hint(Hint),
    /// Say what a word of a report means: a finding, a counter, a goal, a term
    Explain(Explain),
    /// Show a kernel that passes, once yours has
    Solution(Solution),
    /// Put an exercise's stub back; what you wrote is kept beside it
    Reset(Reset),
    /// Make a course folder with the stub of every exercise
    Init(Init),
    /// Pack your kernels into one file, to hand it in
    Submit(Submit),
    /// Look whether this machine has what the course needs
    Doctor(Doctor),
    /// Run any kernel of any file: a sanitizer and profiler that needs no GPU
    Run(Box<Run>),
    /// Judge a whole class
    #[command(hide = true)]
    Score(Score),
    /// Score a class, and what comes before and after
    #[command(subcommand, hide = true)]
    Class(Class),
    /// Install the CUDA compiler (NVRTC) that the course uses
    #[command(subcommand, hide = true)]
    Compiler(Compiler),
    /// Measure what the course's kernels reach on this GPU, and put the speed goals' thresholds accordingly
    #[command(hide = true)]
    Calibrate(Calibrate),
    /// Print what makes a shell complete these commands
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// How to print the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // Documented variants would make every help page long.
pub enum Format {
    #[default]
    Text,
    Json,
}

/// How to print the result of judging: for programs that collect results, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // As above.
pub enum ResultFormat {
    #[default]
    Text,
    Json,
    Junit,
    Github,
    Editor,
}

/// `list`.
#[derive(Debug, Args)]
pub struct List {
    /// For people, or nothing but JSON on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `watch`.
#[derive(Clone, Debug, Default, Args)]
pub struct Watch {
    /// The exercise; without a name, the one whose folder this is, or else the first that isn't passed
    pub name: Option<String>,
    /// Where to run
    #[arg(long, default_value = "auto", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// Compile with another NVRTC than the pinned one: a version, or the path of its library or toolkit
    #[arg(long, value_name = "VERSION|PATH")]
    pub compiler: Option<CompilerChoice>,
    /// Look for saves again and again, where the system tells of none
    #[arg(long)]
    pub poll: bool,
}

/// `check`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("one_case").multiple(true))]
pub struct Check {
    /// The exercise: 03-reduction, 03 or reduction; in its own folder it needs no name
    #[arg(conflicts_with = "all")]
    pub name: Option<String>,
    /// Show all there is: every finding, every case, the whole table of goals
    #[arg(short, long)]
    pub verbose: bool,
    /// Show the source with what each line cost, as the exercise launches it, and what limits the kernel
    #[arg(long, conflicts_with = "all")]
    pub profile: bool,
    /// Judge every exercise
    #[arg(long)]
    pub all: bool,
    /// Judge this file instead of the one in the course folder
    #[arg(long, value_name = "PATH", conflicts_with = "all")]
    pub kernel: Option<PathBuf>,
    /// Where to run
    #[arg(long, default_value = "auto", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// Compile with another NVRTC than the pinned one: a version, or the path of its library or toolkit
    #[arg(long, value_name = "VERSION|PATH")]
    pub compiler: Option<CompilerChoice>,
    /// The seed of the inputs, as a report prints it
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// In which orders of warps and blocks to look for findings
    #[command(flatten)]
    pub orders: Orders,
    /// Judge only this case: its number, its name, or a part of its name that no other has
    #[arg(long, value_name = "CASE", conflicts_with = "all", group = "one_case")]
    pub case: Option<String>,
    /// Show what goes in, what is expected and what comes out side by side; of many elements those around the first wrong one
    #[arg(long, requires = "one_case")]
    pub show: bool,
    /// Make a tiny case with about N elements instead, of the kind of --case, and show it: to think about, not to judge
    #[arg(long, value_name = "N", conflicts_with = "all", group = "one_case", value_parser = few())]
    pub n: Option<usize>,
    /// Write the case's inputs, outputs and expected outputs to this folder as .npy files
    #[arg(long, value_name = "DIR", requires = "one_case")]
    pub dump: Option<PathBuf>,
    /// Write the exercise's plot to this file
    #[arg(long, value_name = "FILE.svg", conflicts_with = "all")]
    pub plot: Option<PathBuf>,
    /// Exit with 3 where speed could not be measured
    #[arg(long)]
    pub require_speed: bool,
    /// Measure again what the speed goals on this GPU are made from
    #[arg(long)]
    pub recalibrate: bool,
    /// For people; or nothing on standard output but JSON, JUnit's XML, annotations for GitHub, or lines for editors
    #[arg(long, value_enum, default_value_t)]
    pub format: ResultFormat,
}

impl Check {
    /// Whether only one case is judged, so that nothing is kept of it.
    pub fn is_of_one_case(&self) -> bool {
        self.case.is_some() || self.n.is_some()
    }
}

/// A number of elements that a person can follow.
fn few() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..=MOST_TINY as u64)
}

/// In which orders of warps and blocks the simulator runs a kernel.
#[derive(Clone, Copy, Debug, Args)]
pub struct Orders {
    /// Look for findings in N orders of warps and blocks, not only in those that are cheap
    #[arg(long, value_name = "N", conflicts_with = "schedule", value_parser = clap::value_parser!(u32).range(1..))]
    pub explore: Option<u32>,
    /// Run in this order of warps and blocks alone, as a finding names it
    #[arg(long, value_name = "N")]
    pub schedule: Option<u64>,
}

impl Orders {
    /// As the simulator has it.
    pub fn schedules(self) -> warpsim::Schedules {
        match self {
            Orders { schedule: Some(schedule), .. } => warpsim::Schedules::Only(schedule),
            Orders { explore: Some(count), .. } => warpsim::Schedules::First(count),
            Orders { .. } => warpsim::Schedules::Affordable,
        }
    }
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Compile with another NVRTC than the pinned one: a version, or the path of its library or toolkit
    #[arg(long, value_name = "VERSION|PATH")]
    pub compiler: Option<CompilerChoice>,
    /// For people, or nothing but JSON on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// The folder; made if it isn't there. What you wrote in it is never overwritten; after an update, what is new comes in
    /// and what has another name is renamed [default: this folder, or learn/ in
    /// a checkout of the course]
    pub folder: Option<PathBuf>,
    /// Install your instructor's assignment: `check` and `list` then count its points
    #[arg(long, value_name = "FILE.toml")]
    pub assignment: Option<PathBuf>,
}

/// `submit`.
#[derive(Debug, Args)]
pub struct Submit {
    /// The exercises; without a name, those of the assignment that you have begun, or all that you have
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The file to write [default: submission.zip in the course folder]
    #[arg(long, value_name = "FILE.zip")]
    pub out: Option<PathBuf>,
}

/// `reset`.
#[derive(Debug, Args)]
pub struct Reset {
    /// The exercise: 03-reduction, 03 or reduction; in its own folder it needs no name
    pub name: Option<String>,
}

/// `solution`.
#[derive(Debug, Args)]
pub struct Solution {
    /// The exercise: 03-reduction, 03 or reduction; in its own folder it needs no name
    pub name: Option<String>,
    /// Show it before you have passed; `list` remembers that
    #[arg(long)]
    pub give_up: bool,
    /// Show one of the kernels on the way to it, or beyond it, by its number or name
    #[arg(long, value_name = "STEP")]
    pub step: Option<String>,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A kind of finding, a counter, a goal or a term, as reports have them; without one, all words
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Open the book instead: at an exercise's chapter (its name or number), at a word, or at its first page
    #[arg(long, conflicts_with = "format")]
    pub book: bool,
    /// For people, or nothing but JSON on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `hint`.
#[derive(Debug, Args)]
pub struct Hint {
    /// The exercise: 03-reduction, 03 or reduction; in its own folder it needs no name
    pub name: Option<String>,
    /// Show all the hints seen so far, and no new one
    #[arg(long)]
    pub again: bool,
    /// For people, or nothing but JSON on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_GRAMMAR, override_usage = RUN_USAGE)]
pub struct Run {
    /// The kernel's file: device code as .cu, or .ptx of any compiler
    #[arg(value_name = "FILE.cu|FILE.ptx")]
    pub file: PathBuf,
    /// The kernel: an extern "C" name, a C++ kernel's plain name, or a template instance such as 'tiled<16>'
    #[arg(long, value_name = "NAME")]
    pub entry: String,
    /// Blocks
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Extent,
    /// Threads per block
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Extent,
    /// Blocks of a cluster (compute capability 9.0 and up); without it as the kernel was compiled
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub cluster: Option<Extent>,
    /// Dynamic shared memory
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Launch so that all blocks are resident and grid.sync() works
    #[arg(long)]
    pub cooperative: bool,
    /// An argument of the kernel; once for each, in order
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub arguments: Vec<Specification>,
    /// The contents of a module's __device__ or __constant__ variable
    #[arg(long = "global", value_name = "NAME=FILL")]
    pub globals: Vec<GlobalFill>,
    /// Write the buffer of argument INDEX (from 0), or a module's variable, to a file afterwards
    #[arg(long, value_name = "INDEX=PATH.npy|NAME=[TYPE:]PATH.npy")]
    pub save: Vec<Save>,
    /// Write the PTX that a .cu file was compiled to, optimised, which `run` takes in its place
    #[arg(long, value_name = "PATH.ptx")]
    pub ptx: Option<PathBuf>,
    /// Search includes here too
    #[arg(long, value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro
    #[arg(long, value_name = "NAME[=V]")]
    pub define: Vec<String>,
    /// Compile for this compute capability × 10; 90a has what only such GPUs have, such as wgmma
    #[arg(long, value_name = "75|80|90|90a")]
    pub arch: Option<Architecture>,
    /// Take functions without __device__ or __global__ for device code, too
    #[arg(long)]
    pub default_device: bool,
    /// Whether a product and a sum may become one operation, as with nvcc; checks compile with false
    #[arg(long, value_name = "true|false", default_value_t = true, action = clap::ArgAction::Set)]
    pub fmad: bool,
    /// Launch this often, one after the other, on the same buffers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Show the source with what each line cost, not only the busiest lines
    #[arg(long)]
    pub profile: bool,
    /// Show every finding whole, also races that change no result
    #[arg(short, long)]
    pub verbose: bool,
    /// Give up after this many warp instructions on the simulator [default: 200000000, or 2000 for each warp if that is more]
    #[arg(long, value_name = "WARP_INSTRUCTIONS", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Option<u64>,
    /// In which orders of warps and blocks to look for findings
    #[command(flatten)]
    pub orders: Orders,
    /// Added to the SEED of every random fill, to vary them all at once
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where to run
    #[arg(long, default_value = "auto", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// Compile with another NVRTC than the pinned one: a version, or the path of its library or toolkit
    #[arg(long, value_name = "VERSION|PATH")]
    pub compiler: Option<CompilerChoice>,
    /// For people; or nothing on standard output but JSON, JUnit's XML, annotations for GitHub, or lines for editors
    #[arg(long, value_enum, default_value_t)]
    pub format: ResultFormat,
}

/// As clap writes it, but not wider than a terminal.
const RUN_USAGE: &str = "grader run [OPTIONS] --entry <NAME> --grid <X[,Y[,Z]]>
                  --block <X[,Y[,Z]]> <FILE.cu|FILE.ptx>";

const RUN_GRAMMAR: &str = "\
SPEC, one per argument:
  i32:5 u32:5 i64:5 u64:5 f32:0.5 f64:0.5      a scalar (also i8 u8 i16 u16 f16 bf16)
  bytes:HEX                                    a structure by value: two digits a byte, as they lie in memory
  bytes:@FILE                                  the same from a file; of a .npy file, its one record
  null                                         a null pointer
  in:TYPE:SHAPE=FILL                           a buffer that the kernel reads
  inout:TYPE:SHAPE=FILL                        a buffer that it reads and writes
  out:TYPE:SHAPE                               a buffer that it writes; starts uninitialised
  same:INDEX[+ELEMENTS]                        the buffer of argument INDEX again, from an offset
  tensormap:BOX:BUFFER                         a tensor map (CUtensorMap) over such a buffer
  texture:TEXELS:SHAPE=FILL[,OPTION,...]       a texture (cudaTextureObject_t) of its own texels
  surface:TEXELS:SHAPE[=FILL][,layered]        a surface (cudaSurfaceObject_t); --save keeps what it holds
  texture:same:INDEX[,OPTION,...]              a texture of another argument's texels; so, too, a surface
  TYPE   u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64
  SHAPE  1024 or 64x32; _ for as many as values are listed

  A structure takes exactly sizeof bytes, padding included. A pointer in it can only be null
  (zeros): where a buffer will lie is not known before; pass it as an argument of its own.

BOX:
  16x32[,OPTION,...]       what one copy takes, at most 256 along each extent of SHAPE
    swizzle=32|64|128      chunks of 16 bytes are swapped within rows of so many
    fill=nan               what lies outside is read as NaN, not as zero
    dims=30x20             a tensor that is less than its buffer, from its start
    steps=2x1              of a box of 16 rows every second one is copied

TEXELS, and OPTIONs of a texture:
  f32 u8x4 ...             a TYPE of 8, 16 or 32 bits but bf16, and 1, 2 or 4 channels; an .npy file has them last
  linear                   the mean of its neighbours, weighed (unless said: point, the nearest texel)
  clamp|border|wrap|mirror what lies outside (unless said: clamp); without normalized wrap and mirror are clamp
  normalized               coordinates go from 0 to 1
  as-float                 u8, i8, u16 and i16 are read as parts of 1 (cudaReadModeNormalizedFloat)
  layered                  the first extent of SHAPE counts layers
  memory                   linear memory, for tex1Dfetch (unless said: an array)

FILL:
  zeros ones iota          iota counts 0, 1, 2 …
  const:V                  V everywhere
  values:V,V,...           each element's own value, in order
  random:SEED              floats in [-1, 1), integers in [-1000, 1000] as far as TYPE holds them
  PATH.npy                 a NumPy array of that type and size (bf16: its bits as uint16)
  For --global the type comes from the PTX; where it only says bytes, write NAME=TYPE:FILL.

Exit code:
  0    finished, and no finding is an error (warnings and notes are none: see \"severity\" in JSON)
  1    a finding that is an error, a fault, no end (\"status\" in JSON), or a compile error
  2    wrong usage
  3    the tool could not do its work
  130  stopped by Ctrl-C or another signal

Example:
  grader run saxpy.cu --entry saxpy --grid 4 --block 256 --arg u32:1000 --arg f32:2 \\
      --arg in:f32:1000=random:1 --arg inout:f32:1000=ones --save 3=y.npy";

/// `compiler`.
#[derive(Debug, Subcommand)]
pub enum Compiler {
    /// Fetch the compiler by pip, or take it from wheels that were downloaded elsewhere
    Install {
        /// The CUDA release: 13, or 12 for GPUs and drivers that 13 has left behind
        #[arg(long, value_name = "13|12", default_value = "13", value_parser = release)]
        cuda: Release,
        /// Wheels to install from instead of the network
        #[arg(long, value_name = "WHEEL", num_args = 1..)]
        from: Vec<PathBuf>,
    },
}

/// A pinned release by its major version.
fn release(text: &str) -> Result<Release, String> {
    let release = text.parse().ok().and_then(Release::of_major);
    release.ok_or_else(|| "13 and 12 are the releases whose compiler is pinned".to_owned())
}

/// `calibrate`.
#[derive(Debug, Args)]
pub struct Calibrate {
    /// Only these exercises
    pub names: Vec<String>,
    /// Where to run
    #[arg(long, default_value = "auto", help = DeviceChoice::help())]
    pub device: DeviceChoice,
    /// Keep the thresholds in this file, for the course to ship, and not in your cache
    #[arg(long, value_name = "FILE.json")]
    pub out: Option<PathBuf>,
}

/// What to compile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Compute capability × 10.
    pub capability: u32,
    /// With what later ones do not have.
    pub is_specific: bool,
}

impl std::fmt::Display for Architecture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.capability, if self.is_specific { "a" } else { "" })
    }
}

impl FromStr for Architecture {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('a').unwrap_or(text);
        match number.parse() {
            Ok(capability) => Ok(Architecture { capability, is_specific: number != text }),
            Err(_) => Err(format!("expected a compute capability × 10, such as 90 or 90a, found `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
