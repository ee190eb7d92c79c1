// Reads of data[lane * 6]: gcd(6, 32) = 2 wavefronts a request, one conflict each.
//@ run --entry bank_strides --grid 1 --block 64 --arg out:i32:64
// save: 0
// reference: bank_strides
// counter: shared_load_requests = 2
// counter: shared_load_wavefronts = 4
// counter: shared_store_requests = 12
// counter: shared_store_wavefronts = 12
// counter: shared_bank_conflicts = 2

extern "C" __global__ void bank_strides(int* out)
{
    __shared__ int data[192 + 192];
    int t = threadIdx.x, lane = t % 32;
    for (int k = t; k < 384; k += 64) data[k] = k * k;
    __syncthreads();
    out[t] = data[t / 32 * 192 + lane * 6];
}
