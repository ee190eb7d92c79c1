// A block writes two tiles and multiplies them as a warpgroup: what it wrote is handed over, and the sums are waited for.
//@ run --entry product --grid 1 --block 128 --arg in:i32:64x16=iota --arg in:i32:8x16=iota --arg out:f32:64x8
//! clean
//! defect 1: race at multiply and write_a|write_b
//! defect 2: race at multiply and write_a|write_b
//! defect 3: race at store|scale and multiply
//! defect 4: race at multiply
//! defect 5: uninitialized_read at store
//! defect 6: out_of_bounds at multiply
//! defect 7: race at store|scale and multiply
#include <cuda_fp16.h>
__device__ unsigned long long described(const void* p, int leading, int stride)
{
    return (__cvta_generic_to_shared(p) >> 4 & 0x3FFF) | (unsigned long long)(leading / 16) << 16 | (unsigned long long)(stride / 16) << 32;
}
extern "C" __global__ void product(const int* A, const int* B, float* C)
{
    // Blocks of 8 × 8 halves: along K first.
    __shared__ alignas(128) __half a[8][2][8][8], b[1][2][8][8];
    const int t = threadIdx.x;
#if DEFECT == 5
    for (int i = t; i < 60 * 16; i += 128)
#else
    for (int i = t; i < 64 * 16; i += 128)
#endif
        a[i / 128][i % 16 / 8][i / 16 % 8][i % 8] = __int2half_rn(A[i] % 5 - 2); // <- write_a
    b[0][t % 16 / 8][t / 16][t % 8] = __int2half_rn(B[t] % 3 - 1); // <- write_b
#if DEFECT != 1
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    float c[4] = {};
#if DEFECT != 4
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
#if DEFECT == 6
    unsigned long long at_a = described(a, 128, 512);
#else
    unsigned long long at_a = described(a, 128, 256);
#endif
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(at_a), "l"(described(b, 128, 256))); // <- multiply
#if DEFECT != 7
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
#if DEFECT != 3
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    for (int i = 0; i < 4; ++i) {
        float scaled = 2 * c[i]; // <- scale
        C[(t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = scaled; // <- store
    }
}
