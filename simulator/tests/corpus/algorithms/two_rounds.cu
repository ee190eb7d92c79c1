// "The last block sums up", twice in one launch of resident blocks; the counter goes on counting instead of being reset.
//@ run --entry rounds --grid 3 --block 64 --cooperative --arg in:i32:192=iota --arg inout:i32:6=zeros --arg inout:u32:1=zeros --arg inout:i32:2=zeros --arg inout:i32:1=zeros --arg out:i32:192
//! clean
//! defect 1: race at part and all
//! defect 2: race at result and read
extern "C" __global__ void rounds(const int* in, int* parts, unsigned* arrived, int* result, int* done, int* out)
{
    __shared__ int s[2];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, v = in[i];
    for (int round = 0; round < 2; ++round) {
        int sum = v;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (t % 32 == 0) s[t / 32] = sum;
        __syncthreads();
        if (t == 0) {
            parts[round * 3 + blockIdx.x] = s[0] + s[1]; // <- part
#if DEFECT == 1
            if (round == 0) __threadfence();
#else
            __threadfence();
#endif
            bool last = atomicAdd(arrived, 1u) == 3 * round + 2;
            __threadfence();
            if (last) {
                int all = 0;
                for (int k = 0; k < 3; ++k) {
                    all += parts[round * 3 + k]; // <- all
                }
                result[round] = all; // <- result
                __threadfence();
                atomicExch(done, round + 1);
            }
            while (atomicAdd(done, 0) <= round) {}
            __threadfence();
        }
#if DEFECT != 2
        __syncthreads();
#endif
        v += result[round]; // <- read
        __syncthreads();
    }
    out[i] = v;
}
