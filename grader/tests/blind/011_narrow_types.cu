// Bytes and shorts: promotion, wrap-around on store, sign extension on load.
//@ run --entry narrow_types --grid 3 --block 100 --arg in:i8:300=signed_bytes.npy
//@ run --arg in:u8:300=byte_values.npy --arg in:i16:300=shorts.npy --arg out:i8:300 --arg out:u8:300
//@ run --arg out:i16:300 --arg out:u16:300
// save: 3 4 5 6
// reference: narrow_types

extern "C" __global__ void narrow_types(const signed char* a, const unsigned char* b, const short* c,
                                        signed char* out8, unsigned char* outu8, short* out16, unsigned short* outu16)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out8[i] = a[i] + b[i];
    outu8[i] = b[i] * 3 - a[i];
    out16[i] = c[i] * a[i];
    outu16[i] = (c[i] >> 3) + b[i];
}
