// A is in registers, B in shared memory; the sums go back to shared memory, where other threads read them.
//@ run --entry product --grid 1 --block 128 --arg in:i32:64x16=iota --arg in:i32:8x16=iota --arg out:f32:64x8
//! clean
//! defect 1: race at put|get|out and multiply
//! defect 2: race at get and put
//! defect 3: uninitialized_read at get|put|out
//! defect 4: invalid_mask at multiply; --block 96
#include <cuda_fp16.h>
extern "C" __global__ void product(const int* A, const int* B, float* C)
{
    __shared__ alignas(128) __half b[1][2][8][8];
    __shared__ float sums[64][8];
    const int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = t; i < 128; i += blockDim.x) b[0][i % 16 / 8][i / 16][i % 8] = __int2half_rn(B[i] % 3 - 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned a[4];
#if DEFECT == 3
    for (int i = 0; i < 3; ++i) {
#else
    for (int i = 0; i < 4; ++i) {
#endif
        int k = column + i / 2 * 8, of_row = row + i % 2 * 8;
        a[i] = __half_as_ushort(__int2half_rn(A[of_row * 16 + k] % 5)) | __half_as_ushort(__int2half_rn(A[of_row * 16 + k + 1] % 5)) << 16;
    }
    float c[4] = {};
    unsigned long long at = (__cvta_generic_to_shared(b) >> 4 & 0x3FFF) | 8ull << 16 | 16ull << 32;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(at)); // <- multiply
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#if DEFECT != 1
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    for (int i = 0; i < 4; ++i) sums[row + i / 2 * 8][column + i % 2] = c[i] + 1; // <- put
#if DEFECT == 1
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
#if DEFECT != 2
    __syncthreads();
#endif
    for (int i = t; i < 512; i += blockDim.x) {
        float sum = sums[i % 64][i / 64]; // <- get
        C[i] = sum; // <- out
    }
}
//! label 1: it was put and multiply; what sums in flight give is followed through shared memory to where something comes of it
