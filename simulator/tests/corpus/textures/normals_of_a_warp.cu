// Colours of four bytes are read as parts of one; warps hand their lengths over in shared memory.
//@ run --entry normal --grid 1 --block 64 --arg texture:u8x4:4x16=iota,as-float,border --arg out:f32:64 --arg surface:f32x4:64
//! clean
//! defect 1: race at keep and take
//! defect 2: out_of_bounds at read
//! defect 3: misaligned at write
//! defect 4: race at keep and take
extern "C" __global__ void normal(cudaTextureObject_t image, float* out, cudaSurfaceObject_t lengths)
{
    __shared__ float kept[64];
    const int t = threadIdx.x;
#if DEFECT == 2
    const uchar4 colour = tex2D<uchar4>(image, t % 16, t / 16); // <- read
#else
    const float4 colour = tex2D<float4>(image, t % 16 - 2.0f, t / 16); // <- read
#endif
    kept[t] = colour.x * colour.x + colour.y * colour.y + colour.z * colour.z; // <- keep
#if DEFECT != 1
    __syncwarp();
#endif
#if DEFECT == 4
    const float other = kept[63 - t]; // <- take
#else
    const float other = kept[t ^ 31]; // <- take
#endif
    out[t] = other;
#if DEFECT == 3
    surf1Dwrite(make_float4(colour.x, colour.y, colour.z, other), lengths, 4 * t); // <- write
#else
    surf1Dwrite(make_float4(colour.x, colour.y, colour.z, other), lengths, 16 * t); // <- write
#endif
}
