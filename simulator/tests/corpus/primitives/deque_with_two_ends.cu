// The owner takes from the bottom, thieves from the top of a deque; only for the last item they must agree by compare-and-swap.
//@ run --entry work --grid 1 --block 96 --arg inout:i32:24=iota --arg inout:i32:2=values:0,24 --arg inout:i32:24=zeros
//! clean
//! defect 1: race at done
//! defect 2: race at bottom|grab
extern "C" __global__ void work(const int* items, int* ends, int* done)
{
    if (threadIdx.x % 32) return;
    int* top = &ends[0];
    int* bottom = &ends[1];
    bool owner = threadIdx.x == 0;
    for (;;) {
        int item = -1;
        if (owner) {
#if DEFECT == 2
            int b = *bottom - 1; // <- bottom
            *bottom = b; // <- bottom
#else
            int b = atomicSub(bottom, 1) - 1;
#endif
            __threadfence();
            int t = atomicAdd(top, 0);
            if (t > b) {
                atomicExch(bottom, t);
                break;
            }
            item = items[b];
            if (t == b) {
#if DEFECT != 1
                if (atomicCAS(top, t, t + 1) != t) item = -1;
#endif
                atomicExch(bottom, t + 1);
                if (item < 0) break;
            }
        } else {
            int t = atomicAdd(top, 0);
            __threadfence();
            if (t >= atomicAdd(bottom, 0)) break; // <- grab
            item = items[t];
            if (atomicCAS(top, t, t + 1) != t) continue;
        }
        done[item] += owner ? 1 : 10; // <- done
    }
}
//! explore 1: 40
