// Inclusive scan with two buffers that swap roles each step.
//@ run --entry scan --grid 2 --block 128 --arg in:i32:256=small_ints.npy --arg out:i32:256
// save: 1
// reference: scan_blocks_of_128

extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int buffer[2][128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, from = 0;
    buffer[0][t] = in[i];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        buffer[1 - from][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[i] = buffer[from][t];
}
