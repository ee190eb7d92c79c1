// Two warpgroups multiply a tile each. Which one does what is decided for all four of its warps, and both go round equally often.
//@ run --entry product --grid 1 --block 256 --arg in:i32:128=iota --arg in:i32:128=iota --arg i32:3 --arg out:f32:2x64x8
//! clean
//! defect 1: invalid_mask at multiply; also=uninitialized_read,race
//! defect 2: invalid_mask at multiply; also=uninitialized_read,race
//! defect 3: invalid_mask at multiply; also=race; --block 224
#include <cuda_fp16.h>
__device__ unsigned long long described(const void* p)
{
    return (__cvta_generic_to_shared(p) >> 4 & 0x3FFF) | 8ull << 16 | 16ull << 32;
}
extern "C" __global__ void __launch_bounds__(256) product(const int* A, const int* B, int rounds, float* C)
{
    __shared__ alignas(128) __half a[2][8][2][8][8], b[2][2][8][8];
    const int t = threadIdx.x, group = t / 128, warp = t / 32;
    for (int i = t; i < 2 * 64 * 16; i += blockDim.x) (&a[0][0][0][0][0])[i] = __int2half_rn(A[i % 128] % 5 - 2);
    for (int i = t; i < 2 * 8 * 16; i += blockDim.x) (&b[0][0][0][0])[i] = __int2half_rn(B[i % 128] % 3 - 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float c[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#if DEFECT == 2
    rounds += warp == 6;
#endif
    for (int k = 0; k < rounds; ++k) {
#if DEFECT == 1
        if (warp != 1)
#endif
            asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(described(a[group])), "l"(described(b[group]))); // <- multiply
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; ++i) C[(group * 64 + t % 128 / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = c[i];
}
