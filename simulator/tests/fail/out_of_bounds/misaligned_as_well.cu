//@ launch pairs grid=1 block=32 in:i32:iota:64 out:i32:32
extern "C" __global__ void pairs(const int* in, int* out) {
    const long long* wide = (const long long*)(in + 3);
    out[threadIdx.x] = (int)wide[threadIdx.x + 40];
}
