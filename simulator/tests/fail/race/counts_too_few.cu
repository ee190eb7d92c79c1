//@ run --entry reversed --grid 1 --block 128 --arg out:i32:128
// All 128 threads meet at a barrier that waits for 64: each half goes on without the other.
extern "C" __global__ void reversed(int* out)
{
    __shared__ int tile[128];
    for (int round = 0; round < 2; ++round) {
        tile[threadIdx.x] = threadIdx.x + round;
        asm volatile("barrier.sync.aligned 1, 64;" ::: "memory");
        out[threadIdx.x] = tile[127 - threadIdx.x];
        __syncthreads();
    }
}
