//@ run --entry variable --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
extern "C" __global__ void variable(const int* in, int* out) {
    int t = threadIdx.x;
    int best[4];
    for (int k = 0; k < 4; ++k)
        if (in[(t + k) % 32] > 3) best[k] = in[(t + k) % 32];
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += best[k];
    out[t] = sum;
}
