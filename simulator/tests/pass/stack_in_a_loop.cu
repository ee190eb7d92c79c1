//@ run --entry many --grid 1 --block 40 --arg out:i32:40 --arg i32:10000
// LLVM saves and restores the stack around an inlined function that takes some of it; here that is written by hand.
#define TAKE(piece, bytes) \
    asm volatile("{ .reg .u64 at; alloca.u64 at, %1; cvta.local.u64 %0, at; }" : "=l"(piece) : "l"((unsigned long long)(bytes)) : "memory")
extern "C" __global__ void many(int* out, int n) {
    int sum = 0;
    int rounds = n + threadIdx.x % 3;
    for (int i = 0; i < rounds; ++i) {
        unsigned long long saved;
        asm volatile("stacksave.u64 %0;" : "=l"(saved)::"memory");
        int* mine;
        TAKE(mine, 16 + (i + threadIdx.x) % 4 * 16);
        mine[0] = i;
        mine[3] = threadIdx.x;
        sum += mine[0] % 7 + mine[3];
        asm volatile("stackrestore.u64 %0;" ::"l"(saved) : "memory");
    }
    out[threadIdx.x] = sum;
}
