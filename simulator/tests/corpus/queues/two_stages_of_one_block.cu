// A producer warp and two consumer warps over four slots with named barriers, one pair a slot.
//@ run --entry stages --grid 1 --block 96 --arg in:i32:256=iota --arg out:i32:256
//! clean
//! defect 1: race at put and get; also=deadlock
//! defect 2: race at put and get; also=deadlock
//! defect 3: deadlock at full|free|get|put; also=race
__device__ void wait(int id) { asm volatile("bar.sync %0, 96;" ::"r"(id) : "memory"); } // <- full
__device__ void tell(int id) { asm volatile("bar.arrive %0, 96;" ::"r"(id) : "memory"); } // <- free
extern "C" __global__ void stages(const int* in, int* out)
{
    __shared__ int slots[2][32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int k = 0; k < 8; ++k) {
        int slot = k % 2;
        if (warp == 2) {
#if DEFECT != 2
            if (k >= 2) wait(3 + slot);
#endif
            slots[slot][lane] = in[k * 32 + lane]; // <- put
            tell(1 + slot);
        } else {
#if DEFECT == 1
            if (k == 0) wait(1 + slot);
            else tell(1 + slot);
#else
            wait(1 + slot);
#endif
            if (warp == slot) out[k * 32 + lane] = slots[slot][31 - lane]; // <- get
#if DEFECT == 3
            if (k < 6 && k != 4) tell(3 + slot);
#else
            if (k < 6) tell(3 + slot);
#endif
        }
    }
}
