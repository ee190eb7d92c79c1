// Two extern arrays both start at the beginning of the dynamic shared memory.
//@ run --entry names --grid 1 --block 64 --shared 512 --arg in:i32:64=iota --arg out:f32:64
//! clean
//! defect 1: race at ints and floats
extern __shared__ int ints[];
extern __shared__ float floats[];
extern "C" __global__ void names(const int* in, float* out)
{
    int t = threadIdx.x;
    ints[t] = in[t]; // <- ints
#if DEFECT
    int shift = 0;
#else
    int shift = 64;
#endif
    floats[63 - t + shift] = in[t] * 0.25f; // <- floats
    __syncthreads();
    out[t] = ints[63 - t] + floats[shift + t];
}
