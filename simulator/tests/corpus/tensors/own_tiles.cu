// Every warp stages tiles of its own, one after the other, and adds up their products: no barrier of the block, only of the warp.
//@ run --entry sums --grid 1 --block 64 --arg in:i32:2x4x256=iota --arg out:f32:2x128
//! clean
//! defect 1: race at stage and load
//! defect 2: race at load and stage
//! defect 3: uninitialized_read at write
#include <cuda_bf16.h>
extern "C" __global__ void sums(const int* in, float* out)
{
    __shared__ __align__(16) __nv_bfloat16 tiles[2][16][16];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto& tile = tiles[warp];
#if DEFECT == 3
    float c[4];
#else
    float c[4] = {0, 0, 0, 0};
#endif
    for (int round = 0; round < 4; ++round) {
        for (int i = lane; i < 256; i += 32) tile[i / 16][i % 16] = __float2bfloat16((float)(in[(warp * 4 + round) * 256 + i] % 4)); // <- stage
#if DEFECT != 1
        __syncwarp();
#endif
        unsigned a[4];
        unsigned from = (unsigned)__cvta_generic_to_shared(&tile[lane % 16][lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(from)); // <- load
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %6}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])); // <- multiply
#if DEFECT != 2
        __syncwarp();
#endif
    }
    for (int i = 0; i < 4; ++i) out[warp * 128 + (i / 2 * 8 + lane / 4) * 8 + lane % 4 * 2 + i % 2] = c[i]; // <- write
}
