// One warp multiplies small matrices by `mma`; the variants say of which numbers.
// entry: multiply
// grid: 3
// block: 64
// arg: out:u32:192
// variant: f16 = --define FORM=1
// variant: f16_to_half = --define FORM=2
// variant: bf16 = --define FORM=3
// variant: tf32 = --define FORM=4
// variant: s8 = --define FORM=5
// variant: f64 = --define FORM=6
// variant: f16_of_8 = --define FORM=7
// variant: one_warp_of_two = --define FORM=1 --define 'WARPS=threadIdx.x < 32'
// differs: matrix_operations @ one_warp_of_two: the hardware counts a product that a predicate turns off for every lane

#ifndef WARPS
#define WARPS true
#endif

extern "C" __global__ void multiply(unsigned* out)
{
    unsigned t = threadIdx.x, result = 0;
    if (WARPS) {
#if FORM == 1
        float d[4];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%5,%5,%5,%5};"
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                     : "r"(t), "f"(0.0f));
        result = d[0] + d[1] + d[2] + d[3];
#elif FORM == 2
        unsigned d[2];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2,%2,%2}, {%2,%2}, {%3,%3};" : "=r"(d[0]), "=r"(d[1]) : "r"(t), "r"(0));
        result = d[0] + d[1];
#elif FORM == 3
        float d[4];
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%5,%5,%5,%5};"
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                     : "r"(t), "f"(0.0f));
        result = d[0] + d[1] + d[2] + d[3];
#elif FORM == 4
        float d[4];
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%5,%5,%5,%5};"
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                     : "r"(t), "f"(0.0f));
        result = d[0] + d[1] + d[2] + d[3];
#elif FORM == 5
        unsigned d[4];
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%5,%5,%5,%5};"
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                     : "r"(t), "r"(0));
        result = d[0] + d[1] + d[2] + d[3];
#elif FORM == 6
        double d[2];
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%3,%3};" : "=d"(d[0]), "=d"(d[1]) : "d"((double)t), "d"(0.0));
        result = d[0] + d[1];
#elif FORM == 7
        float d[4];
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%5,%5,%5,%5};"
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                     : "r"(t), "f"(0.0f));
        result = d[0] + d[1] + d[2] + d[3];
#endif
    }
    out[blockIdx.x * 64 + t] = result;
}
