// Rotations of pairs of rows; the pairs of one step are disjoint, round robin.
//@ run --entry rotate --grid 1 --block 32 --arg inout:f32:64=iota
//! clean
//! defect 1: race at rotate
//! defect 2: race at rotate
extern "C" __global__ void rotate(float* a)
{
    __shared__ float s[8][8];
    int t = threadIdx.x;
    for (int i = t; i < 64; i += 32) s[i / 8][i % 8] = a[i];
    __syncthreads();
    int pair = t / 8, c = t % 8;
    for (int step = 0; step < 7; ++step) {
        int p = pair == 0 ? 7 : (step + pair) % 7;
#if DEFECT == 1
        int q = (step + 8 - pair) % 7;
#else
        int q = (step + 7 - pair) % 7;
#endif
        float x = s[p][c], y = s[q][c]; // <- rotate
        s[p][c] = 0.8f * x + 0.6f * y; // <- rotate
        s[q][c] = 0.8f * y - 0.6f * x; // <- rotate
#if DEFECT != 2
        __syncwarp();
#endif
    }
    for (int i = t; i < 64; i += 32) a[i] = s[i / 8][i % 8];
}
