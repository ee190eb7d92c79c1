// A stencil in one dimension: a block's elements and three to each side in shared memory, the halo by the first threads.
//@ run --entry stencil --grid 3 --block 32 --arg in:i32:102=iota --arg out:i32:102
//! clean
//! defect 1: race at centre|halo and sum
//! defect 2: out_of_bounds at halo; arg0=in:i32:99=iota
//! defect 3: uninitialized_read at sum|result
//! defect 4: race at result
//! defect 5: out_of_bounds at sum
#define RADIUS 3
#define BLOCK_SIZE 32
extern "C" __global__ void stencil(const int* in, int* out)
{
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int lindex = threadIdx.x + RADIUS;
    temp[lindex] = in[gindex]; // <- centre
#if DEFECT == 3
    if (threadIdx.x < RADIUS - 1) {
#else
    if (threadIdx.x < RADIUS) {
#endif
        temp[lindex - RADIUS] = in[gindex - RADIUS]; // <- halo
        temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE]; // <- halo
    }
#if DEFECT != 1
    __syncthreads();
#endif
    int result = 0;
#if DEFECT == 5
    for (int offset = -RADIUS; offset <= RADIUS + 1; offset++) result += temp[lindex + offset]; // <- sum
#else
    for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset]; // <- sum
#endif
#if DEFECT == 4
    out[threadIdx.x + RADIUS] = result; // <- result
#else
    out[gindex] = result; // <- result
#endif
}
