// Per-thread arrays indexed by data: an insertion sort in local memory, then a table lookup.
//@ run --entry local_arrays --grid 2 --block 32 --arg in:i32:64x12=opcodes.npy --arg out:i32:64x12
// save: 1
// reference: local_arrays

extern "C" __global__ void local_arrays(const int* in, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v[12];
    for (int k = 0; k < 12; ++k) v[k] = in[i * 12 + k];
    for (int k = 1; k < 12; ++k) {
        int x = v[k], j = k;
        while (j > 0 && v[j - 1] > x) {
            v[j] = v[j - 1];
            --j;
        }
        v[j] = x;
    }
    for (int k = 0; k < 12; ++k) out[i * 12 + k] = v[(k + i) % 12];
}
