//@ run --entry sum --grid 1 --block 32 --arg in:i32:32=iota --arg out:i32:32
// An unsigned number is never below 0, so nothing ends this loop; nothing that it reads changes either.
extern "C" __global__ void sum(const int* in, int* out)
{
    int total = 0;
    for (unsigned k = threadIdx.x; k >= 0; --k) total += in[k % 32];
    out[threadIdx.x] = total;
}
