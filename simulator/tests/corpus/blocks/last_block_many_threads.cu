// All threads write parts, one of them takes the ticket: the barrier between makes its fence speak for all.
//@ run --entry collect --grid 3 --block 64 --arg in:i32:192=iota --arg inout:i32:192=zeros --arg inout:u32:1=zeros --arg out:i32:64
//! clean
//! defect 1: race at part and all
//! defect 2: race at flag and ask
extern "C" __global__ void collect(const int* in, int* parts, unsigned* arrived, int* out)
{
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    parts[i] = in[i] * 2; // <- part
#if DEFECT != 1
    __syncthreads();
#endif
    if (t == 0) {
        __threadfence();
        last = atomicAdd(arrived, 1) == gridDim.x - 1; // <- flag
        __threadfence();
    }
#if DEFECT != 2
    __syncthreads();
#endif
    if (last) { // <- ask
        int v = 0;
        for (int k = 0; k < gridDim.x; ++k) {
            v += parts[k * 64 + 63 - t]; // <- all
        }
        out[t] = v;
    }
}
