//! Compiling with the real, pinned compiler: what comes out, and what a learner reads when it does not.

use std::sync::OnceLock;

use harness::{
    compiler::{CompileError, CompileRequest, Compiled, Diagnostic, compile},
    toolchain::{Progress, Toolchain},
};

/// The entry of this test binary's workers.
#[test]
fn __worker() {
    harness::worker::intercept();
}

fn toolchain() -> &'static Toolchain {
    static TOOLCHAIN: OnceLock<Toolchain> = OnceLock::new();
    TOOLCHAIN.get_or_init(|| {
        Toolchain::locate_or_install(Progress::Terminal).unwrap_or_else(|error| panic!("{error}"))
    })
}

fn accepted(request: &CompileRequest) -> Compiled {
    compile(toolchain(), request).unwrap_or_else(|error| panic!("{error}"))
}

fn rejected(source: &str) -> Vec<Diagnostic> {
    match compile(toolchain(), &CompileRequest::new("kernel.cu", source)) {
        Err(CompileError::Rejected { diagnostics, .. }) => diagnostics,
        other => panic!("expected diagnostics, got {other:?}"),
    }
}

const THREE_KERNELS: &str = r#"
template <int N> __global__ void tiled(float *a) {
    __shared__ float tile[N];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
extern "C" __global__ void plain(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }
__global__ void mangled(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }
__device__ const int BLOCK_SIZE = 128;
"#;

#[test]
fn one_request_gives_both_ptx_a_cubin_and_true_resources() {
    let request =
        CompileRequest::new("learn/kernel.cu", THREE_KERNELS).name("tiled<16>").name("plain").name("mangled");
    let compiled = accepted(&request);
    assert_eq!(compiled.lowered_names["tiled<16>"], "_Z5tiledILi16EEvPf");
    assert_eq!(compiled.lowered_names["plain"], "plain");
    assert_eq!(compiled.lowered_names["mangled"], "_Z7mangledPii");
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
    assert_eq!(tiled.shared_bytes, 64);
    assert!(tiled.registers > 0);
    assert!(compiled.compiler.starts_with("NVRTC "));
}

#[test]
fn shims() {
    for source in [
        "#include <cuda_runtime.h>\n#include <device_launch_parameters.h>\n#include <stdio.h>\n#include <cstdint>\n\
         #include <cassert>\n#include <cmath>\n#include <cfloat>\n#include <climits>\n#include <cstddef>\n\
         #include <stdlib.h>\n#include <string.h>\n#include <time.h>\n#include <stdbool.h>\n#include <inttypes.h>\n\
         __global__ void k(float *a, uint32_t *b, size_t n, std::size_t m, std::uint64_t w) {\n\
         assert(n > 0); printf(\"%u\\n\", b[0]); a[0] = -FLT_MAX; a[1] = -INFINITY; a[2] = NAN; b[0] = UINT32_MAX;\n\
         a[3] = std::sqrt(a[4]) + std::fmax(a[1], (float)M_PI) + std::abs(a[3]); b[1] = INT_MAX; clock_t t = clock(); b[2] = t;\n\
         double d = DBL_MAX; a[5] = d; memcpy(a, b, 4); uint u = 3; b[3] = u; a[6] = std::isnan(a[2]); a[7] = isinf(a[1]);}",
        "__global__ void k(float *a, uint8_t *b) { a[0] = INFINITY; b[0] = SIZE_MAX; printf(\"%d\", INT_MAX); assert(b[0]); }",
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n\
         namespace cg = cooperative_groups;\n__global__ void k(int *a) { auto w = cg::tiled_partition<32>(cg::this_thread_block());\n\
         a[0] = cg::reduce(w, a[threadIdx.x], cg::plus<int>()); }",
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__global__ void k(half *a) { a[0] = __hadd(a[1], a[2]); }",
        "#include <cuda/barrier>\n#include <cuda/std/cstdint>\n#include <stdint.h>\n#include <cmath>\n__global__ void k(int *a) {\n\
         __shared__ cuda::barrier<cuda::thread_scope_block> b; if (threadIdx.x == 0) init(&b, blockDim.x);\n\
         __syncthreads(); b.arrive_and_wait(); a[0] = 1; }",
        "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(half *a, float *c) {\n\
         wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa; wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;\n\
         wmma::load_matrix_sync(fa, a, 16); wmma::fill_fragment(fc, 0.0f); wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major); }",
        "#include <cfloat>\n#include <cmath>\n#include <cstdint>\n#include <climits>\n#include <cub/block/block_reduce.cuh>\n__global__ void k(int *a) {\n\
         using R = cub::BlockReduce<int, 128>; __shared__ typename R::TempStorage s; int r = R(s).Sum(a[threadIdx.x]);\n\
         if (threadIdx.x == 0) a[0] = r; }",
        "#include <math_constants.h>\n#include <vector_types.h>\n#include <cuda_pipeline.h>\n#include <cuda/atomic>\n__global__ void k(float *a) { a[0] = CUDART_INF_F; }",
        "#include <cuda/std/limits>\n#include <cuda/std/cmath>\n#include <float.h>\n#include <math.h>\n__global__ void k(float *a) { a[0] = cuda::std::numeric_limits<float>::infinity() + INFINITY + FLT_MAX; }",
    ] {
        let t = std::time::Instant::now();
        match compile(toolchain(), &CompileRequest::new("kernel.cu", source)) {
            Ok(c) => println!("ok {:?} {:?}", t.elapsed(), c.diagnostics),
            Err(CompileError::Rejected { log, .. }) => println!("{source}\n{}", &log[..log.len().min(3000)]),
            Err(e) => println!("{e}"),
        }
    }
}

#[test]
fn diag() {
    for s in [
        "__global__ void f(int*a){\n\ta[0] = \"x\"; }",
        "#include <vector>\nint main() {}",
        "int main(){ cudaMalloc(0, 4); }",
        "__global__ void f(){ f<<<1,1>>>(); std::vector<int> x; }",
        "#include \"/etc/passwd\"\n",
        "__device__ int h(int); __global__ void f(int*a){ a[0]=h(2);}",
    ] {
        for d in rejected(s) {
            println!("{d}\n");
        }
    }
}
