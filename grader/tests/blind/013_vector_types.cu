// uchar4, short2, int2, int3, double2: layouts and alignments of the built-in vector types.
//@ run --entry vector_types --grid 1 --block 64 --arg in:u8:64x4=byte_values.npy --arg in:i16:64x2=shorts.npy
//@ run --arg in:i32:64x2=wide_ints.npy --arg in:i32:64x3=more_ints.npy --arg out:i32:64x4 --arg out:u8:64x4
//@ run --arg out:f64:64x2
// save: 4 5 6
// reference: vector_types

extern "C" __global__ void vector_types(const uchar4* bytes, const short2* shorts, const int2* pairs, const int3* triples,
                                        int4* out, uchar4* swapped, double2* wide)
{
    int i = threadIdx.x;
    uchar4 b = bytes[i];
    short2 s = shorts[i];
    int2 p = pairs[i];
    int3 t = triples[i];
    out[i] = make_int4(b.x + b.y * 256, s.x - s.y, (unsigned)p.x ^ (unsigned)p.y, (unsigned)t.x + (unsigned)t.y + (unsigned)t.z);
    swapped[i] = make_uchar4(b.w, b.z, b.y, b.x);
    wide[i] = make_double2(p.x, s.y);
}
