// Parameters of one, three and sixteen bytes, and one without members.
//@ run --entry tiny --grid 1 --block 32 --arg bytes:00 --arg bytes:010203 --arg bytes:0000c03f_00000000_00000000_00000000 --arg out:f32:32
//! clean
//! defect 1: out_of_bounds at pick
//! defect 2: out_of_bounds at store
//! defect 3: uninitialized_read at pick|store
struct Empty {};
struct Three {
    char c[3];
};
struct alignas(16) Wide {
    float x;
};
__device__ __noinline__ Three turned(Empty, Three of)
{
    Three result;
    result.c[0] = of.c[2];
    result.c[1] = of.c[1];
#if DEFECT != 3
    result.c[2] = of.c[0];
#endif
    return result;
}
__device__ __noinline__ float scaled(Wide by, float value) { return by.x * value; }
extern "C" __global__ void tiny(Empty empty, Three three, Wide wide, float* out)
{
    const int t = threadIdx.x;
    const Three other = turned(empty, three);
#if DEFECT == 1
    const int value = three.c[t * 2] + other.c[1]; // <- pick
#else
    const int value = three.c[t % 3] + other.c[(t + 1) % 3]; // <- pick
#endif
#if DEFECT == 2
    out[t + three.c[0]] = scaled(wide, value); // <- store
#else
    out[t] = scaled(wide, value); // <- store
#endif
}
