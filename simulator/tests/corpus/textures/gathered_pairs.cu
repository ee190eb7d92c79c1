// The largest of each four texels, which one read gathers; the second channel of a texel by itself.
//@ run --entry pool --grid 2 --block 8,4 --arg texture:f32x2:8x32=iota --arg out:f32:2x4x16
//! clean
//! defect 1: out_of_bounds at gather; arg0=texture:f32:8x32=iota
//! defect 2: race at store and store
//! defect 3: uninitialized_read at store; arg0=texture:f32:8x32=iota
//! defect 4: out_of_bounds at store; also=race
__device__ float largest(float4 of) { return fmaxf(fmaxf(of.x, of.y), fmaxf(of.z, of.w)); }
extern "C" __global__ void pool(cudaTextureObject_t image, float* out)
{
    const int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y;
    const float4 first = tex2Dgather<float4>(image, 2 * x + 1.0f, 2 * y + 1.0f, 0);
#if DEFECT == 1
    const float4 second = tex2Dgather<float4>(image, 2 * x + 1.0f, 2 * y + 1.0f, 1); // <- gather
    const float alone = largest(second);
#elif DEFECT == 3
    const float alone = tex2D<float2>(image, 2 * x, 2 * y).y;
#else
    const float4 second = tex2Dgather<float4>(image, 2 * x + 1.0f, 2 * y + 1.0f, 1); // <- gather
    const float alone = largest(second) + tex2D<float2>(image, 2 * x, 2 * y).y;
#endif
#if DEFECT == 2
    out[y * 8 + x] = largest(first); // <- store
#elif DEFECT == 4
    out[y * 32 + x + 64] = largest(first); // <- store
#else
    out[y * 16 + x] = largest(first); // <- store
#endif
    out[64 + y * 16 + x] = alone; // <- store
}
