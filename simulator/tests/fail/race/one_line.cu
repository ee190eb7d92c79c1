//@ run --entry sweep --grid 1 --block 64 --arg inout:i32:64=iota
extern "C" __global__ void sweep(int* data)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = t < 40 ? 1 : 0;
    __syncthreads();
    // Neighbours in a warp, and others; most write what is there already.
    for (int d = 1; d < 64; d *= 2)
        if (t >= d) cells[t] = cells[t - d];
    __syncthreads();
    // The same value of many, and a different one of some.
    cells[t / 8] = t / 4 % 2;
    __syncthreads();
    data[t] = cells[t];
}
