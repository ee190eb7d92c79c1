// One warp stores one matrix of 8 × 8 halves by `stmatrix`; the variants say where their rows go, in steps of 16 bytes.
// entry: store
// grid: 1
// block: 32
// arg: out:u32:2048
// variant: adjacent = --define 'ROW=t'
// variant: stride_2 = --define 'ROW=(t*2)'
// variant: stride_4 = --define 'ROW=(t*4)'
// variant: stride_8 = --define 'ROW=(t*8)'
// variant: stride_9 = --define 'ROW=(t*9)'
// variant: stride_5 = --define 'ROW=(t*5)'
// variant: swizzled = --define 'ROW=(t*8+((t)&7))'
// variant: swizzled_4 = --define 'ROW=(t*4+((t/2)&3))'
// variant: reversed = --define 'ROW=(31-t)'
// variant: transposed_stride_8 = --define 'ROW=(t*8)' --define 'TRANSPOSED=".trans"'

#ifndef TRANSPOSED
#define TRANSPOSED ""
#endif

extern "C" __global__ void store(unsigned* out)
{
    __shared__ __align__(16) unsigned words[2048];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 2048; i += 32) words[i] = 0;
    __syncthreads();
    unsigned to = (unsigned)__cvta_generic_to_shared(&words[4 * (ROW)]);
    asm volatile("stmatrix.sync.aligned.m8n8.x1" TRANSPOSED ".shared.b16 [%0], {%1};" : : "r"(to), "r"(t) : "memory");
    __syncthreads();
    for (unsigned i = t; i < 2048; i += 32) out[i] = words[i];
}
