// Paths of an option: every thread walks some, a block adds two sums at once in two halves of one array.
//@ run --entry paths --grid 2 --block 64 --arg in:f32:256=iota --arg out:f32:4
//! clean
//! defect 1: race at keep|fold
//! defect 2: race at fold; also=out_of_bounds
//! defect 3: race at write
extern "C" __global__ void paths(const float* random, float* out)
{
    __shared__ float sums[2 * 64];
    int t = threadIdx.x;
    float sum = 0, squares = 0;
    for (int i = t; i < 128; i += 64) {
        float v = fmaxf(random[blockIdx.x * 128 + i] - 50, 0.f);
        sum += v;
        squares += v * v;
    }
    sums[t] = sum; // <- keep
    sums[t + 64] = squares; // <- keep
#if DEFECT != 1
    __syncthreads();
#endif
    for (unsigned half = 32; half != 0; half /= 2) {
#if DEFECT == 2
        if (t <= half) {
#else
        if (t < half) {
#endif
            sums[t] += sums[t + half]; // <- fold
            sums[t + 64] += sums[t + 64 + half]; // <- fold
        }
        __syncthreads();
    }
#if DEFECT == 3
    if (t < 2) out[t] = sums[t * 64]; // <- write
#else
    if (t < 2) out[blockIdx.x * 2 + t] = sums[t * 64];
#endif
}
