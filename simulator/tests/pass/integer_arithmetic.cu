//@ run --entry k --grid 1,1,1 --block 32,1,1 --arg out:u32:256 --arg out:u32:256 --arg out:u32:256 --arg out:u32:192
// Integer instructions and intrinsics on values of all sizes and signs; checked against arbitrary-precision integers.
extern "C" __global__ void k(unsigned* a, unsigned* b, unsigned* c, unsigned* d) {
    unsigned* out[4] = {a, b, c, d};
    int t = threadIdx.x;
    unsigned long long ux = 0x9E3779B97F4A7C15ull * (t + 1) >> (t * 7 % 61), uy = 0xC2B2AE3D27D4EB4Full * (t + 3) >> (t * 13 % 59);
    long long x = (t & 1) ? -(long long)(ux >> 1) : (long long)ux, y = (t & 2) ? -(long long)(uy >> 1) : (long long)uy;
    int xi = (int)x, yi = (int)y | 1;
    unsigned xu = (unsigned)x, yu = (unsigned)y | 1;
    long long results[15] = {
        x / (y | 1), x % (y | 1), (long long)(ux / (uy | 1)), (long long)(ux % (uy | 1)), x * y, __mul64hi(x, y),
        (long long)__umul64hi(ux, uy), x >> (y & 63), (long long)(ux >> (y & 63)), x << (y & 63), (long long)(double)x,
        x / 10, __popcll(x) + 100 * __clzll(x) + 10000 * __ffsll(x), (long long)__brevll(x), x < y ? x : y,
    };
    for (int i = 0; i < 7; i++) {
        out[i / 4][64 * (i % 4) + t] = (unsigned)results[2 * i] ^ (unsigned)(results[2 * i] >> 32);
        out[i / 4][64 * (i % 4) + 32 + t] = (unsigned)results[2 * i + 1] ^ (unsigned)(results[2 * i + 1] >> 32);
    }
    unsigned more[16] = {
        (unsigned)(xi / yi), (unsigned)(xi % yi), xu / yu, xu % yu, (unsigned)(xi / 7), xu % 10, __byte_perm(xu, yu, 0x3715),
        __brev(xu), (unsigned)__mulhi(xi, yi), (unsigned)((short)x * (signed char)y), __vabsdiffu4(xu, yu),
        (unsigned)__dp4a(xi, yi, 3), __funnelshift_l(xu, yu, t), __funnelshift_rc(xu, yu, t * 2), __vmaxs2(xu, yu),
        __sad(xi, yi, 5u),
    };
    for (int i = 0; i < 16; i++) out[(14 + i) / 8][32 * ((14 + i) % 8) + t] = more[i];
}
