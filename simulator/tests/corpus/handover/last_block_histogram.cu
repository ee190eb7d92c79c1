// Block histograms are added up by the block that finishes last.
//@ run --entry histogram --grid 4 --block 64 --arg in:i32:256=iota --arg inout:i32:32=zeros --arg inout:u32:1=zeros --arg out:i32:8
//! clean
//! defect 1: race at part and sum
//! defect 2: race at mark and ask
//! defect 3: race at arrive
//! defect 4: race at bin
//! defect 5: race at part and sum
//! defect 6: race at clear and bin
extern "C" __global__ void histogram(const int* in, int* parts, unsigned* arrived, int* out)
{
    __shared__ int bins[8];
    __shared__ bool last;
    int t = threadIdx.x;
    if (t < 8) {
        bins[t] = 0; // <- clear
    }
#if DEFECT != 6
    __syncthreads();
#endif
#if DEFECT == 4
    bins[in[blockIdx.x * 64 + t] * 3 % 8]++; // <- bin
#else
    atomicAdd(&bins[in[blockIdx.x * 64 + t] * 3 % 8], 1); // <- bin
#endif
    __syncthreads();
    if (t < 8) {
        parts[blockIdx.x * 8 + t] = bins[t]; // <- part
    }
#if DEFECT == 5
    if (t == 40) __threadfence();
#endif
#if DEFECT != 1
    __syncthreads();
#endif
    if (t == 40) {
#if DEFECT != 5
        __threadfence();
#endif
#if DEFECT == 3
        unsigned before = (*arrived)++; // <- arrive
#else
        unsigned before = atomicAdd(arrived, 1);
#endif
        last = before == gridDim.x - 1; // <- mark
        __threadfence();
    }
#if DEFECT != 2
    __syncthreads();
#endif
    if (last && t < 8) { // <- ask
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b) {
            sum += parts[b * 8 + t]; // <- sum
        }
        out[t] = sum;
    }
}
