// cp.async by hand: a ring of three tiles, two on their way while one is used.
//@ run --entry ring --grid 2 --block 64 --arg in:f32:64x16=iota --arg out:f32:128
//! clean
//! defect 1: race at copy and use
//! defect 2: race at use and copy
//! defect 3: misaligned at copy
//! defect 4: race at copy and use
__device__ void copy(float* to, const float* from)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory"); // <- copy
}
extern "C" __global__ void ring(const float* in, float* out)
{
#if DEFECT == 3
    __shared__ __align__(16) float raw[3 * 64 + 1];
    float* tile = raw + 1;
#else
    __shared__ __align__(16) float tile[3 * 64];
#endif
    int t = threadIdx.x;
    const float* from = in + blockIdx.x * 512;
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
        if (t < 16) copy(tile + k * 64 + 4 * t, from + k * 64 + 4 * t);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int k = 0; k < 8; ++k) {
#if DEFECT == 1
        asm volatile("cp.async.wait_group 2;" ::: "memory");
#else
        asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
#if DEFECT != 4
        __syncthreads();
#endif
#if DEFECT == 2
        if (k + 2 < 8 && t < 16) copy(tile + (k + 3) % 3 * 64 + 4 * t, from + (k + 2) * 64 + 4 * t);
#else
        if (k + 2 < 8 && t < 16) copy(tile + (k + 2) % 3 * 64 + 4 * t, from + (k + 2) * 64 + 4 * t);
#endif
        asm volatile("cp.async.commit_group;" ::: "memory");
        sum += tile[k % 3 * 64 + 63 - t]; // <- use
    }
    out[blockIdx.x * 64 + t] = sum;
}
