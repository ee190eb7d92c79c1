//@ run --entry read --grid 1 --block 32 --arg out:i32:6x32 --arg out:f32:6x32
//@ run --arg texture:u8x4:4x8=iota --arg texture:i8:32=iota --arg texture:i16x2:32=iota --arg texture:u32:32=iota
//@ run --arg texture:f16x4:2x32=iota --arg texture:u8:64=iota,as-float,linear --arg texture:i8:256=iota,as-float,memory
//@ run --arg texture:u16x2:32=iota,as-float --arg texture:f32:4x8=iota
// Texels of all types, as they are and as parts of one; four neighbours at once.
extern "C" __global__ void read(
    int* integers, float* floats, cudaTextureObject_t bytes, cudaTextureObject_t small, cudaTextureObject_t twice, cudaTextureObject_t words,
    cudaTextureObject_t halves, cudaTextureObject_t parts, cudaTextureObject_t signs, cudaTextureObject_t pairs, cudaTextureObject_t plane)
{
    const int t = threadIdx.x;
    const uchar4 four = tex2D<uchar4>(bytes, t % 8, t / 8);
    integers[t] = four.x + four.w;
    integers[32 + t] = tex1D<signed char>(small, t) - 40;
    const short2 two = tex1D<short2>(twice, t);
    integers[64 + t] = two.x * two.y;
    integers[96 + t] = tex1D<unsigned int>(words, t);
    unsigned int width, height;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(plane));
    asm("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(plane));
    integers[128 + t] = width;
    integers[160 + t] = height;
    const float4 half = tex2D<float4>(halves, t, 1);
    floats[t] = half.x + half.z;
    // Weighed by halves, between parts of 255.
    floats[32 + t] = tex1D<float>(parts, t + 1.0f);
    floats[64 + t] = tex1Dfetch<float>(signs, 112 + t);
    floats[96 + t] = tex1D<float2>(pairs, t + 0.5f).y;
    const float4 around = tex2Dgather<float4>(plane, t * 0.25f, t * 0.125f, 0);
    floats[128 + t] = around.x + 100 * around.y;
    floats[160 + t] = around.z + 100 * around.w;
}
