//@ run --entry turn --grid 1 --block 64 --arg in:i32:64=iota --arg out:i32:64 --arg out:i32:64
extern "C" __global__ void turn(const int* in, int* middle, int* out) {
    int t = threadIdx.x;
    middle[t] = in[t] + 1;
    __syncthreads();
    out[t] = __ldg(&middle[63 - t]);
}
