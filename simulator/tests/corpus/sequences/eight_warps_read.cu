// Seven warps read a table and arrive at a named barrier; the eighth waits there before it writes. One of the readers arrives too early.
//@ run --entry table --grid 1 --block 256 --arg out:i32:256
//! clean
//! defect 1: race at read and write
extern "C" __global__ void table(int* out)
{
    __shared__ int words[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) words[lane] = lane;
    __syncthreads();
    if (warp < 7) {
#if DEFECT
        bool early = warp == 2;
#else
        bool early = false;
#endif
        if (early) asm volatile("bar.arrive 1, 256;" ::: "memory");
        out[threadIdx.x] = words[(lane + warp) % 32]; // <- read
        if (!early) asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        words[lane] = -1; // <- write
        out[threadIdx.x] = words[lane];
    }
}
