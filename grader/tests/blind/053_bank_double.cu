// Eight-byte shared accesses without conflicts take two wavefronts, and that is their ideal; a broadcast takes one.
//@ run --entry bank_double --grid 1 --block 32 --arg out:f64:32
// save: 0
// reference: bank_double
// counter: shared_store_requests = 1
// counter: shared_store_wavefronts = 2
// counter: shared_load_requests = 2
// counter: shared_load_wavefronts = 3
// counter: shared_bank_conflicts = 0

extern "C" __global__ void bank_double(double* out)
{
    __shared__ double data[32];
    int t = threadIdx.x;
    data[t] = t * 0.5;
    __syncthreads();
    out[t] = data[31 - t] + data[7];
}
