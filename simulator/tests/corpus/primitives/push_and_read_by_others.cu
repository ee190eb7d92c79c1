// A list in global memory that other blocks may walk while it grows: a node is filled and fenced before it is linked.
//@ run --entry grow --grid 3 --block 32 --arg inout:i32:96=zeros --arg inout:i32:96=const:-1 --arg inout:i32:1=const:-1 --arg out:i32:3
//! clean
//! defect 1: race at fill and look
//! defect 2: race at fill and look
//! defect 3: race at head
extern "C" __global__ void grow(int* values, int* next, int* head, int* out)
{
    if (threadIdx.x % 8 == 0) {
        int mine = blockIdx.x * 32 + threadIdx.x;
        values[mine] = mine * 3; // <- fill
        int old = atomicAdd(head, 0);
        for (;;) {
            next[mine] = old;
#if DEFECT != 1
            __threadfence();
#endif
            int seen = atomicCAS(head, old, mine);
            if (seen == old) break;
            old = seen;
        }
    }
    if (threadIdx.x == 31) {
        int sum = 0;
#if DEFECT == 3
        int k = *head; // <- head
#else
        int k = atomicAdd(head, 0);
#endif
#if DEFECT != 2
        __threadfence();
#endif
        while (k >= 0) {
            sum += values[k]; // <- look
            k = next[k]; // <- look
        }
        out[blockIdx.x] = sum;
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
