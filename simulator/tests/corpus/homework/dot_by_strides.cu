// A dot product as in many first courses: strides over the grid, a tree in shared memory, one atomic a block.
//@ run --entry dot --grid 3 --block 64 --arg in:f32:500=iota --arg in:f32:500=ones --arg inout:f32:1=zeros --arg i32:500
//! clean
//! defect 1: race at keep and tree
//! defect 2: out_of_bounds at product
//! defect 3: race at total
//! defect 4: race at tree
extern "C" __global__ void dot(const float* a, const float* b, float* c, int n)
{
    __shared__ float cache[64];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    float temp = 0;
#if DEFECT == 2
    while (tid <= n) {
#else
    while (tid < n) {
#endif
        temp += a[tid] * b[tid]; // <- product
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp; // <- keep
#if DEFECT != 1
    __syncthreads();
#endif
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i]; // <- tree
#if DEFECT == 4
        if (i > 32)
#endif
        __syncthreads();
        i /= 2;
    }
#if DEFECT == 3
    if (cacheIndex == 0) *c += cache[0]; // <- total
#else
    if (cacheIndex == 0) atomicAdd(c, cache[0]);
#endif
}
