// A product of matrices by views of their tiles.
//@ run --entry product --grid 2,2 --block 4,4 --arg in:f32:8x8=iota --arg in:f32:8x8=iota --arg out:f32:8x8
//! clean
//! defect 1: race at tile and inner
//! defect 2: race at tile and inner
//! defect 3: race at result
struct View {
    float* at;
    int pitch;
    __device__ View sub(int row, int column) const { return {at + row * 4 * pitch + column * 4, pitch}; }
    __device__ float& operator()(int y, int x) const { return at[y * pitch + x]; }
};
extern "C" __global__ void product(float* a, float* b, float* c)
{
    __shared__ float as[4][4], bs[4][4];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
        as[y][x] = View{a, 8}.sub(blockIdx.y, k)(y, x); // <- tile
        bs[y][x] = View{b, 8}.sub(k, blockIdx.x)(y, x); // <- tile
#if DEFECT != 1
        __syncthreads();
#endif
        for (int j = 0; j < 4; ++j) sum += as[y][j] * bs[j][x]; // <- inner
#if DEFECT != 2
        __syncthreads();
#endif
    }
#if DEFECT == 3
    View{c, 8}.sub(blockIdx.y, 0)(y, x) = sum + blockIdx.x; // <- result
#else
    View{c, 8}.sub(blockIdx.y, blockIdx.x)(y, x) = sum; // <- result
#endif
}
