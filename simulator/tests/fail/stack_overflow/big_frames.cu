//@ run --entry deep --grid 1 --block 4 --arg out:i32:4 --arg i32:300
__device__ int down(int n, int* above) {
    int mine[1024];
    for (int i = 0; i < 4; ++i) mine[i] = above[i] + n;
    return n == 0 ? mine[n % 4] : down(n - 1, mine) + mine[n % 4];
}
extern "C" __global__ void deep(int* out, int n) {
    int first[4] = {0, 1, 2, 3};
    out[threadIdx.x] = down(n, first);
}
