// Leapfrog of a wave over the whole grid: three time levels take turns, the blocks meet after each step.
//@ run --entry wave --grid 4 --block 32 --arg inout:f32:128=ones --arg inout:f32:128=ones --arg inout:f32:128=zeros --cooperative
//! clean
//! defect 1: race at step
//! defect 2: race at step
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void wave(float* before, float* now, float* next)
{
    auto grid = cg::this_grid();
    int n = 128, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 5; ++k) {
        if (i > 0 && i < n - 1) {
            next[i] = 2 * now[i] - before[i] + 0.25f * (now[i - 1] - 2 * now[i] + now[i + 1]); // <- step
        }
#if DEFECT == 1
        __syncthreads();
#else
        grid.sync();
#endif
#if DEFECT == 2
        // The level that was just read is overwritten in place of the oldest.
        float* spare = now;
        now = next;
        next = spare;
        before = spare;
        if (i > 0 && i < n - 1) next[i] = now[i + 1] * 0.5f + next[i - 1]; // <- step
#else
        float* oldest = before;
        before = now;
        now = next;
        next = oldest;
#endif
    }
}
