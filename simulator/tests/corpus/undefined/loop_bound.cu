// The number of rounds comes from shared memory that one block size does not fill.
//@ run --entry rounds --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64
//! clean
//! defect 1: uninitialized_read at loop|store; --block 32
extern "C" __global__ void rounds(const int* in, int* out)
{
    __shared__ int bound;
    int t = threadIdx.x, sum = 0;
    if (t == 40) bound = in[5];
    __syncthreads();
    for (int k = 0; k < bound; ++k) { // <- loop
        sum += k;
    }
    out[t] = sum; // <- store
}
