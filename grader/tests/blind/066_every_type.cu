// A buffer of every type through the command line and back: each element doubled, in its own type and shape.
//@ run --entry every_type --grid 1 --block 32 --arg inout:u8:32=small_bits.npy
//@ run --arg inout:i8:32=small_bits.npy --arg inout:u16:8x4=small_bits.npy --arg inout:i16:32=small_bits.npy
//@ run --arg inout:u64:32=long_bits.npy --arg inout:i64:2x4x4=long_bits.npy --arg inout:f16:32=halves.npy
//@ run --arg inout:bf16:32=brain_floats.npy --arg inout:f64:4x8=uniform.npy --arg out:bf16:2x16
//@ run --arg out:u8:33
// save: 0 1 2 3 4 5 6 7 8 9 10
// reference: every_type

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void every_type(unsigned char* a, signed char* b, unsigned short* c, short* d, unsigned long long* e, long long* f,
    __half* g, __nv_bfloat16* h, double* k, __nv_bfloat16* third, unsigned char* bytes)
{
    int t = threadIdx.x;
    a[t] = a[t] + a[t];
    b[t] = b[t] + b[t];
    c[t] = c[t] + c[t];
    d[t] = d[t] + d[t];
    e[t] = e[t] + e[t];
    f[t] = f[t] + f[t];
    g[t] = __hadd_rn(g[t], g[t]);
    h[t] = __hadd_rn(h[t], h[t]);
    k[t] = k[t] + k[t];
    third[t] = __float2bfloat16_rn((t - 8) / 3.0f);
    bytes[32 - t] = 200 + t;
    if (t == 0) bytes[0] = 255;
}
