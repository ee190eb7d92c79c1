// Rows are packed into blocks of at most 64 entries; products go to shared memory and each row is summed by a thread of its own, or by all if a row fills the block.
//@ run --entry stream --grid 3 --block 64 --arg in:i32:4=values:0,6,7,12 --arg in:i32:13=values:0,3,3,20,30,31,40,104,110,111,130,131,140 --arg in:f32:140=iota --arg out:f32:12
//! clean
//! defect 1: race at product and row_sum
//! defect 2: race at fold and fold|product
//! defect 3: out_of_bounds at product
//! defect 4: barrier_divergence at wait; also=race
extern "C" __global__ void stream(const int* parts, const int* starts, const float* values, float* y)
{
#if DEFECT == 3
    __shared__ float s[48];
#else
    __shared__ float s[64];
#endif
    int first = parts[blockIdx.x], last = parts[blockIdx.x + 1], t = threadIdx.x;
    int begin = starts[first], many = starts[last] - begin;
    if (last - first > 1) {
        if (t < many) s[t] = values[begin + t] * 0.5f; // <- product
#if DEFECT != 1
        __syncthreads();
#endif
        for (int row = first + t; row < last; row += blockDim.x) {
            float sum = 0;
            for (int k = starts[row] - begin; k < starts[row + 1] - begin; ++k) sum += s[k]; // <- row_sum
            y[row] = sum;
        }
    } else {
        float sum = 0;
        for (int k = t; k < many; k += blockDim.x) sum += values[begin + k] * 0.5f;
        s[t] = sum; // <- product
        for (int d = 32; d > 0; d /= 2) {
#if DEFECT == 2
            __syncwarp();
#elif DEFECT == 4
            if (t < 2 * d) __syncthreads(); // <- wait
#else
            __syncthreads();
#endif
            if (t < d) s[t] += s[t + d]; // <- fold
        }
        if (t == 0) y[first] = s[0]; // <- whole
    }
}
