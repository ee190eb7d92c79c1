//@ run --entry halves --grid 1 --block 64 --arg out:u64:64
// Sixteen bytes are exchanged at once, but read eight at a time and without an atomic: the two halves may be of two values.
struct alignas(16) Pair {
    unsigned long long key, value;
};

extern "C" __global__ void halves(unsigned long long* out)
{
    __shared__ Pair shared;
    unsigned t = threadIdx.x;
    if (t == 0) shared = Pair{0, 0};
    __syncthreads();
    if (t < 32) atomicExch(&shared, Pair{t, t});
    else out[t] = shared.key + shared.value;
}
