// Inline PTX: carry chains, wide multiplies, predicates, dot products of bytes, select and set.
//@ run --entry inline_ptx --grid 1 --block 96 --arg in:u32:96=words.npy --arg in:u32:96=more_words.npy
//@ run --arg out:u32:12x96
// save: 2
// reference: inline_ptx

extern "C" __global__ void inline_ptx(const unsigned* a, const unsigned* b, unsigned* out)
{
    int i = threadIdx.x, n = blockDim.x;
    unsigned x = a[i], y = b[i], r, s;
    unsigned long long w;
    int row = 0;
    auto put = [&](unsigned value) { out[row++ * n + i] = value; };
    asm("{\n\tadd.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;\n\t}" : "=r"(r), "=r"(s) : "r"(x), "r"(y));
    put(r);
    put(s);
    asm("{\n\tsub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, 5, 0;\n\t}" : "=r"(r), "=r"(s) : "r"(x), "r"(y));
    put(r);
    put(s);
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(w) : "r"(x), "r"(y), "l"(12345678901ULL));
    put((unsigned)w);
    put((unsigned)(w >> 32));
    asm("mad.hi.s32 %0, %1, %2, 7;" : "=r"(r) : "r"(x), "r"(y));
    put(r);
    asm("{\n\t.reg .pred p;\n\tsetp.lt.and.s32 p, %1, %2, 1;\n\t@p mov.u32 %0, 111;\n\t@!p mov.u32 %0, 222;\n\t}" : "=r"(r) : "r"(x), "r"(y));
    put(r);
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(x ^ y));
    put(r);
    put(__dp4a((int)x, (int)y, 9));
    put(__dp4a(x, y, 9u));
    asm("set.gt.u32.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    put(r);
}
