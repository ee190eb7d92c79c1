// Four components are loaded at once, three of them were set.
//@ run --entry norms --grid 1 --block 32 --arg in:f32:32=iota --arg out:f32:32
//! clean
//! defect 1: uninitialized_read at load|store
extern "C" __global__ void norms(const float* in, float* out)
{
    __shared__ float4 s[32];
    int t = threadIdx.x;
    s[t].x = in[t];
    s[t].y = in[t] + 1;
    s[t].z = in[t] + 2;
    __syncthreads();
    float4 v = s[31 - t]; // <- load
#if DEFECT
    out[t] = v.x + v.y + v.z + v.w; // <- store
#else
    out[t] = v.x + v.y + v.z;
#endif
}
