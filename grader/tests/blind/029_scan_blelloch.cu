// Work-efficient exclusive scan in dynamic shared memory: up-sweep, clear, down-sweep.
//@ run --entry blelloch --grid 1 --block 128 --shared 1024 --arg in:u32:256=words.npy --arg out:u32:256
// save: 1
// reference: exclusive_scan

extern __shared__ unsigned tree[];

extern "C" __global__ void blelloch(const unsigned* in, unsigned* out)
{
    int t = threadIdx.x, n = 256, offset = 1;
    tree[2 * t] = in[2 * t];
    tree[2 * t + 1] = in[2 * t + 1];
    for (int d = n / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) tree[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            unsigned x = tree[left];
            tree[left] = tree[right];
            tree[right] += x;
        }
    }
    __syncthreads();
    out[2 * t] = tree[2 * t];
    out[2 * t + 1] = tree[2 * t + 1];
}
