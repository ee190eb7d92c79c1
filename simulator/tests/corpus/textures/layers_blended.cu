// Layers of an image are blended by weights, into a surface of as many layers: a block makes a row of one of them.
//@ run --entry blend --grid 4,3 --block 16 --arg texture:f32:3x4x16=iota,layered,border --arg surface:f32:3x4x16,layered --arg in:f32:3=values:0.5,0.25,0.25
//! clean
//! defect 1: out_of_bounds at read
//! defect 2: race at write and write
//! defect 3: uninitialized_read at begin|write
//! defect 4: out_of_bounds at weight
extern "C" __global__ void blend(cudaTextureObject_t from, cudaSurfaceObject_t to, const float* weights)
{
    const int x = threadIdx.x, y = blockIdx.x, first = blockIdx.y;
#if DEFECT == 3
    float sum = surf2DLayeredread<float>(to, 4 * x, y, first); // <- begin
#else
    float sum = 0;
#endif
#if DEFECT == 4
    for (int k = 0; k <= 3; ++k) {
#else
    for (int k = 0; k < 3; ++k) {
#endif
#if DEFECT == 1
        const int layer = first + k;
#else
        const int layer = (first + k) % 3;
#endif
        // One to the right: at the border there is zero.
        const float texel = tex2DLayered<float>(from, x + 1.5f, y + 0.5f, layer); // <- read
        sum += weights[k] * texel; // <- weight
    }
#if DEFECT == 2
    surf2DLayeredwrite(sum, to, 4 * x, y, 0); // <- write
#else
    surf2DLayeredwrite(sum, to, 4 * x, y, first); // <- write
#endif
}
