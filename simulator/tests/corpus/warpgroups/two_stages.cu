// Slices of K go through two stages: while a product reads the one, the other is written. One group may be in flight.
//@ run --entry product --grid 1 --block 128 --arg in:i32:64x64=iota --arg in:i32:8x64=iota --arg out:f32:64x8
//! clean
//! defect 1: race at write_a|write_b and multiply
//! defect 2: race at store and multiply
//! defect 3: race at write_a|write_b|multiply and multiply|write_a|write_b
//! defect 4: race at multiply and write_a|write_b
#include <cuda_bf16.h>
__device__ unsigned long long described(const void* p)
{
    return (__cvta_generic_to_shared(p) >> 4 & 0x3FFF) | 8ull << 16 | 16ull << 32;
}
extern "C" __global__ void product(const int* A, const int* B, float* C)
{
    __shared__ alignas(128) __nv_bfloat16 a[2][8][2][8][8], b[2][1][2][8][8];
    const int t = threadIdx.x;
    float c[4] = {};
    for (int slice = 0; slice < 4; ++slice) {
        const int s = slice % 2;
        // The product of two rounds ago has read this stage once no more than one is in flight.
#if DEFECT == 1
        asm volatile("wgmma.wait_group.sync.aligned 2;" ::: "memory");
#else
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
#endif
#if DEFECT != 3
        __syncthreads();
#endif
        for (int i = t; i < 64 * 16; i += 128) a[s][i / 128][i % 16 / 8][i / 16 % 8][i % 8] = __float2bfloat16(A[i / 16 * 64 + slice * 16 + i % 16] % 5 - 2); // <- write_a
        b[s][0][t % 16 / 8][t / 16][t % 8] = __float2bfloat16(B[t / 16 * 64 + slice * 16 + t % 16] % 3 - 1); // <- write_b
#if DEFECT == 4
        if (slice != 2)
#endif
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(described(a[s])), "l"(described(b[s]))); // <- multiply
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    }
#if DEFECT == 2
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
#else
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    for (int i = 0; i < 4; ++i) C[(t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = c[i]; // <- store
}
