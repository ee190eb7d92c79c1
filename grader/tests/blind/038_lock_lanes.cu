// A spin lock among the lanes of one warp: the loop that finishes only if lanes make independent progress.
//@ run --entry lock_lanes --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:2
// save: 1
// reference: lock_lanes

extern "C" __global__ void lock_lanes(const int* in, int* out)
{
    __shared__ int lock, sum, visits;
    if (threadIdx.x == 0) {
        lock = 0;
        sum = 0;
        visits = 0;
    }
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence_block();
    sum += in[threadIdx.x];
    visits += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = visits;
    }
}
