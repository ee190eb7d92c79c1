// A Sobol sequence: each block has the direction numbers of one dimension; a thread jumps by the grid's power of two.
//@ run --entry sobol --grid 2,2 --block 32 --arg in:u32:64=iota --arg out:f32:512 --arg i32:256
//! clean
//! defect 1: race at fetch and first
//! defect 2: race at put
//! defect 3: out_of_bounds at put; also=race
extern "C" __global__ void sobol(const unsigned* directions, float* out, int n)
{
    __shared__ unsigned v[32];
    directions += 32 * blockIdx.y;
    out += n * blockIdx.y;
    v[31 - threadIdx.x] = directions[threadIdx.x]; // <- fetch
#if DEFECT != 1
    __syncthreads();
#endif
    int i0 = threadIdx.x + blockIdx.x * blockDim.x, stride = gridDim.x * blockDim.x;
    unsigned g = i0 ^ (i0 >> 1), x = 0;
    for (int k = 0; k < __ffs(stride) - 1; ++k) {
        if (g & 1u << k) x ^= v[k]; // <- first
    }
#if DEFECT == 2
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = x + blockIdx.x; // <- put
#elif DEFECT == 3
    for (int i = i0; i < n + stride; i += stride) {
        out[i] = x; // <- put
#else
    for (int i = i0; i < n; i += stride) {
        out[i] = x;
#endif
        x ^= v[__ffs(stride) - 1] ^ v[i & 31];
    }
}
