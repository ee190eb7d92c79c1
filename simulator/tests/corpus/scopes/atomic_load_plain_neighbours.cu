// An atomic flag lies between plain words of the same struct: neighbours don't disturb each other.
//@ run --entry neighbours --grid 2 --block 32 --arg inout:i32:3=zeros --arg out:i32:2
//! clean
//! defect 1: race at whole
struct Slot {
    int before, flag, after;
};
extern "C" __global__ void neighbours(Slot* slot, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        slot->before = 3;
        slot->after = 4;
        __threadfence();
        atomicExch(&slot->flag, 1);
    } else {
        while (atomicAdd(&slot->flag, 0) == 0) {}
        __threadfence();
#if DEFECT
        Slot copy = *slot; // <- whole
        slot->flag = copy.flag + 1;
        out[0] = copy.before + copy.after;
#else
        out[0] = slot->before + slot->after;
#endif
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        atomicAdd(&slot->flag, 8);
    }
}
