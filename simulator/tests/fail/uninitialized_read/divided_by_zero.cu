//@ run --entry quotients --grid 1 --block 32 --arg in:i32:32=iota --arg inout:i32:96=zeros
// Only lane 0 divides by zero, and every other lane is sure of its own.
extern "C" __global__ void quotients(const int* in, int* out) {
    int t = threadIdx.x;
    if (100 / in[t] > 10) out[t] = 1;
    unsigned place = 31u % (unsigned)in[t];
    out[32 + (place & 31u)] = 1;
    out[64 + t] = (int)(1000LL / in[t]);
}
