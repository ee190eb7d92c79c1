//@ run --entry dot --grid 1 --block 32 --arg in:i32:64=iota --arg out:i32:32
// More members than a compiler keeps in registers: it takes the address of the parameter.
struct Many {
    int value[40];
    long long wide;
    char small[3];
};
__device__ __noinline__ int at(Many many, int i) { return many.value[i] + (int)many.wide + many.small[i % 3]; }
__device__ __noinline__ int sum(Many many) {
    int total = 0;
    for (int k = 0; k < 40; ++k) total += many.value[k];
    return total + many.small[2];
}
extern "C" __global__ void dot(const int* in, int* out) {
    Many many;
    for (int k = 0; k < 40; ++k) many.value[k] = in[k];
    many.wide = 1000;
    many.small[0] = 1, many.small[1] = 2, many.small[2] = (char)threadIdx.x;
    out[threadIdx.x] = at(many, threadIdx.x) * 10000 + sum(many);
}
