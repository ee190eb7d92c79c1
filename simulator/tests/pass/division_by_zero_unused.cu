//@ run --entry quotients --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:64
// The first asks before it divides. The second divides in every lane, and takes the result where there is one.
extern "C" __global__ void quotients(const int* in, int* out) {
    int t = threadIdx.x;
    int divisor = in[t], quotient;
    out[t] = divisor == 0 ? -1 : 100 / divisor;
    asm volatile("div.s32 %0, 100, %1;" : "=r"(quotient) : "r"(divisor));
    out[32 + t] = divisor == 0 ? -1 : quotient;
}
