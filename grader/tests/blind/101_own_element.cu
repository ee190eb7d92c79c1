// Looks like a missing barrier, is not: every thread reads back only what it wrote itself.
//@ run --entry own_element --grid 2 --block 96 --arg in:i32:192=small_ints.npy --arg out:i32:192
// save: 1
// reference: own_element

extern "C" __global__ void own_element(const int* in, int* out)
{
    __shared__ int s[96][3];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    for (int k = 0; k < 3; ++k) s[t][k] = in[i] * (k + 1);
    int sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += s[t][(k + t) % 3];
        s[t][(k + t) % 3] = 0;
    }
    out[i] = sum + s[t][1];
}
