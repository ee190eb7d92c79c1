// Counting, reversing, permuting and extracting bits; shift amounts at and beyond the width.
//@ run --entry bit_tricks --grid 1 --block 256 --arg in:u32:256=words.npy --arg in:u32:256=more_words.npy
//@ run --arg in:u32:256=shifts.npy --arg out:u32:20x256
// save: 3
// reference: bit_tricks

extern "C" __global__ void bit_tricks(const unsigned* a, const unsigned* b, const unsigned* shift, unsigned* out)
{
    int i = threadIdx.x, n = blockDim.x;
    unsigned x = a[i], y = b[i], s = shift[i], r;
    int row = 0;
    auto put = [&](unsigned value) { out[row++ * n + i] = value; };
    put(__clz(x));
    put(__popc(x));
    put(__brev(x));
    put(__ffs(x));
    put(__byte_perm(x, y, y & 0x7777));
    put(__funnelshift_l(x, y, s));
    put(__funnelshift_lc(x, y, s));
    put(__funnelshift_r(x, y, s));
    put(__funnelshift_rc(x, y, s));
    asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(s));
    put(r);
    asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(s));
    put(r);
    asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(s));
    put(r);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(s & 31), "r"(y & 31));
    put(r);
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(s & 31), "r"(y & 31));
    put(r);
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(s & 31), "r"(x & 31));
    put(r);
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x));
    put(r);
    asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(x));
    put(r);
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(s << 3));
    put(r);
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r) : "r"(x), "r"(y), "r"(s));
    put(r);
    asm("lop3.b32 %0, %1, %2, %3, 0x1D;" : "=r"(r) : "r"(x), "r"(y), "r"(s));
    put(r);
}
