//@ run --entry count --grid 1 --block 96 --arg out:i32:64
// Two warps of three count and vote at a barrier of their own; the third goes on.
extern "C" __global__ void count(int* out)
{
    int t = threadIdx.x;
    if (t >= 64) return;
    unsigned odd, all, any;
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\nbarrier.red.popc.u32 %0, 2, 64, p;\n}" : "=r"(odd) : "r"(t & 1) : "memory");
    asm volatile("{\n.reg .pred p, q;\nsetp.lt.u32 p, %1, 64;\nbarrier.red.and.pred q, 2, 64, p;\nselp.u32 %0, 1, 0, q;\n}" : "=r"(all) : "r"(t) : "memory");
    asm volatile("{\n.reg .pred p, q;\nsetp.eq.u32 p, %1, 64;\nbarrier.red.or.pred q, 2, 64, p;\nselp.u32 %0, 1, 0, q;\n}" : "=r"(any) : "r"(t) : "memory");
    out[t] = odd + 100 * all + 1000 * any;
}
