//@ run --entry cycle --grid 1 --block 32 --arg inout:i32:32=zeros
// Found at once: the budget is far away.
extern "C" __global__ void cycle(int* out) {
    unsigned x = threadIdx.x + 2, rounds = 0;
    while (x != 0) {
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        ++rounds;
    }
    out[threadIdx.x] = rounds;
}
