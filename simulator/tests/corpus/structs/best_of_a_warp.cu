// The best of a warp with its place: pairs by value, whose members go from lane to lane.
//@ run --entry best --grid 2 --block 64 --arg in:f32:128=iota --arg out:f32:4x2
//! clean
//! defect 1: invalid_mask at value|place; also=race,uninitialized_read
//! defect 2: uninitialized_read at better|result
//! defect 3: race at result and result
//! defect 4: out_of_bounds at result
struct Best {
    float value;
    int place;
};
__device__ __noinline__ Best from(Best mine, int distance)
{
    Best other;
    other.value = __shfl_xor_sync(~0u, mine.value, distance); // <- value
#if DEFECT != 2
    other.place = __shfl_xor_sync(~0u, mine.place, distance); // <- place
#endif
    return other;
}
extern "C" __global__ void best(const float* in, Best* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Best mine{(float)((int)in[i] * 37 % 16), i};
    for (int distance = 16; distance > 0; distance /= 2) {
#if DEFECT == 1
        if (threadIdx.x % 32 < 2 * distance) {
#else
        {
#endif
            const Best other = from(mine, distance);
            const bool better = other.value > mine.value || other.value == mine.value && other.place < mine.place; // <- better
            if (better) mine = other; // <- better
        }
    }
#if DEFECT == 3
    if (i % 32 == 0) out[i / 64] = mine; // <- result
#elif DEFECT == 4
    if (i % 32 == 0) out[i / 16] = mine; // <- result
#else
    if (i % 32 == 0) out[i / 32] = mine; // <- result
#endif
}
