// Dynamic programming over a table in tiles: a tile waits for its left and its upper neighbour. Tiles are drawn along diagonals.
//@ run --entry table --grid 36 --block 16 --shared 0 --arg inout:i32:97x97=zeros --arg inout:i32:36=zeros --arg inout:i32:1=zeros --arg in:i32:36=values:0,1,6,2,7,12,3,8,13,18,4,9,14,19,24,5,10,15,20,25,30,11,16,21,26,31,17,22,27,32,23,28,33,29,34,35 --budget 8000000
//! clean
//! defect 1: race at cell
//! defect 2: race at cell
//! defect 3: race at cell
//! defect 4: deadlock at left|upper
//! defect 5: race at cell
extern "C" __global__ void table(int* s, int* done, int* ticket, const int* order)
{
    __shared__ int tile;
    int t = threadIdx.x;
    if (t == 0) {
        tile = order[atomicAdd(ticket, 1)];
        int x = tile % 6, y = tile / 6;
#if DEFECT != 1
        if (x > 0) while (atomicAdd(&done[tile - 1], 0) == 0) {} // <- left
#endif
        if (y > 0) while (atomicAdd(&done[tile - 6], 0) == 0) {} // <- upper
#if DEFECT != 5
        __threadfence();
#endif
    }
    __syncthreads();
    int x0 = tile % 6 * 16 + 1, y0 = tile / 6 * 16 + 1;
    for (int d = 0; d < 31; ++d) {
        int x = t, y = d - t;
        if (y >= 0 && y < 16) {
            int* here = s + (y0 + y) * 97 + x0 + x;
            *here = max(max(here[-1], here[-97]), here[-98] + (x0 + x) * (y0 + y) % 3); // <- cell
        }
#if DEFECT != 3
        __syncwarp(0xffff);
#endif
    }
    if (t == 15) {
#if DEFECT != 2
        __threadfence();
#endif
#if DEFECT == 4
        if (tile != 14)
#endif
        atomicExch(&done[tile], 1);
    }
}
//! label 5: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
