//@ run --entry many --grid 1 --block 40 --arg out:i32:40 --arg i32:10000
#define TAKE(piece, bytes) \
    asm volatile("{ .reg .u64 at; alloca.u64 at, %1; cvta.local.u64 %0, at; }" : "=l"(piece) : "l"((unsigned long long)(bytes)) : "memory")
extern "C" __global__ void many(int* out, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        int* mine;
        TAKE(mine, 64);
        mine[0] = i;
        mine[3] = threadIdx.x;
        sum += mine[0] % 7 + mine[3];
    }
    out[threadIdx.x] = sum;
}
