// The first to come fills a table for its block, the others wait until it is marked full.
//@ run --entry table --grid 1 --block 96 --arg out:i32:96
//! clean
//! defect 1: race at fill and use
extern "C" __global__ void table(int* out)
{
    __shared__ int values[8];
    __shared__ int state;
    int t = threadIdx.x;
    if (t == 0) state = 0;
    __syncthreads();
    if (t % 32 == 0) {
        if (atomicCAS(&state, 0, 1) == 0) {
            for (int k = 0; k < 8; ++k) {
                values[k] = k * 7; // <- fill
            }
            __threadfence_block();
            atomicExch(&state, 2);
        }
#if !DEFECT
        while (atomicAdd(&state, 0) != 2) {}
        __threadfence_block();
#endif
        out[t] = values[t / 32]; // <- use
    }
}
