// One warp loads two matrices of 8 × 8 halves by `ldmatrix`; the variants say where their rows lie, in steps of 16 bytes.
// entry: load
// grid: 1
// block: 32
// arg: out:u32:128
// variant: adjacent = --define 'ROW=t'
// variant: stride_2 = --define 'ROW=(t*2)'
// variant: stride_4 = --define 'ROW=(t*4)'
// variant: stride_8 = --define 'ROW=(t*8)'
// variant: stride_9 = --define 'ROW=(t*9)'
// variant: stride_5 = --define 'ROW=(t*5)'
// variant: same = --define 'ROW=3'
// variant: pairs = --define 'ROW=(t/2)'
// variant: halves = --define 'ROW=((t&3)*8)'
// variant: swizzled = --define 'ROW=(t*8+((t)&7))'
// variant: swizzled_4 = --define 'ROW=(t*4+((t/2)&3))'
// variant: matrices_alike = --define 'ROW=(t&7)'
// variant: matrices_collide = --define 'ROW=((t&7)*9)'
// variant: reversed = --define 'ROW=(31-t)'
// variant: scattered = --define 'ROW=((t*2654435761u)>>24)'
// variant: transposed_adjacent = --define ROW=t --define 'TRANSPOSED=".trans"'
// variant: transposed_stride_8 = --define 'ROW=(t*8)' --define 'TRANSPOSED=".trans"'

#ifndef TRANSPOSED
#define TRANSPOSED ""
#endif

extern "C" __global__ void load(unsigned* out)
{
    __shared__ __align__(16) unsigned words[2048];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 2048; i += 32) words[i] = i;
    __syncthreads();
    unsigned from = (unsigned)__cvta_generic_to_shared(&words[4 * (ROW)]);
    unsigned a, b;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" TRANSPOSED ".shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(from) : "memory");
    out[t] = a;
    out[32 + t] = b;
}
