// Tiles of a table that need the one to the left and the one above. Numbered by ticket along rows each waits only for those that have started.
//@ run --entry tiles --grid 4,4 --block 8 --arg inout:i32:33x33=zeros --arg inout:u32:16=zeros --arg inout:u32:1=zeros --budget 6000000
//! clean
//! defect 1: deadlock warning at left|above
//! defect 2: race at cell
//! defect 3: race at cell
extern "C" __global__ void tiles(int* s, unsigned* done, unsigned* ticket)
{
    __shared__ int number;
    int t = threadIdx.x;
    if (t == 0) {
#if DEFECT == 1
        number = blockIdx.y * 4 + blockIdx.x;
#else
        number = atomicAdd(ticket, 1u);
#endif
        int x = number % 4, y = number / 4;
#if DEFECT != 3
        if (x > 0) while (atomicAdd(&done[number - 1], 0u) == 0u) {} // <- left
#endif
        if (y > 0) while (atomicAdd(&done[number - 4], 0u) == 0u) {} // <- above
        __threadfence();
    }
    __syncthreads();
    int x0 = number % 4 * 8 + 1, y0 = number / 4 * 8 + 1;
    for (int d = 0; d < 15; ++d) {
        int y = d - t;
        if (y >= 0 && y < 8) {
            int* here = s + (y0 + y) * 33 + x0 + t;
            *here = max(here[-1], here[-33]) + 1; // <- cell
        }
        __syncthreads();
    }
    if (t == 0) {
#if DEFECT != 2
        __threadfence();
#endif
        atomicExch(&done[number], 1u);
    }
}
