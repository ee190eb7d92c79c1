//@ run --entry stale --grid 1 --block 4 --arg out:i32:4
#define TAKE(piece, bytes) \
    asm volatile("{ .reg .u64 at; alloca.u64 at, %1; cvta.local.u64 %0, at; }" : "=l"(piece) : "l"((unsigned long long)(bytes)) : "memory")
extern "C" __global__ void stale(int* out) {
    unsigned long long saved;
    asm volatile("stacksave.u64 %0;" : "=l"(saved)::"memory");
    int* mine;
    TAKE(mine, 64);
    mine[0] = threadIdx.x;
    int before = mine[0];
    if (threadIdx.x % 2) asm volatile("stackrestore.u64 %0;" ::"l"(saved) : "memory");
    out[threadIdx.x] = before + mine[0];
}
