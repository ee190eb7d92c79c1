// A small image is enlarged through a filter, by coordinates from 0 to 1 that repeat it.
//@ run --entry enlarge --grid 3,3 --block 8,8 --arg texture:f32:6x5=iota,linear,wrap,normalized --arg out:f32:18x20 --arg i32:20 --arg i32:18
//! clean
//! defect 1: race at store and store
//! defect 2: out_of_bounds at store; also=race
//! defect 3: race at store and store; --grid 3,3,2
extern "C" __global__ void enlarge(cudaTextureObject_t image, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#if DEFECT == 2
    if (x > width || y > height) return;
#else
    if (x >= width || y >= height) return;
#endif
#if DEFECT == 1
    const int pitch = width - 4;
#else
    const int pitch = width;
#endif
    // Twice as wide as the image, so that it repeats.
    const float u = 2 * (x + 0.5f) / width, v = (y + 0.5f) / height;
    out[y * pitch + x] = tex2D<float>(image, u, v) + blockIdx.z; // <- store
}
