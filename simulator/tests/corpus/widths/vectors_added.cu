// Sums of four floats are added to as vectors by both blocks, which is one atomic on each element; so single elements may be added to beside it.
//@ run --entry sums --grid 2 --block 64 --arg in:f32:128=iota --arg inout:f32:32=zeros --arg out:f32:32
//! clean
//! defect 1: race at vector and plain
//! defect 2: race at vector and wide
//! defect 3: out_of_bounds at vector
extern "C" __global__ void sums(const float* in, float4* sum, float4* out)
{
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    float v = in[i];
#if DEFECT == 3
    float4 before = atomicAdd(&sum[t % 9], make_float4(v, 1.0f, v * v, 0.5f)); // <- vector
#else
    float4 before = atomicAdd(&sum[t % 8], make_float4(v, 1.0f, v * v, 0.5f)); // <- vector
#endif
    if (t % 5 == 0) {
#if DEFECT == 1
        sum[t % 8].y = 0; // <- plain
#elif DEFECT == 2
        atomicMax((unsigned long long*)&sum[t % 8].z, 1ull); // <- wide
#else
        atomicAdd(&sum[t % 8].y, 2.0f);
#endif
    }
    atomicAdd((float2*)&sum[t % 8] + 1, make_float2(1.0f, 2.0f));
    if (t % 16 == 0) out[i / 16] = before;
}
