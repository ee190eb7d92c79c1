//! What to do about an error, where we know better than the compiler.
//!
//! The compiler says what it expected, in the grammar's words. Here stands what a beginner most likely meant, for the
//! errors that beginners make most. A sentence too few is better than a wrong one: what could mean many things gets
//! none.

use warpsim::Severity;

use super::{CompilerMessage, names};

const WRAP_HOST_CODE: &str = "only device code is compiled here. Mark a device function `__device__` or a kernel \
     `__global__`; put host code (`main`, `cudaMalloc`, launches, host headers) between `#ifndef __CUDACC_RTC__` \
     and `#endif`";

const WRITE_LAMBDA: &str = "a lambda's parameters need types here: `[](float x, float y) { … }` and not `auto`. \
     It needs no `__device__`: inside a kernel it is device code. Where types must vary, write a \
     `template <typename T> __device__` function";

/// Headers of the host's C++ library, which no kernel can use.
const HOST_HEADERS: &[&str] = &[
    "algorithm",
    "array",
    "atomic",
    "chrono",
    "cuda_profiler_api.h",
    "fstream",
    "functional",
    "helper_cuda.h",
    "iomanip",
    "iostream",
    "limits",
    "map",
    "memory",
    "mutex",
    "numeric",
    "random",
    "set",
    "sstream",
    "stdexcept",
    "string",
    "sys/time.h",
    "thread",
    "type_traits",
    "unistd.h",
    "unordered_map",
    "utility",
    "vector",
    "cublas_v2.h",
    "omp.h",
    "helper_functions.h",
    "helper_timer.h",
    "curand.h",
];

/// The message points to the parameters of a lambda: `[…]` comes before them, which no other function has.
fn is_at_lambda(diagnostic: &CompilerMessage) -> bool {
    let before = diagnostic.excerpt.chars().take((diagnostic.column as usize).saturating_sub(1));
    before.collect::<String>().trim_end().ends_with(']')
}

/// Of an error that comes of how kernels are compiled here, or of a CUDA rule: what to do about it.
pub(super) fn of_the_course(diagnostic: &CompilerMessage) -> Option<String> {
    if diagnostic.severity != Severity::Error {
        return None;
    }
    let message = diagnostic.message.as_str();
    if diagnostic.excerpt.trim_start().starts_with("LAUNCH_CONSTANT")
        && (message.contains("is considered a host variable")
            || message.starts_with("this declaration has no storage class or type specifier"))
    {
        return Some("add `#include \"course.cuh\"`, which declares `LAUNCH_CONSTANT`".to_owned());
    }
    if message.contains("annotation on lambda requires")
        || message.contains("The operator() function for a lambda cannot be explicitly annotated")
        || message.contains("is considered a host function") && is_at_lambda(diagnostic)
    {
        return Some(WRITE_LAMBDA.to_owned());
    }
    if message.contains("is considered a host function") || message.contains("is considered a host variable")
    {
        return Some(WRAP_HOST_CODE.to_owned());
    }
    let quoted = || message.split('"').nth(1).unwrap_or_default();
    if message.contains("open source file") {
        if HOST_HEADERS.contains(&quoted()) {
            let instead = match quoted() {
                "algorithm" | "functional" | "utility" | "type_traits" | "limits" | "array" | "atomic" => {
                    format!(". Device code has its own: `#include <cuda/std/{}>`", quoted())
                }
                _ => String::new(),
            };
            return Some(format!("`{}` is a host header; {WRAP_HOST_CODE}{instead}", quoted()));
        }
        return Some(
            "a kernel can include the toolkit's device headers and files below the include directories given; \
             nothing else on this machine can be read"
                .to_owned(),
        );
    }
    if message.starts_with("identifier") && message.contains("is undefined") {
        let name = quoted();
        if name.starts_with("cudaMal")
            || name.starts_with("cudaMem")
            || name.starts_with("cudaFree")
            || name.starts_with("cudaEvent")
            || name.starts_with("cudaDevice")
            || name.starts_with("cudaGet")
            || name.starts_with("cudaStream")
        {
            return Some(WRAP_HOST_CODE.to_owned());
        }
        let header = match name {
            "FLT_MAX" | "FLT_MIN" | "FLT_EPSILON" | "DBL_MAX" | "DBL_MIN" | "DBL_EPSILON" => "<cfloat>",
            "half" | "half2" | "__half" | "__half2" | "__float2half" | "__half2float" => "<cuda_fp16.h>",
            "__nv_bfloat16" | "__nv_bfloat162" => "<cuda_bf16.h>",
            "nvcuda" => "<mma.h>",
            "LAUNCH_CONSTANT" | "ceil_div" | "wait_for" => "\"course.cuh\"",
            _ => return None,
        };
        return Some(format!("add `#include {header}`"));
    }
    if message.starts_with("name must be a namespace name")
        || message.contains("namespace \"std\" has no member")
    {
        return Some(
            "the host's C++ library is not available to device code; `cuda::std` (`#include <cuda/std/…>`) is"
                .to_owned(),
        );
    }
    if message.contains("Unresolved extern function") {
        return Some("the function is declared but has no body in this file".to_owned());
    }
    if message.contains("uses too much shared data") {
        return Some(
            "static shared memory is limited to 48 KiB per block; more needs dynamic shared memory \
             (`extern __shared__`)"
                .to_owned(),
        );
    }
    None
}

/// Of an error of the language itself, where the source tells what was meant.
pub(super) fn of_the_language(diagnostic: &CompilerMessage, source: &str) -> Option<String> {
    if diagnostic.severity != Severity::Error {
        return None;
    }
    let at = At::of(diagnostic);
    let help = punctuation(diagnostic, &at)
        .or_else(|| types(diagnostic, &at))
        .or_else(|| declarations(diagnostic, &at))
        .or_else(|| cuda(diagnostic, &at));
    help.map(str::to_owned).or_else(|| undefined(diagnostic, &at, source))
}

/// The source line around the place that a message names.
struct At<'a> {
    before: &'a str,
    behind: &'a str,
}

impl<'a> At<'a> {
    fn of(diagnostic: &'a CompilerMessage) -> Self {
        let line = diagnostic.excerpt.as_str();
        let at = line.char_indices().nth(diagnostic.column.saturating_sub(1) as usize);
        let (before, behind) = line.split_at(at.map_or(line.len(), |(at, _)| at));
        At { before, behind }
    }

    /// The whole line, without the blanks around it.
    fn line(&self) -> String {
        format!("{}{}", self.before, self.behind).trim().to_owned()
    }

    /// A word or a number stands here, behind another value: what is between them is lacking.
    fn follows_a_value(&self) -> bool {
        let ends_a_value = |c: char| c.is_alphanumeric() || "_)]".contains(c);
        self.before.trim_end().ends_with(ends_a_value)
            && self.behind.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    }
}

fn punctuation(diagnostic: &CompilerMessage, at: &At<'_>) -> Option<&'static str> {
    let message = diagnostic.message.as_str();
    let line = at.line();
    let is_for = line.starts_with("for (") || line.starts_with("for(");
    Some(match message {
        "expected an expression"
            if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark)) =>
        {
            "this line is a mark that version control left where two versions met: keep one of the two and delete the marks"
        }
        "a condition declaration can only declare one variable" if is_for => {
            "the three parts of a `for` are separated by `;`: `for (int i = 0; i < n; i++)`"
        }
        "expected a \";\"" if at.behind.starts_with(')') => {
            "this `)` closes nothing: the line has more `)` than `(`"
        }
        "expected a \";\"" | "expected a \")\"" if at.follows_a_value() => {
            "two values stand side by side: an operator between them is missing, such as `*`, `+` or `&&`, or what ends \
             the first"
        }
        "expected a \")\"" => "a `(` before this place is never closed: add its `)`",
        "expected a declaration" if line.starts_with('}') => {
            "this `}` closes nothing: above it are as many `}` as `{` already. Is one of those too many?"
        }
        "expected a declaration" => "this stands outside of any function: is there a `}` too many above it?",
        "expected a statement" if at.behind.starts_with("else") => {
            "this `else` has no `if`: between `if (…)` and `else` stands one statement, or several in `{ }`; a `;` right \
             behind `if (…)` is a statement already"
        }
        "missing closing quote" => {
            "a text or a character begins here with a quote and must end on the same line"
        }
        "expected a file name" => "the file's name stands in quotes: `#include \"course.cuh\"`",
        // The compiler counts some columns in bytes: the line tells, and not the place.
        "unrecognized token" if line.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) => {
            "a name takes the letters from a to z, digits and `_`, and no others"
        }
        "unrecognized token" if !line.is_ascii() => {
            "a character here only looks like one of C++, as in text copied from a page: type it anew"
        }
        "unrecognized token" => "C++ has no such character here: delete it",
        _ if message.starts_with("expected a \"}\"") => {
            "a `{` is never closed: add its `}`. The note names the brace that is still open at the end"
        }
        _ => return None,
    })
}

fn types(diagnostic: &CompilerMessage, at: &At<'_>) -> Option<&'static str> {
    let message = diagnostic.message.as_str();
    let notes = || diagnostic.notes.join("\n");
    // `a value of type "float *" cannot be assigned to an entity of type "int"`
    let mut quoted = message.split('"').skip(1).step_by(2);
    let (given, wanted) = (quoted.next().unwrap_or_default(), quoted.next().unwrap_or_default());
    let cannot = message.contains("cannot be used to initialize")
        || message.contains("cannot be assigned to")
        || message.contains("is incompatible with parameter");
    let pointers = |of: &str| of.matches('*').count();
    if message.contains("uint3")
        || message.contains("dim3")
        || notes().contains("dim3")
        || notes().contains("uint3")
    {
        return Some(
            "`threadIdx`, `blockIdx`, `blockDim` and `gridDim` have three parts: write `.x`, `.y` or `.z` behind them",
        );
    }
    Some(match message {
        _ if cannot && given == "void" => {
            "the function gives nothing back, because it is declared `void`: declare the type of its result, and `return` it"
        }
        _ if cannot && given.starts_with("const char") => {
            "a text in quotes is no number: leave the quotes out"
        }
        _ if cannot && pointers(given) > pointers(wanted) && at.behind.starts_with('&') => {
            "`&` takes the address of a variable, here of the pointer itself: leave it out, and take an element by `[…]`"
        }
        _ if cannot && pointers(given) > 0 && pointers(wanted) == 0 => {
            "this is the address of the elements and not one of them: an element is `a[i]`"
        }
        _ if cannot && given.starts_with("const ") && given.trim_start_matches("const ") == wanted => {
            "what is read-only stays so: declare the pointer `const` here, too, or write to another buffer"
        }
        _ if cannot && pointers(given) > 0 && pointers(wanted) > 0 => {
            "a pointer to elements of one type is none to elements of another: declare it with the type of what it points to"
        }
        "expression must be a modifiable lvalue" => {
            "this cannot be written to: it is `const`, as an input's `const float *` is, or no variable at all"
        }
        "expression must have integral or unscoped enum type"
        | "expression must have integral or enum type" => {
            "whole numbers are needed here, for an index, `%`, a shift or a bit operator, and this is a `float`: use an `int`; \
             the remainder of floats is `fmodf(x, y)`"
        }
        "return value type does not match the function type" => {
            "the function is declared to give back something else, and `void` is nothing: a kernel writes its results to \
             memory, and leaves by a bare `return;`"
        }
        _ if message.starts_with("expression must have pointer-to-object type") => {
            "`[…]` takes an element of an array, and what stands before it is a single value. An element of row `y` in a flat \
             array is `a[y * width + x]`"
        }
        _ if message.starts_with("operand of \"*\" must be a pointer") => {
            "`*x` is what a pointer points to, and this is no pointer. C++ has no `**` either: a square is `x * x`"
        }
        _ if message.starts_with("expression must have class type") => {
            "`.` takes a part of something that has parts, as `threadIdx.x`, and this is a single value"
        }
        _ if message.starts_with("expression preceding parentheses of apparent call") => {
            "`( )` calls a function, and this is none: an element of an array is `a[i]`; a product needs its `*`"
        }
        _ => return None,
    })
}

fn declarations(diagnostic: &CompilerMessage, at: &At<'_>) -> Option<&'static str> {
    let message = diagnostic.message.as_str();
    let line = at.line();
    Some(match message {
        "expression must have a constant value" if line.contains("__shared__") => {
            "the size of a `__shared__` array is fixed when it is compiled: use a `constexpr int`; or declare \
             `extern __shared__ float tile[];`, whose size the launch gives"
        }
        "expression must have a constant value" => {
            "the size of an array is fixed when it is compiled: use a `constexpr int`"
        }
        "too few arguments in function call" => {
            "the function has more parameters than the call has values: compare with its declaration"
        }
        "too many arguments in function call" => {
            "the call has more values than the function has parameters: compare with its declaration"
        }
        "a break statement may only be used within a loop or switch" => {
            "`break` leaves a loop, and there is none around it: `return;` leaves the kernel"
        }
        _ if message.ends_with("has already been declared in the current scope")
            && line.starts_with("for")
            && at.before.trim_end().ends_with(',') =>
        {
            "the three parts of a `for` are separated by `;`: `for (int i = 0; i < n; i++)`"
        }
        _ if message.ends_with("has already been declared in the current scope") => {
            "the name is declared twice between the same braces: to give a variable a new value leave the type out"
        }
        _ if message.starts_with("incomplete type") && line.contains("__shared__") => {
            "this array has no size: give it one; or put `extern` before `__shared__`, and the launch gives the size"
        }
        _ if message.starts_with("no instance of overloaded function \"atomic") => {
            "an atomic function takes an address and a value of the same type: `atomicAdd(&a[i], 1)`. Some have no version \
             for `float`, such as `atomicMax`"
        }
        _ if message.starts_with("no instance of overloaded function") => {
            "no version of the function takes values of these types together: convert them to one, as in `max(a, (float)b)`"
        }
        _ => return None,
    })
}

fn cuda(diagnostic: &CompilerMessage, at: &At<'_>) -> Option<&'static str> {
    let message = diagnostic.message.as_str();
    let line = at.line();
    Some(match message {
        "initializer not allowed for __shared__ variable" => {
            "shared memory has no value to begin with: let threads write it, then call `__syncthreads()` before others read it"
        }
        "a __global__ function must have a void return type" => {
            "a kernel gives nothing back: declare it `void`, and write its results through a pointer"
        }
        "linkage specification is not allowed" if line.contains("template") => {
            "a template cannot be `extern \"C\"`: leave that out, and name the instance with its arguments, `k<float>`"
        }
        _ if message.contains("not supported on .target 'sm_90'") => {
            "only GPUs of one architecture have this instruction: `grader run --arch 90a` compiles for those of capability 9.0"
        }
        _ if message.starts_with("device-side kernel launch")
            || message.starts_with("Illegal call target") =>
        {
            "a kernel cannot start a kernel here: call a `__device__` function instead"
        }
        "name followed by \"::\" must be a class or namespace name" => match at.behind {
            name if name.starts_with("cooperative_groups") || name.starts_with("cg::") => {
                "add `#include <cooperative_groups.h>`; `cg` is short for it after `namespace cg = cooperative_groups;`"
            }
            name if name.starts_with("cuda::barrier") => "add `#include <cuda/barrier>`",
            name if name.starts_with("cuda::atomic") => "add `#include <cuda/atomic>`",
            name if name.starts_with("cuda::pipeline") => "add `#include <cuda/pipeline>`",
            name if name.starts_with("cuda::std") => "include the header of that name below `<cuda/std/…>`",
            name if name.starts_with("wmma") || name.starts_with("nvcuda") => {
                "add `#include <mma.h>`; `wmma` is short for `nvcuda::wmma` after `using namespace nvcuda;`"
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// A name that the compiler does not know.
fn undefined(diagnostic: &CompilerMessage, at: &At<'_>, source: &str) -> Option<String> {
    let name = diagnostic.message.strip_prefix("identifier \"")?.strip_suffix("\" is undefined")?;
    if at.before.trim_end().ends_with("__shared__") {
        return Some(format!(
            "the type of the array's elements is missing: `extern __shared__ float {name}[];`"
        ));
    }
    if at.before.trim_end().ends_with(',')
        && at.behind[name.len().min(at.behind.len())..].starts_with(')')
        && at.line().contains("__global__")
    {
        return Some(format!("every parameter has a type of its own: `int {name}`"));
    }
    let is_called = at.behind.get(name.len()..).is_some_and(|behind| behind.trim_start().starts_with('('));
    match names::declared(source, name) {
        Some(line) if line > diagnostic.line && is_called => {
            return Some(format!(
                "it is declared further down, at line {line}, and a name is known from there on: move it up"
            ));
        }
        Some(line) if line < diagnostic.line => {
            return Some(format!(
                "the `{name}` of line {line} is known up to the `}}` that closes its block: declare it before that block begins"
            ));
        }
        _ => {}
    }
    match names::nearest(source, name) {
        Some(near) => Some(format!("is `{near}` meant?")),
        None if is_called => Some(
            "nothing above declares a function of that name: is a letter wrong, or an `#include` missing?"
                .to_owned(),
        ),
        None if at.behind.get(name.len()..).is_some_and(|behind| behind.trim_start().starts_with("= ")) => {
            Some(format!("a variable is declared with its type: `int {name} = …`"))
        }
        None => None,
    }
}
