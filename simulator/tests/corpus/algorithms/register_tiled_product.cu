// A product with 2 by 2 results a thread and two stages of shared tiles: fetch into registers, compute, store, one barrier.
//@ run --entry product --grid 2,2 --block 8,8 --arg in:f32:32x32=iota --arg in:f32:32x32=iota --arg out:f32:32x32
//! clean
//! defect 1: race at left|right|use
//! defect 2: race at left|right|use
extern "C" __global__ void product(const float* a, const float* b, float* c)
{
    __shared__ float l[2][16][8], r[2][8][16];
    int x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
    int row0 = blockIdx.y * 16, column0 = blockIdx.x * 16;
    float sum[2][2] = {};
    int stage = 0;
    for (int k = t; k < 128; k += 64) {
        l[0][k / 8][k % 8] = a[(row0 + k / 8) * 32 + k % 8];
        r[0][k / 16][k % 16] = b[k / 16 * 32 + column0 + k % 16];
    }
    __syncthreads();
    for (int k0 = 0; k0 < 32; k0 += 8) {
        float fa[2], fb[2];
        bool more = k0 + 8 < 32;
        if (more) {
            for (int q = 0; q < 2; ++q) {
                int k = t + 64 * q;
                fa[q] = a[(row0 + k / 8) * 32 + k0 + 8 + k % 8];
                fb[q] = b[(k0 + 8 + k / 16) * 32 + column0 + k % 16];
            }
        }
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) {
                    sum[i][j] += l[stage][y + 8 * i][k] * r[stage][k][x + 8 * j]; // <- use
                }
        if (more) {
            for (int q = 0; q < 2; ++q) {
                int k = t + 64 * q;
#if DEFECT == 1
                l[stage][k / 8][k % 8] = fa[q]; // <- left
                r[stage][k / 16][k % 16] = fb[q]; // <- right
#else
                l[1 - stage][k / 8][k % 8] = fa[q]; // <- left
                r[1 - stage][k / 16][k % 16] = fb[q]; // <- right
#endif
            }
#if DEFECT == 2
            if (k0 < 16) __syncthreads();
#else
            __syncthreads();
#endif
#if DEFECT != 1
            stage = 1 - stage;
#endif
        }
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) c[(row0 + y + 8 * i) * 32 + column0 + x + 8 * j] = sum[i][j];
}
