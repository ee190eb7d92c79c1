// Structs passed and returned by value through real calls, unions, bit fields, nested arrays in structs.
//@ run --entry structs --grid 2 --block 50 --arg in:u32:100=words.npy --arg in:f32:100=uniform.npy
//@ run --arg out:u32:5x100
// save: 2
// reference: structs

struct Pixel {
    unsigned char r, g, b;
    float weight;
    double scale;
    short taps[3];
};

union Word {
    float f;
    unsigned u;
    unsigned char bytes[4];
};

struct Fields {
    unsigned low : 5;
    int middle : 11;
    unsigned high : 16;
};

__device__ __noinline__ Pixel brighten(Pixel p, int by)
{
    p.r += by;
    p.g += by;
    p.b += by;
    p.weight *= 2.0f;
    p.scale += by;
    p.taps[1] = p.taps[0] - p.taps[2];
    return p;
}

__device__ __noinline__ unsigned pack(Fields f)
{
    return f.low * 1000003u + (unsigned)f.middle * 101u + f.high;
}

extern "C" __global__ void structs(const unsigned* words, const float* values, unsigned* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned w = words[i];
    Pixel p = {(unsigned char)w, (unsigned char)(w >> 8), (unsigned char)(w >> 16), values[i], 0.5, {(short)w, 0, (short)(w >> 16)}};
    Pixel q = brighten(p, 100);
    out[0 * n + i] = q.r | q.g << 8 | q.b << 16;
    out[1 * n + i] = __float_as_uint(q.weight) + (unsigned)(q.scale * 2.0) + (unsigned)(int)q.taps[1];
    Word u;
    u.f = values[i];
    u.bytes[3] ^= 0x80;
    out[2 * n + i] = u.u;
    Fields f;
    f.low = w;
    f.middle = w >> 5;
    f.high = w >> 16;
    out[3 * n + i] = pack(f);
    f.middle = f.middle + 1;
    out[4 * n + i] = (unsigned)f.middle;
}
