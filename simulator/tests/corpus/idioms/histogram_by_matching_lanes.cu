// Lanes with the same key let one of them add for all, and tell the others their places.
//@ run --entry place --grid 1 --block 128 --arg in:i32:100=values:3,1,4,1,5,1,2,6,5,3,5,1,7,1,3,2,3,0,4,6,2,6,4,3,3,0,3,2,7,1,5,0,2,0,0,4,1,7,1,6,1,3,1,1,3,7,5,1,0,5,0,2,0,1,7,4,1,4,4,5,1,2,3,0,7,0,1,6,4,0,6,2,6,6,2,0,0,1,6,2,0,1,1,1,7,0,6,7,1,0,2,1,0,1,0,3,4,2,1,1 --arg out:i32:100 --arg out:i32:8 --arg i32:100
//! clean
//! defect 1: race at add
//! defect 2: invalid_mask at match
//! defect 3: invalid_mask|uninitialized_read at tell; also=out_of_bounds,race
//! defect 4: race at clear and add
extern "C" __global__ void place(const int* key, int* at, int* count, int n)
{
    __shared__ int bin[8];
    int t = threadIdx.x, lane = t % 32;
    if (t < 8) bin[t] = 0; // <- clear
#if DEFECT != 4
    __syncthreads();
#endif
#if DEFECT == 2
    if (t < n) {
        unsigned live = 0xffffffffu;
#else
    unsigned live = __ballot_sync(0xffffffffu, t < n);
    if (t < n) {
#endif
        int mine = key[t];
        unsigned same = __match_any_sync(live, mine); // <- match
        int leader = __ffs(same) - 1, before = __popc(same & ((1u << lane) - 1)), base = 0;
        if (lane == leader) {
#if DEFECT == 1
            base = bin[mine]; // <- add
            bin[mine] = base + __popc(same); // <- add
#else
            base = atomicAdd(&bin[mine], __popc(same)); // <- add
#endif
        }
#if DEFECT == 3
        base = __shfl_sync(same & ~(1u << leader), base, leader); // <- tell
#else
        base = __shfl_sync(same, base, leader);
#endif
        at[t] = base + before;
    }
    __syncthreads();
    if (t < 8) count[t] = bin[t];
}
