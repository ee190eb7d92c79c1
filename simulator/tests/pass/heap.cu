//@ run --entry heap --grid 1 --block 32 --arg out:i32:32
extern "C" __global__ void heap(int* out) {
    int* mine = (int*)malloc(4 * sizeof(int));
    for (int i = 0; i < 4; ++i) mine[i] = i * threadIdx.x;
    out[threadIdx.x] = mine[3];
    free(mine);
}
