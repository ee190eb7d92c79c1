// A block of 5 by 7 by 3 threads, whose last warp is partial: threads know themselves by a linear number, and warps of that number sum their part.
//@ run --entry boxes --grid 2,1,1 --block 5,7,3 --arg in:i32:210=iota --arg out:i32:210 --arg out:i32:8
//! clean
//! defect 1: race at put and get
//! defect 2: invalid_mask|uninitialized_read at sum|swap
//! defect 3: out_of_bounds at put
//! defect 4: race at put and put; also=uninitialized_read
extern "C" __global__ void boxes(const int* in, int* out, int* sums)
{
    __shared__ int s[3][7][5];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    int t = (z * 7 + y) * 5 + x, lane = t & 31, base = blockIdx.x * 105;
#if DEFECT == 3
    int* here = &s[z][y][x] + (t > 100 ? 5 : 0);
#elif DEFECT == 4
    int* here = &s[z][x][y % 5];
#else
    int* here = &s[z][y][x];
#endif
    *here = in[base + t]; // <- put
#if DEFECT == 1
    __syncwarp(t < 96 ? 0xffffffff : 0x1ff);
#else
    __syncthreads();
#endif
    int v = s[2 - z][6 - y][4 - x]; // <- get
    out[base + t] = v;
    unsigned mask = t < 96 ? 0xffffffffu : 0x1ffu;
    for (int d = 16; d > 0; d /= 2) {
#if DEFECT == 2
        v += __shfl_xor_sync(mask, v, d); // <- swap
#else
        int other = __shfl_down_sync(mask, v, d);
        if (mask >> lane >> d & 1) v += other;
#endif
    }
    if (lane == 0) sums[blockIdx.x * 4 + t / 32] = v; // <- sum
}
