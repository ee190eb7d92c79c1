//@ run --entry nth --grid 1 --block 32 --arg out:u32:64
extern "C" __global__ void nth(unsigned* out)
{
    int t = threadIdx.x;
    out[2 * t] = __fns(0x9249u, 0, t - 8);
    out[2 * t + 1] = __fns(0xF0F0u, t, t % 3 - 1);
}
