// Tiles arrive in the background in two stages while the last one is multiplied: cp.async, ldmatrix, mma.
//@ run --entry product --grid 1 --block 32 --arg in:u16:8x256=const:15360 --arg out:f32:128
//! clean
//! defect 1: race at copy and load
//! defect 2: race at copy and load
//! defect 3: race at copy and load
//! defect 4: race at copy and load
#include <cuda_fp16.h>
#define STAGES 2
extern "C" __global__ void product(const unsigned short* in, float* out)
{
    __shared__ __align__(16) unsigned short tiles[STAGES][256];
    int lane = threadIdx.x;
    auto fetch = [&](int tile) {
        unsigned to = (unsigned)__cvta_generic_to_shared(&tiles[tile % STAGES][lane * 8]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(in + tile * 256 + lane * 8) : "memory"); // <- copy
        asm volatile("cp.async.commit_group;" : : : "memory");
    };
    float c[4] = {};
    fetch(0);
    for (int tile = 0; tile < 8; ++tile) {
        if (tile + 1 < 8) fetch(tile + 1);
        else asm volatile("cp.async.commit_group;" : : : "memory");
#if DEFECT == 1
        asm volatile("cp.async.wait_group 2;" : : : "memory");
#elif DEFECT == 4
        if (lane < 16) asm volatile("cp.async.wait_group 1;" : : : "memory");
#else
        asm volatile("cp.async.wait_group 1;" : : : "memory");
#endif
#if DEFECT != 2
        __syncwarp();
#endif
        unsigned a[4];
        unsigned from = (unsigned)__cvta_generic_to_shared(&tiles[tile % STAGES][lane % 16 * 16 + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(from) : "memory"); // <- load
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %6}, {%0, %1, %2, %3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])); // <- multiply
#if DEFECT != 3
        __syncwarp();
#endif
    }
    for (int i = 0; i < 4; ++i) out[(i / 2 * 8 + lane / 4) * 8 + lane % 4 * 2 + i % 2] = c[i];
}
