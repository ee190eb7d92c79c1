// Faster reductions: a warp by shuffles, the warps' sums by the first warp; two sums one after the other.
//@ run --entry sums --grid 2 --block 96 --arg in:i32:192=iota --arg in:i32:192=ones --arg out:i32:4
//! clean
//! defect 1: race at put and get
//! defect 2: uninitialized_read at get|down|final|result
//! defect 3: race at get and put
//! defect 4: invalid_mask at down; also=uninitialized_read
__inline__ __device__ int warpReduceSum(int val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(0xffffffff, val, offset); // <- down
    return val;
}
__inline__ __device__ int blockReduceSum(int val, int* shared)
{
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    val = warpReduceSum(val);
    if (lane == 0) shared[wid] = val; // <- put
#if DEFECT != 1
    __syncthreads();
#endif
#if DEFECT == 2
    val = shared[lane]; // <- get
#else
    val = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0; // <- get
#endif
#if DEFECT == 4
    if (threadIdx.x < blockDim.x / warpSize) val = warpReduceSum(val);
#else
    if (wid == 0) val = warpReduceSum(val); // <- final
#endif
#if DEFECT != 3
    __syncthreads();
#endif
    return val;
}
extern "C" __global__ void sums(const int* a, const int* b, int* out)
{
    __shared__ int shared[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockReduceSum(a[i], shared);
    int y = blockReduceSum(b[i], shared);
    if (threadIdx.x == 0) {
        out[blockIdx.x * 2] = x; // <- result
        out[blockIdx.x * 2 + 1] = y; // <- result
    }
}
