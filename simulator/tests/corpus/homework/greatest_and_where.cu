// The greatest value and its index: a tree over two arrays that belong together, the end by one warp.
//@ run --entry argmax --grid 1 --block 128 --arg in:f32:128=iota --arg out:f32:1 --arg out:i32:1
//! clean
//! defect 1: race at fill and choose
//! defect 2: race at choose and finish
//! defect 3: race at finish and last
//! defect 4: race at result and result
extern "C" __global__ void argmax(const float* in, float* best, int* where)
{
    __shared__ float value[128];
    __shared__ int index[128];
    int t = threadIdx.x;
    value[t] = in[t]; // <- fill
    index[t] = t; // <- fill
#if DEFECT != 1
    __syncthreads();
#endif
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (t < s && value[t + s] > value[t]) { // <- choose
            value[t] = value[t + s]; // <- choose
            index[t] = index[t + s]; // <- choose
        }
#if DEFECT == 2
        if (s > 64) __syncthreads();
#else
        __syncthreads();
#endif
    }
    if (t < 32) {
        for (int s = 32; s > 0; s >>= 1) {
            float other = value[t + s]; // <- finish
            int at = index[t + s]; // <- finish
            __syncwarp();
            if (t < s && other > value[t]) { // <- last
                value[t] = other; // <- last
                index[t] = at; // <- last
            }
#if DEFECT != 3
            __syncwarp();
#endif
        }
    }
#if DEFECT == 4
    if (t < 2) {
#else
    if (t == 0) {
#endif
        *best = value[0]; // <- result
        *where = index[0] + t; // <- result
    }
}
