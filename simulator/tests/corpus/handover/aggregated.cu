// The lanes that have something to append reserve room for all of them by one atomic of their first lane.
//@ run --entry append --grid 2 --block 64 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg out:i32:160 --arg inout:i32:1=zeros
//! clean
//! defect 1: race at reserve
//! defect 2: race at entry
//! defect 3: invalid_mask at tell
//! defect 4: race at entry
extern "C" __global__ void append(const int* row, const int* col, int n, int* list, int* size)
{
    int v = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32;
    int degree = v < n ? row[v + 1] - row[v] : 0;
    for (int k = 0; k < 9; ++k) {
        bool more = k < degree;
        unsigned who = __ballot_sync(0xffffffff, more);
        if (!more) continue;
        int leader = __ffs(who) - 1, base = 0;
        if (lane == leader) {
#if DEFECT == 1
            base = *size; // <- reserve
            *size = base + __popc(who); // <- reserve
#elif DEFECT == 4
            base = atomicAdd(size, 1);
#else
            base = atomicAdd(size, __popc(who));
#endif
        }
#if DEFECT == 3
        base = __shfl_sync(0xffffffff, base, leader); // <- tell
#else
        base = __shfl_sync(who, base, leader);
#endif
#if DEFECT == 2
        list[base + __popc(who & (2u << leader) - 1)] = v; // <- entry
#else
        list[base + __popc(who & (1u << lane) - 1)] = v; // <- entry
#endif
    }
}
