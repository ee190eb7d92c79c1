// A barrier of the grid without atomics: every block writes its word of one array, block 0 looks at all and answers in another.
//@ run --entry steps --grid 6 --block 32 --arg inout:i32:192=iota --arg out:i32:192 --arg inout:i32:6=zeros --arg inout:i32:6=zeros --budget 4000000
//! clean
//! defect 1: race at first and second
//! defect 2: deadlock at answer|gather
//! defect 3: race at first and second
//! defect 4: race at first and second
__device__ void grid_barrier(int goal, volatile int* arrived, volatile int* answered)
{
    int t = threadIdx.x;
#if DEFECT != 1
    __threadfence();
#endif
    __syncthreads();
    if (t == 0) arrived[blockIdx.x] = goal;
    if (blockIdx.x == 0) {
        if (t < gridDim.x) {
#if DEFECT != 4
            while (arrived[t] != goal) {} // <- gather
#endif
#if DEFECT != 3
            __threadfence();
#endif
        }
        __syncthreads();
#if DEFECT == 2
        if (t < gridDim.x - 1) {
#else
        if (t < gridDim.x) {
#endif
            __threadfence();
            answered[t] = goal;
        }
    }
    if (t == 0) {
        while (answered[blockIdx.x] != goal) {} // <- answer
#if DEFECT != 3
        __threadfence();
#endif
    }
    __syncthreads();
}
extern "C" __global__ void steps(int* a, int* out, int* arrived, int* answered)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    a[i] = a[i] * 3; // <- first
    grid_barrier(1, arrived, answered);
    out[i] = a[191 - i]; // <- second
    grid_barrier(2, arrived, answered);
    a[i] = out[191 - i];
}
//! label 3: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
