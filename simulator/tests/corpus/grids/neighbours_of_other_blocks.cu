// A stencil from one buffer to another: reading the neighbours' cells is fine, writing into them is not.
//@ run --entry stencil --grid 4 --block 16 --arg inout:i32:64=iota --arg out:i32:64 --arg i32:64
//! clean
//! defect 1: race at put
//! defect 2: race at look and back
//! defect 3: out_of_bounds at look
extern "C" __global__ void stencil(int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 3
    int v = in[i] + in[i + 1]; // <- look
#else
    int v = in[i] + (i + 1 < n ? in[i + 1] : 0); // <- look
#endif
#if DEFECT == 1
    out[i] = v; // <- put
    if (threadIdx.x == 15 && i + 1 < n) out[i + 1] = v + 1; // <- put
#else
    out[i] = v; // <- put
#endif
#if DEFECT == 2
    __syncthreads();
    in[i] = v; // <- back
#endif
}
