// Two slots between two warps: the writer may be two ahead, never three.
//@ run --entry slots --grid 1 --block 64 --arg in:i32:16=iota --arg out:i32:16
//! clean
//! defect 1: race at put and get
extern "C" __global__ void slots(const int* in, int* out)
{
    __shared__ int slot[2];
    __shared__ int full, empty;
    int t = threadIdx.x;
    if (t == 0) full = empty = 0;
    __syncthreads();
#if DEFECT
    const int ahead = 3;
#else
    const int ahead = 2;
#endif
    if (t == 0) {
        for (int k = 0; k < 16; ++k) {
            while (k - atomicAdd(&empty, 0) >= ahead) {}
            __threadfence_block();
            slot[k % 2] = in[k]; // <- put
            __threadfence_block();
            atomicAdd(&full, 1);
        }
    } else if (t == 32) {
        for (int k = 0; k < 16; ++k) {
            while (atomicAdd(&full, 0) <= k) {}
            __threadfence_block();
            out[k] = slot[k % 2]; // <- get
            __threadfence_block();
            atomicAdd(&empty, 1);
        }
    }
}
