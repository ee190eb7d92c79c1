// A convolution with weights in constant memory, no shared memory, ghosts left out.
//@ run --entry convolve --grid 2 --block 32 --arg in:f32:60=iota --arg out:f32:60 --arg i32:60
//! clean
//! defect 1: out_of_bounds at tap
//! defect 2: out_of_bounds at tap
//! defect 3: out_of_bounds at write
//! defect 4: race at tap and write; arg1=same:0
__constant__ float weight[7] = {1, 2, 3, 4, 3, 2, 1};
extern "C" __global__ void convolve(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#if DEFECT == 1
    for (int j = 0; j <= 7; ++j) {
#else
    for (int j = 0; j < 7; ++j) {
#endif
        int at = i - 3 + j;
#if DEFECT == 2
        if (at < n) sum += in[at] * weight[j]; // <- tap
#else
        if (at >= 0 && at < n) sum += in[at] * weight[j]; // <- tap
#endif
    }
#if DEFECT == 3
    out[i] = sum; // <- write
#else
    if (i < n) out[i] = sum; // <- write
#endif
}
