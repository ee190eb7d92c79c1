// y = a x + y in vectors of four, the rest one by one; all in strides over the grid.
//@ run --entry saxpy --grid 2 --block 32 --arg in:f32:203=iota --arg inout:f32:203=ones --arg i32:203
//! clean
//! defect 1: out_of_bounds at vector
//! defect 2: misaligned at vector; arg0=in:f32:204=iota arg1=same:0+1
//! defect 3: out_of_bounds at rest
//! defect 4: race at vector and rest
extern "C" __global__ void saxpy(const float* x, float* y, int n)
{
    int start = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
#if DEFECT == 1
    int vectors = (n + 3) / 4;
#else
    int vectors = n / 4;
#endif
    for (int i = start; i < vectors; i += stride) {
        float4 a = reinterpret_cast<const float4*>(x)[i]; // <- vector
        float4 b = reinterpret_cast<float4*>(y)[i]; // <- vector
        b.x += 2 * a.x;
        b.y += 2 * a.y;
        b.z += 2 * a.z;
        b.w += 2 * a.w;
        reinterpret_cast<float4*>(y)[i] = b; // <- vector
    }
#if DEFECT == 3
    for (int i = n / 4 * 4 + start; i <= n; i += stride) y[i] += 2 * x[i]; // <- rest
#elif DEFECT == 4
    for (int i = n / 4 * 4 - 4 + start; i < n; i += stride) y[i] += 2 * x[i]; // <- rest
#else
    for (int i = n / 4 * 4 + start; i < n; i += stride) y[i] += 2 * x[i]; // <- rest
#endif
}
