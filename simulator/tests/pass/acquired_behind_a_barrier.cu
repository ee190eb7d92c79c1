//@ run --entry hand_over --grid 2 --block 64 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:64
// One thread reads the flag, and has its fence behind a barrier: what it has itself read counts there, too.
extern "C" __global__ void hand_over(int* number, int* flag, int* out)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            *number = 7;
            asm volatile("fence.acq_rel.gpu; st.relaxed.gpu.s32 [%0], 1;" :: "l"(flag) : "memory");
        }
        return;
    }
    if (threadIdx.x == 0) {
        for (int seen = 0; !seen;) asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = *number;
}
