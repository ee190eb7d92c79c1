// An image is blurred: a block stages its tile with a border from a texture, which gives the texel at the edge for what lies outside.
//@ run --entry blur --grid 3,2 --block 8,8 --arg texture:f32:12x20=iota --arg out:f32:12x20 --arg i32:20 --arg i32:12
//! clean
//! defect 1: race at fill and sum
//! defect 2: out_of_bounds at store
//! defect 3: uninitialized_read at sum|store
extern "C" __global__ void blur(cudaTextureObject_t image, float* out, int width, int height)
{
    __shared__ float tile[10][10];
    const int x0 = blockIdx.x * 8 - 1, y0 = blockIdx.y * 8 - 1;
    const int own = threadIdx.y * 8 + threadIdx.x;
#if DEFECT == 3
    const int staged = 64;
#else
    const int staged = 100;
#endif
    for (int k = own; k < staged; k += 64)
        tile[k / 10][k % 10] = tex2D<float>(image, x0 + k % 10 + 0.5f, y0 + k / 10 + 0.5f); // <- fill
#if DEFECT != 1
    __syncthreads();
#endif
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    float total = 0;
    for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx) total += tile[threadIdx.y + dy][threadIdx.x + dx]; // <- sum
#if DEFECT == 2
    if (x < width)
#else
    if (x < width && y < height)
#endif
        out[y * width + x] = total / 9; // <- store
}
