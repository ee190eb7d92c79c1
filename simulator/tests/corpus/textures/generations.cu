// Life by one generation: the last is a texture whose edges meet, and the next a surface.
//@ run --entry live --grid 2,2 --block 8,8 --arg texture:u8:16x16=iota,wrap,as-float,normalized --arg surface:u8:16x16 --arg i32:16
//! clean
//! defect 1: race at second and write
//! defect 2: race at look and write; arg1=surface:same:0
//! defect 3: out_of_bounds at write; --grid 3,2
//! defect 4: race at write and write; --grid 3,2
__device__ bool alive(float value) { return (int)(value * 255.0f + 0.5f) % 3 == 1; }
extern "C" __global__ void live(cudaTextureObject_t last, cudaSurfaceObject_t next, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
#if DEFECT == 4
    x = min(x, size - 1);
#elif DEFECT != 3
    if (x >= size || y >= size) return;
#endif
    int around = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy) around += alive(tex2D<float>(last, (x + dx + 0.5f) / size, (y + dy + 0.5f) / size)); // <- look
    const bool was = alive(tex2D<float>(last, (x + 0.5f) / size, (y + 0.5f) / size)); // <- look
    const bool lives = around == 3 || was && around == 2;
#if DEFECT == 4
    surf2Dwrite((unsigned char)(lives + 2 * threadIdx.x), next, x, y); // <- write
#else
    surf2Dwrite((unsigned char)lives, next, x, y); // <- write
#endif
#if DEFECT == 1
    __syncthreads();
    const unsigned char right = surf2Dread<unsigned char>(next, x ^ 1, y); // <- second
    __syncthreads();
    if (right > 1) surf2Dwrite((unsigned char)0, next, x, y);
#endif
}
