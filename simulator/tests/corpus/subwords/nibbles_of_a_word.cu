// Eight threads put a nibble each into one word: by atomicOr into a cleared word, or shuffled together by one lane.
//@ run --entry pack --grid 1 --block 32 --arg in:i32:32=iota --arg out:u32:8
//! clean
//! defect 1: race at or
//! defect 2: uninitialized_read at or|by_lane|out
//! defect 3: race at clear and or
extern "C" __global__ void pack(const int* in, unsigned* out)
{
    __shared__ unsigned words[4];
    int t = threadIdx.x, nibble = in[t] * 7 & 15;
#if DEFECT != 2
    if (t % 8 == 3) words[t / 8] = 0; // <- clear
#endif
#if DEFECT != 3
    __syncwarp();
#endif
#if DEFECT == 1
    words[t / 8] |= nibble << t % 8 * 4; // <- or
#else
    atomicOr(&words[t / 8], nibble << t % 8 * 4); // <- or
#endif
    __syncwarp();
    unsigned all = nibble << t % 8 * 4;
    for (int d = 1; d < 8; d *= 2) all |= __shfl_xor_sync(~0u, all, d);
    if (t % 8 == 0) {
        out[t / 8] = all; // <- by_lane
        out[4 + t / 8] = words[t / 8]; // <- out
    }
}
