// Four warps multiply 32 × 16 by 16 × 16 halves: both are staged, and every warp computes an 16 × 8 corner by one mma.
//@ run --entry product --grid 1 --block 128 --arg in:i32:32x16=iota --arg in:i32:16x16=iota --arg out:f32:32x16
//! clean
//! defect 1: race at stage_a|stage_b and load_a|load_b
//! defect 2: misaligned at load_a
//! defect 3: uninitialized_read at write
//! defect 4: invalid_mask at multiply|load_a|load_b
//! defect 5: out_of_bounds at load_b
#include <cuda_fp16.h>
#if DEFECT == 2
#define STRIDE 18
#else
#define STRIDE 24
#endif
__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void product(const int* A, const int* B, float* C)
{
    __shared__ __align__(16) __half a[32][STRIDE];
    __shared__ __align__(16) __half b[16][24];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
#if DEFECT == 3
    for (int i = t; i < 31 * 16; i += 128)
#else
    for (int i = t; i < 32 * 16; i += 128)
#endif
        a[i / 16][i % 16] = __int2half_rn(A[i] % 5); // <- stage_a
    for (int i = t; i < 16 * 16; i += 128) b[i / 16][i % 16] = __int2half_rn(B[i] % 3); // <- stage_b
#if DEFECT != 1
    __syncthreads();
#endif
    int row = warp / 2 * 16, column = warp % 2 * 8;
    unsigned x[4], y[2];
    float c[4] = {};
    unsigned from_a = shared_address(&a[row + lane % 16][lane / 16 * 8]);
#if DEFECT == 5
    unsigned from_b = shared_address(&b[lane][column]);
#else
    unsigned from_b = shared_address(&b[lane % 16][column]);
#endif
#if DEFECT == 4
    if (lane >= 24) return;
#endif
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from_a)); // <- load_a
#if DEFECT == 5
    unsigned more[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(y[0]), "=r"(y[1]), "=r"(more[0]), "=r"(more[1]) : "r"(from_b)); // <- load_b
#else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(from_b)); // <- load_b
#endif
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1])); // <- multiply
    for (int i = 0; i < 4; ++i) C[(row + i / 2 * 8 + lane / 4) * 16 + column + lane % 4 * 2 + i % 2] = c[i]; // <- write
}
