// A word that is a float to some and bits to others, changed by atomics of one width: no race.
//@ run --entry both --grid 2 --block 32 --arg inout:f32:1=zeros --arg out:f32:64
//! clean
//! defect 1: race at plain
extern "C" __global__ void both(float* word, float* out)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i % 2) {
        atomicAdd(word, 1.5f);
    } else {
        atomicMax((int*)word, __float_as_int(i * 1.0f));
    }
#if DEFECT
    if (i == 63) *word += 1; // <- plain
#endif
    out[i] = __int_as_float(atomicOr((int*)word, 0));
}
