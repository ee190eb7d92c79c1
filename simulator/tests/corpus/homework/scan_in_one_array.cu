// An inclusive scan in one array: everybody reads, a barrier, everybody writes, a barrier.
//@ run --entry scan --grid 1 --block 128 --arg in:i32:128=iota --arg out:i32:128 --arg i32:128
//! clean
//! defect 1: race at read and write
//! defect 2: race at write and read
//! defect 3: race at fill and read
//! defect 4: barrier_divergence at inner|outer; also=race
//! defect 5: out_of_bounds at read; also=race,uninitialized_read
extern "C" __global__ void scan(const int* in, int* out, int n)
{
    __shared__ int temp[128];
    int tid = threadIdx.x;
    temp[tid] = tid < n ? in[tid] : 0; // <- fill
#if DEFECT != 3
    __syncthreads();
#endif
    for (int offset = 1; offset < n; offset *= 2) {
        int val = 0;
#if DEFECT == 5
        if (tid + 1 >= offset) val = temp[tid - offset]; // <- read
#else
        if (tid >= offset) val = temp[tid - offset]; // <- read
#endif
#if DEFECT == 4
        if (tid >= offset) {
            __syncthreads(); // <- inner
            temp[tid] += val;
        }
#else
#if DEFECT != 1
        __syncthreads();
#endif
        temp[tid] += val; // <- write
#endif
#if DEFECT != 2
        __syncthreads(); // <- outer
#endif
    }
    if (tid < n) out[tid] = temp[tid];
}
