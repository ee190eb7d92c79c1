//@ run --entry bit_field --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
struct Fields {
    unsigned a : 4;
    unsigned b : 4;
    unsigned c : 4;
};

__device__ __noinline__ void set(Fields* f, int i)
{
    f->a = i;
    if (i & 1) f->c = i;
}

extern "C" __global__ void bit_field(const int* in, int* out)
{
    int t = threadIdx.x;
    Fields f;
    set(&f, in[t]);
    int sum = f.a;
    if (f.c > 3) sum += 1;
    out[t] = sum;
}
