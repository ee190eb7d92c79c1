// One thread of the block waits for a word that another block sets, going round a loop; the others wait for it at a barrier, which stands in a loop of its own.
//@ run --entry wait --grid 2 --block 64 --arg inout:i32:4=zeros --arg in:i32:128=iota --arg out:i32:128 --budget 4000000
//! clean
//! defect 1: race at give and take
//! defect 2: deadlock at poll
//! defect 3: race at give and take
extern "C" __global__ void wait(int* flags, const int* in, int* out)
{
    __shared__ int tries;
    int t = threadIdx.x, other = blockIdx.x ^ 1;
    volatile int* flag = flags;
    for (int k = 0; k < 2; ++k) {
        out[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] * (k + 1); // <- give
#if DEFECT != 3
        __threadfence();
#endif
        __syncthreads();
        if (t == 0) {
            flag[blockIdx.x] = 2 * k + 1;
            int n = 0;
#if DEFECT == 2
            while (flag[other] < 2 * k + 3) ++n; // <- poll
#else
            while (flag[other] < 2 * k + 1) ++n; // <- poll
#endif
            tries = n;
            __threadfence();
        }
#if DEFECT != 1
        __syncthreads();
#endif
        int v = out[other * 64 + t]; // <- take
        if (v < 0 || tries < 0) out[blockIdx.x * 64 + t] = -1;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            flag[blockIdx.x] = 2 * k + 2;
            while (flag[other] < 2 * k + 2) {
            }
            __threadfence();
        }
        __syncthreads();
    }
}
