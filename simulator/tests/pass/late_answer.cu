//@ run --entry wait --grid 1 --block 64 --arg inout:i32:2=zeros
// One warp counts its rounds until the other, which computes for long, says that it is done.
extern "C" __global__ void wait(int* out) {
    __shared__ int done;
    if (threadIdx.x == 0) done = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int rounds = 0;
        while (atomicAdd(&done, 0) == 0) ++rounds;
        out[0] = rounds > 0;
    } else if (threadIdx.x == 32) {
        unsigned x = 1;
        for (int i = 0; i < 100000; ++i) x = x * 1664525 + 1013904223;
        out[1] = x;
        atomicExch(&done, 1);
    }
}
