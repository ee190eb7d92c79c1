// How much of a square a circle takes: every thread has its own generator; hits are added up in a block and then over blocks.
//@ run --entry pi --grid 2 --block 64 --arg inout:u32:100=iota --arg inout:u32:1=zeros --arg i32:100 --arg i32:20
//! clean
//! defect 1: out_of_bounds at seed
//! defect 2: race at mine and sum
//! defect 3: barrier_divergence at each|store; also=race,uninitialized_read
//! defect 4: race at total
extern "C" __global__ void pi(unsigned* state, unsigned* hits, int n, int trials)
{
    __shared__ unsigned count[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned inside = 0;
#if DEFECT == 1
    if (i <= n) {
#else
    if (i < n) {
#endif
        unsigned s = state[i]; // <- seed
        for (int k = 0; k < trials; ++k) {
            s = s * 1664525u + 1013904223u;
            float x = (s >> 8) * (1.0f / 16777216.0f);
            s = s * 1664525u + 1013904223u;
            float y = (s >> 8) * (1.0f / 16777216.0f);
            if (x * x + y * y <= 1.0f) ++inside;
#if DEFECT == 3
            __syncthreads(); // <- each
#endif
        }
        state[i] = s; // <- seed
    }
    count[threadIdx.x] = inside; // <- mine
#if DEFECT != 2
    __syncthreads(); // <- store
#endif
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int k = 0; k < 64; ++k) sum += count[k]; // <- sum
#if DEFECT == 4
        hits[0] = hits[0] + sum; // <- total
#else
        atomicAdd(hits, sum);
#endif
    }
}
