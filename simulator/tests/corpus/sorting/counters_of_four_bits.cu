// A counting pass over four bits: bins by atomics, their starts by a scan of one warp, places by atomics again.
//@ run --entry pass --grid 1 --block 96 --arg in:u32:96=iota --arg out:u32:96 --arg i32:2
//! clean
//! defect 1: race at clear and count
//! defect 2: race at count and start
//! defect 3: race at start and take
//! defect 4: out_of_bounds at count
//! defect 5: invalid_mask at up; also=uninitialized_read,race,out_of_bounds
extern "C" __global__ void pass(const unsigned* in, unsigned* out, int shift)
{
    __shared__ unsigned bin[16];
    int t = threadIdx.x;
    if (t < 16) bin[t] = 0; // <- clear
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 4
    unsigned d = in[t] >> shift;
#else
    unsigned d = in[t] >> shift & 15;
#endif
    atomicAdd(&bin[d], 1u); // <- count
#if DEFECT != 2
    __syncthreads();
#endif
#if DEFECT == 5
    if (t < 16) {
#else
    if (t < 32) {
#endif
        unsigned n = t < 16 ? bin[t] : 0, sum = n; // <- start
        for (int k = 1; k < 16; k *= 2) {
            unsigned up = __shfl_up_sync(~0u, sum, k); // <- up
            if (t >= k) sum += up;
        }
        if (t < 16) bin[t] = sum - n; // <- start
    }
#if DEFECT != 3
    __syncthreads();
#endif
    out[atomicAdd(&bin[d], 1u)] = in[t]; // <- take
}
