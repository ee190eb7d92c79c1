// A flag between blocks done right: data, barrier, fence, volatile flag; volatile spin, fence, barrier, data.
//@ run --entry volatile_flag --grid 2 --block 64 --arg in:i32:64=small_ints.npy --arg inout:i32:64=zeros
//@ run --arg out:i32:64
// save: 2
// reference: volatile_flag

__device__ volatile int ready;

extern "C" __global__ void volatile_flag(const int* in, int* data, int* out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = in[t] * 7;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            ready = 1;
        }
    } else {
        if (t == 0) {
            while (ready == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[t] = data[63 - t];
    }
}
