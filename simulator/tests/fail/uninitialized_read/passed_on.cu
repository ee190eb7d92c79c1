//@ run --entry pass --grid 1 --block 32 --arg out:i32:32 --arg out:i32:32 --arg i32:3
extern "C" __global__ void pass(int* out, int* twice, int k) {
    __shared__ int tile[32], turned[32];
    int t = threadIdx.x, own[4];
    for (int j = 0; j < 4; ++j) own[j] = tile[(t + j) & 31];
    turned[t] = own[(t + k) & 3];
    __syncwarp();
    out[t] = turned[t ^ 31];
    // That has no value yet because of the line above.
    twice[t] = 2 * out[t];
}
