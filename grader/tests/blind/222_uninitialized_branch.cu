// A branch is decided by a local array element that was never set.
//@ run --entry uninitialized_branch --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
// expect: uninitialized_read error @ branch

extern "C" __global__ void uninitialized_branch(const int* in, int* out)
{
    int t = threadIdx.x;
    int flags[8];
    flags[in[t] & 3] = 1;
    out[t] = 0;
    if (flags[in[t] & 7] > 0) { // <- branch
        out[t] = 1;
    }
}
