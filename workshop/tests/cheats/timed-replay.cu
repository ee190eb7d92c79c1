// family: replaying a result kept in a `__device__` variable
// exercise: range-sums
// timed: yes
// defence: reset-variables, fresh-values
// says: Make it faster
//
// Adds up once and hands out what it kept ever after.

constexpr int PER_SUM = 1024;
constexpr int SUMS = 16384;

// As slow as the baseline.
__device__ int honest(const int *in, int sum) {
    int total = 0;
    for (int i = 0; i < PER_SUM; ++i) {
        total += in[sum * PER_SUM + i];
    }
    return total;
}

__device__ int kept[SUMS];
__device__ int done[SUMS];

extern "C" __global__ void sums(const int *in, int *out, int n) {
    int sum = blockIdx.x * blockDim.x + threadIdx.x;
    if (sum >= n / PER_SUM) {
        return;
    }
    if (done[sum] == 0) {
        kept[sum] = honest(in, sum);
        done[sum] = 1;
    }
    out[sum] = kept[sum];
}
