// The same hand-over with a releasing store and an acquiring load instead of fences.
//@ run --entry acquire_release --grid 2 --block 32 --arg inout:i32:1=zeros --arg out:i32:1
// save: 0 1
// reference: acquire_release

__device__ int flag;

extern "C" __global__ void acquire_release(int* data, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 4711;
        asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(&flag), "r"(1) : "memory");
    } else {
        int seen;
        do {
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory");
        } while (seen == 0);
        *out = *data + 1;
    }
}
