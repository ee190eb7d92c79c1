// Blocks smooth their part in place; its edges belong to two of them.
//@ run --entry smooth --grid 3 --block 32 --arg inout:f32:98=iota
//! clean
//! defect 1: race at around and back
//! defect 2: race at keep and share
extern "C" __global__ void smooth(float* line)
{
    __shared__ float s[34];
    float* mine = line + blockIdx.x * 32;
    int t = threadIdx.x;
#if DEFECT == 1
    s[t + 1] = mine[t + 1];
    if (t < 2) s[t * 33] = mine[t * 33]; // <- around
#else
    s[t + 1] = mine[t + 1]; // <- keep
    if (t < 2) s[t * 33] = 0;
#endif
#if DEFECT != 2
    __syncwarp();
#endif
    float v = (s[t] + s[t + 1] + s[t + 2]) / 3; // <- share
    __syncwarp();
    mine[t + 1] = v; // <- back
}
