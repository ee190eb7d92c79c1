// Last warp done within a block: block-scope atomics and fences are enough where nobody else looks.
//@ run --entry last_warp --grid 3 --block 128 --arg in:i32:384=small_ints.npy --arg out:i32:3
// save: 1
// reference: last_warp

extern "C" __global__ void last_warp(const int* in, int* out)
{
    __shared__ int partial[4];
    __shared__ int done;
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) done = 0;
    __syncthreads();
    int sum = __reduce_add_sync(0xffffffffu, in[blockIdx.x * 128 + t]);
    if (lane == 0) {
        partial[t / 32] = sum;
        __threadfence_block();
        if (atomicAdd_block(&done, 1) == 3) {
            __threadfence_block();
            out[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
        }
    }
}
