// Warp 1 waits for a plain shared flag: a race on the flag itself, whatever the timing.
//@ run --entry plain_flag --grid 1 --block 64 --arg out:i32:64
// status: finished|faulted|unfinished
// expect: race error shared @ set look

extern "C" __global__ void plain_flag(int* out)
{
    __shared__ int ready;
    int t = threadIdx.x, seen = 0;
    if (t == 0) ready = 0;
    __syncthreads();
    if (t == 0) {
        ready = 1; // <- set
    }
    if (t >= 32) {
        seen = ready; // <- look
    }
    out[t] = seen >= 0;
}
