//@ run --entry look_back --grid 40 --block 32 --arg in:i32:1280=iota --arg inout:i32:41=zeros --arg out:i32:1280
// Sums of blocks, one after the other: 2 * sum + 1 is published by an atomic, whose old value is looked at.
extern "C" __global__ void look_back(const int* in, int* state, int* out) {
    const unsigned all = 0xffffffff;
    int lane = threadIdx.x, tile = 0;
    if (lane == 0) tile = atomicAdd(&state[40], 1);
    tile = __shfl_sync(all, tile, 0);
    int v = in[tile * 32 + lane];
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(all, v, d);
        if (lane >= d) v += left;
    }
    int before = 0;
    if (lane == 31) {
        if (tile > 0) {
            int word;
            do { word = atomicAdd(&state[tile - 1], 0); } while (word == 0);
            before = word / 2;
        }
        if (atomicAdd(&state[tile], 2 * (before + v) + 1) != 0) __trap();
    }
    out[tile * 32 + lane] = __shfl_sync(all, before, 31) + v;
}
