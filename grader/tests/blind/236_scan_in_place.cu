// Hillis-Steele scan with one buffer: reading and writing need a barrier between them.
//@ run --entry scan --grid 1 --block 128 --arg in:i32:128=small_ints.npy --arg out:i32:128
// expect: race error shared @ add

extern "C" __global__ void scan(const int* in, int* out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        if (t >= step) {
            s[t] += s[t - step]; // <- add
        }
        __syncthreads();
    }
    out[t] = s[t];
}
