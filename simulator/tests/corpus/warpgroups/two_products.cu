// A warpgroup begins two products with sums of their own behind one fence, doubles the sums when they are there, and adds once more.
//@ run --entry product --grid 1 --block 128 --arg in:i32:64x16=iota --arg in:i32:8x16=iota --arg out:f32:2x64x8
//! clean
//! defect 1: race at multiply
//! defect 2: race at multiply
//! defect 3: race at scale|add|store|store_d and multiply; also=race
//! defect 4: race at multiply
//! defect 5: race at multiply
#include <cuda_fp16.h>
__device__ unsigned long long described(const void* p, int leading, int stride)
{
    return (__cvta_generic_to_shared(p) >> 4 & 0x3FFF) | (unsigned long long)(leading / 16) << 16 | (unsigned long long)(stride / 16) << 32;
}
__device__ __forceinline__ void multiply(float (&c)[4], unsigned long long at_a, unsigned long long at_b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(at_a), "l"(at_b)); // <- multiply
}
__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void end()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
extern "C" __global__ void product(const int* A, const int* B, float* C)
{
    // Blocks of 8 × 8 halves: along K first.
    __shared__ alignas(128) __half a[8][2][8][8], b[1][2][8][8];
    const int t = threadIdx.x;
    for (int i = t; i < 64 * 16; i += 128)
        a[i / 128][i % 16 / 8][i / 16 % 8][i % 8] = __int2half_rn(A[i] % 5 - 2);
    b[0][t % 16 / 8][t / 16][t % 8] = __int2half_rn(B[t] % 3 - 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float c[4] = {}, d[4] = {};
    unsigned long long at_a = described(a, 128, 256), at_b = described(b, 128, 256);
#if DEFECT != 1
    begin();
#endif
    multiply(c, at_a, at_b);
#if DEFECT == 5
    for (int i = 0; i < 4; ++i) d[i] = 1 + t % 32 / 4;
#endif
    multiply(d, at_a, at_b);
#if DEFECT != 3
    end();
#endif
    for (int i = 0; i < 4; ++i) {
        c[i] *= 2; // <- scale
        d[i] += 1; // <- add
    }
#if DEFECT == 4
    for (int i = 0; i < 4; ++i) d[i] = 0;
#elif DEFECT != 2
    begin();
#endif
#if DEFECT != 4
    multiply(c, at_a, at_b);
#endif
    multiply(d, at_a, at_b);
    end();
    for (int i = 0; i < 4; ++i) {
        int at = (t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2;
        C[at] = c[i]; // <- store
        C[512 + at] = d[i]; // <- store_d
    }
}
//! open 5: a fence is taken for good until the next wait, so that sums changed behind it are not seen: code that is compiled without optimisation copies all sums there
//! label 3: it was the first sum's line alone; both sums are used, and a value that is not there is reported where it goes out
