// Each block takes from its own queue, and steals from the next one's when that is empty; both take by the same device-wide atomic.
//@ run --entry work --grid 3 --block 32 --arg in:i32:24=iota --arg inout:i32:3=zeros --arg inout:i32:24=zeros
//! clean
//! defect 1: race at own
//! defect 2: race at own and steal
//! defect 3: race at own
//! defect 4: out_of_bounds at item
extern "C" __global__ void work(const int* items, int* heads, int* out)
{
    int lane = threadIdx.x;
    for (int victim = 0; victim < 3; ++victim) {
        int queue = (blockIdx.x + victim) % 3;
        while (true) {
            int at;
            if (lane == 0) {
#if DEFECT == 1
                at = heads[queue];
                heads[queue] = at + 1; // <- own
#elif DEFECT == 2
                if (victim == 0) {
                    at = atomicAdd_block(&heads[queue], 1); // <- own
                } else {
                    at = atomicAdd(&heads[queue], 1); // <- steal
                }
#elif DEFECT == 3
                if (heads[queue] >= 8) { // <- own
                    at = 8;
                } else {
                    at = atomicAdd(&heads[queue], 1);
                }
#else
                at = atomicAdd(&heads[queue], 1);
#endif
            }
            at = __shfl_sync(0xffffffff, at, 0);
#if DEFECT == 4
            if (at > 8) break;
#else
            if (at >= 8) break;
#endif
            if (lane == 0) {
                atomicAdd(&out[queue * 8 + at], items[queue * 8 + at] + 1); // <- item
            }
        }
    }
}
