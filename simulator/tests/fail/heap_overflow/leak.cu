//@ run --entry leak --grid 4 --block 32 --arg out:i32:4
extern "C" __global__ void leak(int* out) {
    int failed = 0;
    for (int i = 0; i < 3; ++i)
        if (threadIdx.x == 0 && malloc(1 << 20) == nullptr) ++failed;
    if (threadIdx.x == 0) out[blockIdx.x] = failed;
}
