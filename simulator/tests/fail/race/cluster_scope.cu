//@ run --entry scope --grid 4 --block 32 --cluster 2 --arg inout:i32:1=zeros --arg inout:i32:1=zeros --arg out:i32:1
// A flag whose scope is the cluster, waited for in another cluster.
extern "C" __global__ void scope(int* data, int* flag, int* out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("st.release.cluster.global.s32 [%0], 1;" :: "l"(flag) : "memory");
    }
    if (blockIdx.x == 2) {
        int seen = 0;
        while (!seen) asm volatile("ld.acquire.cluster.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        *out = *data;
    }
}
