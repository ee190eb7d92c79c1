// A producer block and a consumer block share one slot; the producer must wait until it is empty again.
//@ run --entry ring --grid 2 --block 32 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:4
//! clean
//! defect 1: race at fill and drain
extern "C" __global__ void ring(int* slot, int* state, int* out)
{
    if (threadIdx.x != 0) return;
    for (int k = 0; k < 4; ++k) {
        if (blockIdx.x == 0) {
#if !DEFECT
            while (atomicAdd(state, 0) != 2 * k) {}
            __threadfence();
#endif
            *slot = 10 + k; // <- fill
            __threadfence();
            atomicExch(state, 2 * k + 1);
        } else {
#if DEFECT
            while (atomicAdd(state, 0) < 2 * k + 1) {}
#else
            while (atomicAdd(state, 0) != 2 * k + 1) {}
#endif
            __threadfence();
            out[k] = *slot; // <- drain
#if !DEFECT
            __threadfence();
            atomicExch(state, 2 * k + 2);
#endif
        }
    }
}
