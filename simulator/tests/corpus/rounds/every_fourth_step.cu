// A block exchanges values in every fourth step of a loop; in each step a thread goes round a loop of its own as often as its value says.
//@ run --entry steps --grid 2 --block 64 --arg in:i32:128=iota --arg out:i32:128
//! clean
//! defect 1: barrier_divergence at first|second; also=race,uninitialized_read
//! defect 2: race at put and get
//! defect 3: barrier_divergence at first|second; also=race,uninitialized_read
extern "C" __global__ void steps(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[blockIdx.x * 64 + t];
    for (int k = 0; k < 16; ++k) {
        for (int c = v & 7; c > 0; --c) v += c * k & 3;
#if DEFECT == 1
        if ((k + t) % 4 == 0) {
#elif DEFECT == 3
        if ((k + t / 32) % 4 == 0) {
#else
        if (k % 4 == 0) {
#endif
            s[t] = v; // <- put
#if DEFECT != 2
            __syncthreads(); // <- first
#endif
            v += s[63 - t]; // <- get
            __syncthreads(); // <- second
        }
    }
    out[blockIdx.x * 64 + t] = v;
}
