// The last steps of a tree without __syncwarp: right only as long as the warp happens to run in lockstep.
//@ run --entry lockstep --grid 1 --block 64 --arg in:i32:64=small_ints.npy --arg out:i32:1
// expect: race error shared @ step

extern "C" __global__ void lockstep(const int* in, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int offset = 32; offset > 0; offset /= 2) {
            if (t < offset) {
                s[t] += s[t + offset]; // <- step
            }
        }
    }
    __syncthreads();
    if (t == 0) out[0] = s[0];
}
