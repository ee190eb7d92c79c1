// Small elements grow from the left, large ones from the right, by two counters; the places meet and never cross.
//@ run --entry split --grid 2 --block 64 --arg in:i32:128=iota --arg inout:i32:2=zeros --arg out:i32:128 --arg i32:128
//! clean
//! defect 1: race at place
//! defect 2: out_of_bounds at right
//! defect 3: race at right
extern "C" __global__ void split(const int* in, int* ends, int* out, int n)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x] * 77 % 128;
    if (v < 50) {
#if DEFECT == 1
        int at = ends[0]++; // <- place
#else
        int at = atomicAdd(&ends[0], 1); // <- place
#endif
        out[at] = v;
    } else {
        int at = atomicAdd(&ends[1], 1);
#if DEFECT == 2
        out[n - at] = v; // <- right
#elif DEFECT == 3
        out[n - 1 - at / 2] = v; // <- right
#else
        out[n - 1 - at] = v; // <- right
#endif
    }
}
