// Results leave by stmatrix: a warp's 16 × 16 halves go to shared memory by rows, and other warps carry them on, 16 bytes a thread.
//@ run --entry turned --grid 1 --block 64 --arg in:u32:2x128=iota --arg out:u32:2x128
//! clean
//! defect 1: race at store and carry
//! defect 2: misaligned at store
//! defect 3: uninitialized_read at carry
//! defect 4: race at store
extern "C" __global__ void turned(const unsigned* in, uint4* out)
{
    __shared__ __align__(16) unsigned short rows[2][16][16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned v[4];
    for (int i = 0; i < 4; ++i) v[i] = in[warp * 128 + i * 32 + lane];
#if DEFECT == 2
    unsigned to = (unsigned)__cvta_generic_to_shared(&rows[warp][lane % 16][lane / 16 * 7]);
#elif DEFECT == 4
    unsigned to = (unsigned)__cvta_generic_to_shared(&rows[0][lane % 16][lane / 16 * 8]);
#else
    unsigned to = (unsigned)__cvta_generic_to_shared(&rows[warp][lane % 16][lane / 16 * 8]);
#endif
#if DEFECT == 3
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" : : "r"(to), "r"(v[0]), "r"(v[1]) : "memory"); // <- store
#else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" : : "r"(to), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory"); // <- store
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    int other = 63 - t;
    out[other] = reinterpret_cast<const uint4*>(rows)[other]; // <- carry
}
