// A stencil over a small cube, one block of three axes for each layer pair; the cells beyond the faces count as zero.
//@ run --entry spread --grid 1,1,2 --block 6,5,2 --arg in:f32:4x5x6=iota --arg out:f32:4x5x6
//! clean
//! defect 1: out_of_bounds at above
//! defect 2: out_of_bounds at left
struct Shape {
    int x, y, z;
    __device__ int at(int i, int j, int k) const { return (k * y + j) * x + i; }
};
extern "C" __global__ void spread(const float* in, float* out)
{
    const Shape s{6, 5, 4};
    int i = threadIdx.x, j = threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
    float v = in[s.at(i, j, k)] * -6;
#if DEFECT == 2
    if (i + j + k > 0 || i >= 0) v += in[s.at(i, j, k) - 1]; // <- left
#else
    if (i > 0) v += in[s.at(i - 1, j, k)]; // <- left
#endif
    if (i + 1 < s.x) v += in[s.at(i + 1, j, k)];
    if (j > 0) v += in[s.at(i, j - 1, k)];
    if (j + 1 < s.y) v += in[s.at(i, j + 1, k)];
    if (k > 0) v += in[s.at(i, j, k - 1)];
#if DEFECT == 1
    if (k < s.z) v += in[s.at(i, j, k + 1)]; // <- above
#else
    if (k + 1 < s.z) v += in[s.at(i, j, k + 1)]; // <- above
#endif
    out[s.at(i, j, k)] = v;
}
