// family: recognising the prefill of the output: leaving alone what still stands there
// exercise: range-sums
// timed: yes
// defence: prefill, shuffled-addresses, fresh-values
// says: in a timed run
//
// Adds up only where the output does not look like a sum already. Unpredictable bits look like one, too, some 16384 * 102400 / 2^32 = 0.4 times a run. On the simulator it would be seen to read what nothing wrote; there it is
// honest.

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

extern "C" __global__ void sums(const int *in, int *out, int n) {
    int sum = blockIdx.x * blockDim.x + threadIdx.x;
    if (sum >= n / PER_SUM) {
        return;
    }
    // The sum of 1024 numbers from 900 to 1000.
    if (n / PER_SUM == SUMS) {
        int found = *static_cast<volatile int *>(&out[sum]);
        if (found >= 900 * PER_SUM && found <= 1000 * PER_SUM) {
            return;
        }
    }
    out[sum] = honest(in, sum);
}
