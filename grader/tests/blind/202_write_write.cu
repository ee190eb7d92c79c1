// Two threads write different values to one shared word.
//@ run --entry write_write --grid 1 --block 64 --arg out:i32:64
// expect: race error shared @ write

extern "C" __global__ void write_write(int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t % 32] = t; // <- write
    __syncthreads();
    out[t] = s[t % 32];
}
