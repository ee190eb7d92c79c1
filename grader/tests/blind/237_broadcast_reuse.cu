// s[0] is handed out and overwritten by the next round before every warp has read it.
//@ run --entry broadcast_reuse --grid 1 --block 96 --arg in:i32:4=small_ints.npy --arg out:i32:96
// expect: race error shared @ set get

extern "C" __global__ void broadcast_reuse(const int* in, int* out)
{
    __shared__ int current;
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
        if (threadIdx.x == 0) {
            current = in[k]; // <- set
        }
        __syncthreads();
        sum += current; // <- get
    }
    out[threadIdx.x] = sum;
}
