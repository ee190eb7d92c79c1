// Last-block-done sum without the fence between publishing the partial and drawing the ticket.
//@ run --entry last_block --grid 9 --block 32 --arg in:i32:288=small_ints.npy --arg inout:i32:9=zeros
//@ run --arg out:i32:1
// expect: race error global @ publish|collect

__device__ unsigned arrived;

extern "C" __global__ void last_block(const int* in, int* partial, int* out)
{
    int sum = __reduce_add_sync(0xffffffffu, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum; // <- publish
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            __threadfence();
            int total = 0;
            for (int b = 0; b < gridDim.x; ++b) {
                total += partial[b]; // <- collect
            }
            out[0] = total;
        }
    }
}
