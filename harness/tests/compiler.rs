//! Compiling with the real, pinned compiler: what comes out, and what a learner reads when nothing does.

use std::{fmt::Write as _, fs, sync::LazyLock};

use harness::{
    compiler::{CompileError, CompileLimits, CompileRequest, Compiled, CompilerMessage, SHIMS, compile},
    exercise::COURSE_HEADER,
    report,
    toolchain::{CompilerChoice, InstallProgress, Toolchain},
    worker::{WorkerFailure, standby},
};
use warpsim::Severity;

#[test]
fn __worker() {
    harness::worker::intercept();
}

static TOOLCHAIN: LazyLock<Toolchain> = LazyLock::new(|| {
    Toolchain::locate_or_install(&CompilerChoice::Pinned, None, InstallProgress::Terminal)
        .unwrap_or_else(|error| panic!("{error}"))
});

fn accepted(request: &CompileRequest) -> Compiled {
    compile(&TOOLCHAIN, request).unwrap_or_else(|error| panic!("{error}\n{}", request.source))
}

fn rejected(request: &CompileRequest) -> Vec<CompilerMessage> {
    match compile(&TOOLCHAIN, request) {
        Err(CompileError::Rejected { diagnostics, .. }) => diagnostics,
        other => panic!("expected diagnostics, got {other:?}"),
    }
}

fn source(text: &str) -> CompileRequest {
    CompileRequest::new("kernel.cu", text)
}

const KERNELS: &str = r#"
template <int N> __global__ void tiled(float *a) {
    __shared__ float tile[N];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
extern "C" __global__ void plain(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }
__global__ void mangled(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }
__device__ const int BLOCK_SIZE = 128;
__device__ int counter;
"#;

#[test]
fn one_request_gives_both_ptx_a_cubin_and_true_resources() {
    let request = CompileRequest::new("learn/kernel.cu", KERNELS);
    let request = request.name("tiled<16>").name("plain").name("mangled").name("&counter");
    let compiled = accepted(&request);
    assert_eq!(compiled.lowered_names["tiled<16>"], "_Z5tiledILi16EEvPf");
    assert_eq!(compiled.lowered_names["plain"], "plain");
    assert_eq!(compiled.lowered_names["mangled"], "_Z7mangledPii");
    assert_eq!(compiled.lowered_names["&counter"], "counter");
    assert!(compiled.cubin.starts_with(b"\x7fELF"));
    for ptx in [&compiled.checked_ptx, &compiled.optimised_ptx] {
        assert!(ptx.contains(".target sm_90"));
        assert!(ptx.contains(".entry _Z5tiledILi16EEvPf"));
        assert!(ptx.contains(".loc"));
        assert!(ptx.contains("BLOCK_SIZE"));
        assert!(ptx.contains("\"learn/kernel.cu\""), "the file is shown as it was named:\n{ptx}");
    }
    assert_ne!(compiled.checked_ptx, compiled.optimised_ptx);
    let tiled = compiled.kernel("tiled<16>").expect("it was compiled");
    assert_eq!((tiled.shared_bytes, tiled.spill_store_bytes, tiled.barriers), (64, 0, 1));
    assert!(tiled.registers > 0);
    assert!(compiled.compiler.starts_with("NVRTC "));
    assert_eq!(compiled.diagnostics, []);
}

#[test]
fn the_output_depends_on_neither_folder_nor_time() {
    let request = source(KERNELS).name("tiled<16>");
    let (first, second) = (accepted(&request), accepted(&request));
    assert_eq!(first.checked_ptx, second.checked_ptx);
    assert_eq!(first.optimised_ptx, second.optimised_ptx);
    let elsewhere = accepted(&CompileRequest { file: "/a/b/kernel.cu".to_owned(), ..request });
    assert_eq!(first.checked_ptx.replace("\"kernel.cu\"", "\"/a/b/kernel.cu\""), elsewhere.checked_ptx);
}

/// A compiler that has made a checked build makes another optimised one of this kernel than a fresh one does.
#[test]
fn the_output_does_not_depend_on_what_was_compiled_before() {
    let (name, header) = COURSE_HEADER;
    let request = CompileRequest {
        headers: vec![(name.to_owned(), header.to_owned())],
        ..source(include_str!("../../solutions/20-bulk-copies/kernel.cu"))
    };
    let of = |compiled: Compiled| (compiled.checked_ptx, compiled.optimised_ptx);
    let (checked, optimised) = of(accepted(&request));
    for _ in 0..4 {
        let again = of(accepted(&request));
        assert!(again == (checked.clone(), optimised.clone()), "one compilation is not as the other");
    }
    // By compilers that have warmed up.
    standby::keep();
    for _ in 0..4 {
        standby::refill();
        let warm = of(accepted(&request));
        assert!(warm.0 == checked, "a warm compiler makes another checked build");
        assert!(warm.1 == optimised, "a warm compiler makes another optimised build");
    }
}

#[test]
fn without_machine_code_the_ptx_is_the_same() {
    let request = source(KERNELS).name("tiled<16>");
    let whole = accepted(&request);
    let ptx = accepted(&CompileRequest { machine_code: false, ..request });
    assert!(!whole.cubin.is_empty() && !whole.kernels.is_empty());
    assert!(ptx.cubin.is_empty() && ptx.kernels.is_empty());
    let same = |compiled: &Compiled| {
        (compiled.checked_ptx.clone(), compiled.optimised_ptx.clone(), compiled.lowered_names.clone())
    };
    assert_eq!(same(&whole), same(&ptx));
}

const GROUPS: &str = r#"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int *in, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(warp, in[threadIdx.x], cg::plus<int>());
    if (warp.thread_rank() == 0) out[threadIdx.x / 32] = sum;
}
"#;

/// Reading libcu++ takes a second, and a kernel that names nothing of it does without.
#[test]
fn groups_alone_are_the_same_code_without_libcuxx() {
    let instructions = |ptx: &str| {
        let lines = ptx.lines().map(str::trim).filter(|line| line.ends_with(';') && !line.starts_with('.'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let short = accepted(&source(GROUPS));
    let long = accepted(&source(&format!("{GROUPS}\n// cuda::std\n")));
    assert!(long.optimised_ptx.contains("cuda3std") && !short.optimised_ptx.contains("cuda3std"));
    assert!(instructions(&short.optimised_ptx).len() > 10);
    assert_eq!(instructions(&short.optimised_ptx), instructions(&long.optimised_ptx));
    assert_eq!(short.kernels, long.kernels);
}

#[test]
fn a_header_may_need_what_groups_include() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = "__device__ constexpr bool same = cuda::std::is_same<int, int>::value;\n";
    fs::write(folder.path().join("needs.cuh"), header).expect("a file");
    let mut request = source(&GROUPS.replace("namespace cg", "#include \"needs.cuh\"\nnamespace cg"));
    request.include_directories.push(folder.path().to_owned());
    accepted(&request);
    // What does not compile with libcu++ either is told as if nothing else had been tried.
    let wrong = GROUPS.replace("cg::plus<int>()", "missing");
    assert_eq!(rejected(&source(&wrong)), rejected(&source(&format!("{wrong}\n// cuda::std\n"))));
}

#[test]
fn every_architecture_that_the_course_names_compiles() {
    for architecture in [75, 80, 86, 89, 90, 100] {
        let compiled = accepted(&CompileRequest { architecture, ..source(KERNELS) });
        assert!(compiled.optimised_ptx.contains(&format!(".target sm_{architecture}")));
    }
    match compile(&TOOLCHAIN, &CompileRequest { architecture: 35, ..source(KERNELS) }) {
        Err(error @ CompileError::Architecture { asked: 35, .. }) => {
            assert!(error.to_string().contains("sm_75"), "{error}");
        }
        other => panic!("expected a complaint about sm_35, got {other:?}"),
    }
}

#[test]
fn headers_defines_and_include_directories_are_used() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("from_disk.h"), "#define FROM_DISK 1\n").expect("a file");
    let mut request = source(
        "#include \"from_memory.cuh\"\n#include <from_disk.h>\n#include \"from_disk.h\"\n\
         __global__ void k(int *a) { a[0] = FROM_MEMORY + FROM_DISK + VALUE; a[1] = a[999]; }\n\
         #ifndef FLAG\n#error no FLAG\n#endif\n",
    );
    request.headers.push(("from_memory.cuh".to_owned(), "#define FROM_MEMORY 2\n".to_owned()));
    request.include_directories.push(folder.path().to_owned());
    request.defines.push(("VALUE".to_owned(), Some("4".to_owned())));
    request.defines.push(("FLAG".to_owned(), None));
    assert!(accepted(&request).optimised_ptx.contains(", 7;"));
}

/// Kernels out in the world, each with the headers that its kind includes.
const ORDINARY: &[&str] = &[
    "#include <cuda_runtime.h>\n#include <device_launch_parameters.h>\n#include <stdio.h>\n#include <cstdint>\n\
     #include <cassert>\n#include <cmath>\n#include <cfloat>\n#include <climits>\n#include <cstddef>\n\
     #include <stdlib.h>\n#include <string.h>\n#include <time.h>\n#include <stdbool.h>\n#include <inttypes.h>\n\
     __global__ void k(float *a, uint32_t *b, size_t n, std::size_t m, std::uint64_t w) {\n\
     assert(n > 0); printf(\"%u\\n\", b[0]); a[0] = -FLT_MAX; a[1] = -INFINITY; a[2] = NAN; b[0] = UINT32_MAX;\n\
     a[3] = std::sqrt(a[4]) + std::fmax(a[1], (float)M_PI) + std::abs(a[3]); b[1] = INT_MAX;\n\
     clock_t t = clock(); b[2] = t; double d = DBL_MAX; a[5] = d; memcpy(a, b, 4); uint u = 3; b[3] = u;\n\
     a[6] = std::isnan(a[2]); a[7] = isinf(a[1]); int64_t s = INT64_MIN; b[4] = s >> 40; b[5] = m + w; }",
    // What `nvcc` declares without any `#include`.
    "__global__ void k(float *a, uint8_t *b, size_t n) { a[0] = INFINITY; if (n < SIZE_MAX) b[0] = 1;\n\
     printf(\"%d\", INT_MAX); assert(b[0]); }",
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n\
     __global__ void k(int *a) { auto w = cg::tiled_partition<32>(cg::this_thread_block());\n\
     a[0] = cg::reduce(w, a[threadIdx.x], cg::plus<int>()); cg::this_grid().sync(); }",
    "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n\
     __global__ void k(half *a, __nv_bfloat16 *b) { a[0] = __hadd(a[1], a[2]); b[0] = b[1] + b[2]; }",
    "#include <cuda/barrier>\n#include <cuda/std/cstdint>\n#include <stdint.h>\n#include <cmath>\n\
     __global__ void k(int *a) {\n#pragma nv_diag_suppress static_var_with_dynamic_init\n\
     __shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, blockDim.x);\n\
     __syncthreads(); b.arrive_and_wait(); a[0] = 1; }",
    "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(half *a, float *c) {\n\
     wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;\n\
     wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc; wmma::load_matrix_sync(fa, a, 16);\n\
     wmma::fill_fragment(fc, 0.0f); wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major); }",
    "#include <cfloat>\n#include <cmath>\n#include <cstdint>\n#include <climits>\n\
     #include <cub/block/block_reduce.cuh>\n__global__ void k(int *a) { using R = cub::BlockReduce<int, 128>;\n\
     __shared__ typename R::TempStorage s; int r = R(s).Sum(a[threadIdx.x]); if (threadIdx.x == 0) a[0] = r; }",
    "#include <math_constants.h>\n#include <vector_types.h>\n#include <cuda_pipeline.h>\n\
     __global__ void k(float *a) { a[0] = CUDART_INF_F; }",
    // Host code where it belongs.
    "#include <cuda_runtime.h>\n__global__ void k(int *a) { a[0] = 1; }\n#ifndef __CUDACC_RTC__\n\
     #include <vector>\n#include <iostream>\nint main() { k<<<1, 1>>>(nullptr); std::cout << cudaDeviceSynchronize(); }\n\
     #endif\n",
];

#[test]
fn ordinary_kernels_just_compile() {
    for text in ORDINARY {
        assert_eq!(accepted(&source(text)).diagnostics, [], "{text}");
    }
}

/// The C library's headers are ours, and those of `cuda/std` say the same once more.
#[test]
fn the_headers_of_c_and_of_cuda_agree() {
    let ours: String = SHIMS.iter().map(|(name, _)| format!("#include <{name}>\n")).collect();
    let of_cuda: String = [
        "array",
        "atomic",
        "bit",
        "cassert",
        "cfloat",
        "climits",
        "cmath",
        "complex",
        "cstddef",
        "cstdint",
        "cstdlib",
        "cstring",
        "ctime",
        "functional",
        "limits",
        "ratio",
        "tuple",
        "type_traits",
        "utility",
    ]
    .map(|name| format!("#include <cuda/std/{name}>\n"))
    .concat();
    let kernel = "__global__ void k(long *a) { a[0] = INT_MAX + LONG_MIN + UINT_MAX; a[1] = SHRT_MIN; }";
    for text in [format!("{ours}{of_cuda}{kernel}"), format!("{of_cuda}{ours}{kernel}")] {
        assert_eq!(accepted(&source(&text)).diagnostics, [], "{text}");
    }
}

/// Mistakes, one by one.
const MISTAKES: &[(&str, &str)] = &[
    ("a missing semicolon", "__global__ void f(int *a) {\n    a[0] = 1\n    a[1] = 2;\n}\n"),
    ("a tab before the mistake", "__global__ void f(int *a) {\n\ta[0] = \"text\";\n}\n"),
    ("an umlaut before the mistake", "__global__ void f(int *a) {\n    /* für */ a[0] = b;\n}\n"),
    (
        "two mistakes and a warning",
        "__global__ void f(int *a) {\n    int unused;\n    a[0] = b;\n    a[1] = c;\n}\n",
    ),
    (
        "candidates of an overload",
        "__device__ void g(int, int);\n__device__ void g(float, float);\n__global__ void f() {\n    g(1, 2.0f);\n}\n",
    ),
    (
        "inside a template",
        "template <class T> struct S { typename T::x y; };\n__global__ void f(int *a) {\n    S<int> s;\n    a[0] = sizeof s;\n}\n",
    ),
    ("the end of the file", "__global__ void f(int *a) {\n    a[0] = 1;\n"),
    ("a missing header", "#include \"nope.h\"\n"),
    ("an #error", "#error not for this compiler\n"),
    ("a host header", "#include <cuda_runtime.h>\n#include <vector>\n"),
    ("a main", "__global__ void f(int *a) { a[0] = 1; }\nint main() {\n    return 0;\n}\n"),
    (
        "a host function's call",
        "__global__ void f(int **a) {\n    cudaMemcpy(*a, *a, 4, cudaMemcpyDefault);\n}\n",
    ),
    ("a launch", "__global__ void g() {}\nvoid run() { g<<<1, 32>>>(); }\n"),
    ("a vector", "__global__ void f(int *a) {\n    std::vector<int> v;\n}\n"),
    ("FLT_MAX", "__global__ void f(float *a) {\n    a[0] = FLT_MAX;\n}\n"),
    (
        "a function without a body",
        "__device__ int h(int);\n__global__ void f(int *a) {\n    a[0] = h(2);\n}\n",
    ),
    (
        "a lambda of any types",
        "__global__ void f(float *a) {\n    auto g = [](auto x, auto y) { return x + y; };\n    a[0] = g(a[1], a[2]);\n}\n",
    ),
    (
        "a lambda for the device",
        "__global__ void f(float *a) {\n    auto g = [] __device__(float x) { return x; };\n    a[0] = g(a[1]);\n}\n",
    ),
    ("a zero byte", "__global__ void f() {}\n\0\n"),
    ("wrong PTX", "__global__ void f(int *a) {\n    asm(\"bogus %0;\" : \"=r\"(a[0]));\n}\n"),
    (
        "too much shared memory",
        "__global__ void f(int *a) {\n    __shared__ int s[20000];\n    s[threadIdx.x] = a[0];\n    __syncthreads();\n    a[0] = s[a[1]];\n}\n",
    ),
];

fn render(diagnostics: Vec<CompilerMessage>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let shown = report::Diagnostic::from(diagnostic);
        let place = shown.place.map_or_else(
            || "(no place)".to_owned(),
            |place| format!("{}:{}:{}", place.file, place.line, place.column),
        );
        let _ = writeln!(text, "{place}: {}: {}", shown.severity.name(), shown.message);
        for line in shown.excerpt.lines() {
            let _ = writeln!(text, "    |{line}");
        }
    }
    text
}

#[test]
fn diagnostics_say_where_what_and_what_to_do() {
    assert!(
        TOOLCHAIN.is_pinned(),
        "the words are those of the pinned compiler, and this is {}: `cargo grade compiler install` fetches it",
        TOOLCHAIN.version
    );
    let mut text = String::new();
    for (title, mistake) in MISTAKES {
        let _ = writeln!(text, "--- {title}\n{}", render(rejected(&source(mistake))));
    }
    let unknown = source(KERNELS).name("tiled<x>").name("tyled<16>");
    let _ = writeln!(text, "--- names that are not there\n{}", render(rejected(&unknown)));
    insta::assert_snapshot!("diagnostics", text);
}

/// A kernel with this body.
fn kernel(body: &str) -> String {
    format!("extern \"C\" __global__ void k(float *a, const float *b, int n) {{\n{body}\n}}\n")
}

/// The errors that beginners make most: the first one of each says what was meant, in words that are in no grammar.
#[test]
fn what_beginners_get_wrong_is_said_plainly() {
    let function = "__device__ float f(float x) { return x; }\n";
    let own = |body: &str| kernel(body);
    let mistakes = [
        (own("int i = threadIdx.x\na[i] = 1.0f;"), "End the statement here with `;`"),
        (own("int i = blockIdx.x blockDim.x;\na[i] = 1.0f;"), "an operator between them is missing"),
        (own("if (threadIdx.x < n {\na[0] = 1.0f;\n}"), "a `(` before this place is never closed"),
        (own("if (n > 1 And n < 3) {\na[0] = 1.0f;\n}"), "an operator between them is missing"),
        (own("a[0] = (1.0f + 2.0f));"), "more `)` than `(`"),
        (own("if (n > 3) {\na[0] = 1.0f;"), "a `{` is never closed"),
        (own("a[0] = 1.0f;\n}"), "this `}` closes nothing"),
        (own("for (int i = 0, i < n, i++) {\na[i] = 1.0f;\n}"), "separated by `;`"),
        (own("if (n > 1);\na[0] = 1.0f;\nelse\na[0] = 2.0f;"), "this `else` has no `if`"),
        (own("a[treadIdx.x] = 1.0f;"), "is `threadIdx` meant?"),
        (own("__syncthread();"), "is `__syncthreads` meant?"),
        (own("int index = threadIdx.x;\na[indx] = 1.0f;"), "is `index` meant?"),
        (own("if (n > 3) {\nint i = 0;\n}\na[i] = 1.0f;"), "the `i` of line 3 is known up to the `}`"),
        (own("i = threadIdx.x;\na[i] = 1.0f;"), "a variable is declared with its type: `int i = …`"),
        (own("a[0] = f(1.0f);") + function, "declared further down, at line 4"),
        (own("a[0] = reduce(b, n);"), "nothing above declares a function of that name"),
        (own("int i = threadIdx;\na[i] = 1.0f;"), "write `.x`, `.y` or `.z`"),
        (own("a[threadIdx->x] = 1.0f;"), "write `.x`, `.y` or `.z`"),
        (own("dim3 i = threadIdx.x + 1;\na[i] = 1.0f;"), "write `.x`, `.y` or `.z`"),
        (own("b[threadIdx.x] = 1.0f;"), "this cannot be written to"),
        (own("float *p = b;\np[0] = 1.0f;"), "declare the pointer `const`"),
        (own("int *p = a;\np[0] = 1;"), "none to elements of another"),
        (own("int i = a;\na[i] = 1.0f;"), "an element is `a[i]`"),
        (own("float x = &a;\na[0] = x;"), "`&` takes the address"),
        (own("a[0] = \"1.0\";"), "a text in quotes is no number"),
        (own("a[0] = a[1] % 2;"), "`fmodf(x, y)`"),
        (own("float i = 1.0f;\na[i] = 2.0f;"), "whole numbers are needed here"),
        (own("a[0][1] = 2.0f;"), "`a[y * width + x]`"),
        (own("a[0] = a[1] ** 2;"), "a square is `x * x`"),
        (own("a[n.x] = 1.0f;"), "this is a single value"),
        (own("a(threadIdx.x) = 1.0f;"), "an element of an array is `a[i]`"),
        (own("asm volatile(\"wgmma.fence.sync.aligned;\");"), "--arch 90a"),
        (own("return 1;"), "leaves by a bare `return;`"),
        (own("if (n > 1) {\nbreak;\n}"), "`return;` leaves the kernel"),
        (own("int i = 0;\nint i = 1;\na[i] = 1.0f;"), "leave the type out"),
        (function.to_owned() + &own("a[0] = f();"), "more parameters than the call has values"),
        (function.to_owned() + &own("a[0] = f(1.0f, 2.0f);"), "more values than the function has parameters"),
        (own("a[0] = max(n, 1u, 2);"), "convert them to one"),
        (own("atomicAdd(a[0], 1.0f);"), "`atomicAdd(&a[i], 1)`"),
        (own("__shared__ float tile[blockDim.x];\ntile[0] = a[0];"), "`extern __shared__ float tile[];`"),
        (own("float t[n];\nt[0] = a[0];"), "use a `constexpr int`"),
        (own("__shared__ float sum = 0.0f;\na[0] = sum;"), "then call `__syncthreads()`"),
        (own("__shared__ float tile[];\ntile[0] = a[0];"), "put `extern` before `__shared__`"),
        (own("extern __shared__ tile[];\ntile[0] = a[0];"), "the type of the array's elements is missing"),
        (
            own("auto g = cooperative_groups::this_thread_block();\ng.sync();"),
            "#include <cooperative_groups.h>",
        ),
        (own("cuda::barrier<cuda::thread_scope_block> b2;"), "#include <cuda/barrier>"),
        (own("a[0] = n − 1;"), "only looks like one of C++"),
        (own("float größe = 1.0f;\na[0] = größe;"), "the letters from a to z"),
        (own("char c = \"x;"), "must end on the same line"),
        (own("<<<<<<< HEAD\na[0] = 1.0f;\n=======\na[0] = 2.0f;\n>>>>>>> x"), "version control left"),
        ("#include course.cuh\n".to_owned() + &own("a[0] = 1.0f;"), "stands in quotes"),
        ("LAUNCH_CONSTANT(BLOCK_SIZE, 256);\n".to_owned() + &own("a[0] = 1.0f;"), "#include \"course.cuh\""),
        (own("LAUNCH_CONSTANT(BLOCK_SIZE, 256);\na[0] = 1.0f;"), "#include \"course.cuh\""),
        (own("a[0] = ceil_div(n, 32);"), "#include \"course.cuh\""),
        (own("wait_for(n);\na[0] = 1.0f;"), "#include \"course.cuh\""),
        (
            "extern \"C\" __global__ int k(float *a) {\nreturn 1;\n}\n".to_owned(),
            "a kernel gives nothing back",
        ),
        (
            "extern \"C\" __global__ void k(float *a, n) {\na[n] = 1.0f;\n}\n".to_owned(),
            "a type of its own: `int n`",
        ),
        (
            "__global__ void f(float *a) {}\n".to_owned() + &own("f<<<1, 32>>>(a);"),
            "a kernel cannot start a kernel",
        ),
        ("__device__ void f(float x) {}\n".to_owned() + &own("a[0] = f(1.0f);"), "declared `void`"),
        (
            "float f(float x) { return x; }\n".to_owned() + &own("a[0] = f(1.0f);"),
            "Mark a device function `__device__`",
        ),
    ];
    let mut wrong = String::new();
    for (text, wanted) in &mistakes {
        let errors = rejected(&source(text));
        let errors: Vec<_> = errors.iter().filter(|error| error.severity == Severity::Error).collect();
        let helps: Vec<&str> = errors.iter().filter_map(|error| error.help.as_deref()).collect();
        // What a learner reads first is what helps.
        let first =
            errors.iter().take(2).filter_map(|error| error.help.as_deref()).any(|help| help.contains(wanted));
        if !first {
            let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            let _ = writeln!(wrong, "{text}wanted {wanted:?}\n   of {helps:#?}\n   for {messages:#?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_warning_does_not_stop_the_compilation() {
    let compiled = accepted(&source("__global__ void f(int *a) {\n    int unused;\n    a[0] = 1;\n}\n"));
    let [warning] = &compiled.diagnostics[..] else { panic!("{:?}", compiled.diagnostics) };
    assert_eq!((warning.severity, warning.line, warning.column), (Severity::Warning, 2, 9));
}

fn ends(source: String, limits: CompileLimits) -> WorkerFailure {
    let request = CompileRequest { limits, ..CompileRequest::new("bomb.cu", source) };
    let failure = match compile(&TOOLCHAIN, &request) {
        Err(CompileError::Worker(failure)) => failure,
        other => panic!("expected a failure of the worker, got {:?}", other.map(|compiled| compiled.log)),
    };
    assert!(failure.is_of_the_input(), "{failure}");
    accepted(&self::source("__global__ void k(int *a) { a[0] = 1; }"));
    failure
}

#[test]
fn a_macro_bomb_ends_at_the_memory_limit() {
    let mut bomb = "#define A0 a[0] += a[1];\n".to_owned();
    for level in 1..8 {
        let _ = writeln!(bomb, "#define A{level} {}", format!("A{} ", level - 1).repeat(16));
    }
    bomb.push_str("__global__ void f(float *a) { A7 }\n");
    let failure = ends(bomb, CompileLimits { memory_bytes: 400 << 20, ..CompileLimits::default() });
    assert!(matches!(failure, WorkerFailure::OutOfMemory { .. }), "{failure}");
}

#[test]
fn a_template_bomb_ends_at_a_limit() {
    let bomb = "template <int N, long M> struct A { static const long v = A<N - 1, 2 * M>::v + A<N - 1, 2 * M + 1>::v; };\n\
                template <long M> struct A<0, M> { static const long v = M; };\n\
                __global__ void f(long *a) { a[0] = A<40, 1>::v; }\n";
    let limits = CompileLimits { memory_bytes: 400 << 20, cpu_seconds: 3, wall_seconds: 60 };
    let failure = ends(bomb.to_owned(), limits);
    assert!(
        matches!(failure, WorkerFailure::OutOfMemory { .. } | WorkerFailure::CpuLimit { .. }),
        "{failure}"
    );
}

#[test]
fn a_crash_of_the_compiler_is_a_failure_and_not_ours() {
    let depth = 3_000_000;
    let bomb =
        format!("__global__ void f(int *a) {{ a[0] = {}1{}; }}\n", "(".repeat(depth), ")".repeat(depth));
    let failure = ends(bomb, CompileLimits::default());
    assert!(
        matches!(failure, WorkerFailure::Crashed { .. } | WorkerFailure::OutOfMemory { .. }),
        "{failure}"
    );
}

#[test]
fn messages_name_no_file_that_the_source_made_up() {
    for forged in [
        "#line 7 \"/etc/shadow\"\n__global__ void k(int *a) { x; }\n",
        "# 7 \"/etc/shadow\"\n__global__ void k(int *a) { x; }\n",
        "#pragma message \"a\\n/etc/shadow(3): error: forged\"\n__global__ void k(int *a) { x; }\n",
    ] {
        match compile(&TOOLCHAIN, &CompileRequest::new("kernel.cu", forged)) {
            Err(CompileError::Rejected { diagnostics, .. }) => {
                let files: Vec<_> = diagnostics.iter().filter_map(|each| each.file.as_deref()).collect();
                assert!(files.iter().all(|file| *file == "kernel.cu"), "{forged}: {diagnostics:#?}");
                assert!(diagnostics.iter().any(|each| each.message.contains("\"x\" is undefined")));
            }
            other => panic!("expected a refusal, got {other:?}"),
        }
    }
}

#[test]
fn what_the_compiler_prints_obeys_no_terminal_and_has_an_end() {
    let evil =
        "#pragma message \"a\\x1b[2J\\x1b]0;title\\x07b\\rc\"\n__global__ void k(int *a) { *a = 1; }\n";
    let compiled = compile(&TOOLCHAIN, &CompileRequest::new("kernel.cu", evil)).expect("it compiles");
    let control = |text: &str| text.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    assert!(!control(&compiled.log) && compiled.log.contains("a␛[2J"), "{:?}", compiled.log);
    assert!(compiled.diagnostics.iter().all(|each| !control(&each.message)), "{:?}", compiled.diagnostics);
    let flood = format!("#pragma message \"{}\"\n", "flood ".repeat(100)).repeat(3000);
    let flood = flood + "__global__ void k(int *a) { *a = 1; }\n";
    let compiled = compile(&TOOLCHAIN, &CompileRequest::new("kernel.cu", flood)).expect("it compiles");
    assert!(compiled.log.len() < 300_000 && compiled.log.contains("cut off"), "{}", compiled.log.len());
    assert_eq!(
        compiled.kernels.len(),
        1,
        "the assembler's remarks come after the flood and are read all the same"
    );
}

#[test]
fn a_compiler_that_also_crashes_on_nothing_is_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut damaged = TOOLCHAIN.clone();
    for library in [&mut damaged.library, &mut damaged.builtins] {
        let copy = folder.path().join(library.file_name().expect("a name"));
        fs::copy(&*library, &copy).expect("a copy");
        *library = copy;
    }
    let mut bytes = fs::read(&damaged.library).expect("it was copied");
    let length = bytes.len();
    // All ones are no instruction, neither on x86-64 nor on Arm.
    bytes[length / 4..length * 3 / 4].fill(0xff);
    fs::write(&damaged.library, bytes).expect("it is ours");
    let error = compile(&damaged, &source(KERNELS)).expect_err("the compiler is damaged");
    assert!(matches!(error, CompileError::Unusable { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("so it does on a kernel that does nothing") && text.contains("grader compiler install"),
        "{text}"
    );
}
