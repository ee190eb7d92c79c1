//@ run --entry late --grid 2 --block 64 --arg out:i32:128 --arg inout:i32:8=zeros --arg i32:700
// Long loops that end for one reason each: what their conditions look at seems to stay as it is, and changes.
__device__ __noinline__ int next(int value, int limit) {
    return value < limit ? value + 1 : value;
}

__device__ __noinline__ void step(int* value) {
    *value += 1;
}

extern "C" __global__ void late(int* out, int* global, int n) {
    __shared__ volatile int shared[64];
    int t = threadIdx.x, sum = 0;
    shared[t] = 0;

    // By a word of shared memory.
    while (shared[t] < n) shared[t] = shared[t] + 1;

    // By what a function gives back, and by a variable whose address it gets.
    int value = 0;
    while (value != n) {
        value = next(value, n);
        sum += value;
    }
    int counted = 0;
    while (counted != n) step(&counted);

    // By another lane's register.
    int mine = 0;
    while (__shfl_sync(0xffffffff, mine, 0) < n) {
        if (t % 32 == 0) ++mine;
        ++sum;
    }

    // By a vote of the block.
    int rounds = 0;
    while (!__syncthreads_and(rounds > n)) ++rounds;

    // By a bit that is far up in a counter of 64 bits.
    unsigned long long wide = (1ull << 33) - 1500;
    while (!(wide >> 33)) ++wide;

    // By an array in local memory.
    int steps[4] = {0, 1, 1, 2};
    for (int i = 0; i < n * 2; i += steps[(i + t) & 3]) {
        if (steps[(i + t) & 3] == 0) steps[(i + t) & 3] = 3;
        ++sum;
    }

    // By a block's atomic, which one thread makes.
    if (t == 0) {
        while (atomicAdd(&global[blockIdx.x], 1) < n) ++sum;
    }
    out[blockIdx.x * 64 + t] = sum + rounds + counted + (int)wide;
}
