//@ run --entry pairs --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:32
extern "C" __global__ void pairs(const int* in, int* out) {
    const long long* wide = (const long long*)(in + 3);
    out[threadIdx.x] = (int)wide[threadIdx.x + 40];
}
