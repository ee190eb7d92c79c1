//@ run --entry swap --grid 1 --block 32 --arg out:u64:64
// Nothing was written to the slot before it is compared.
struct alignas(16) Pair {
    unsigned long long key, value;
};

extern "C" __global__ void swap(Pair* out)
{
    __shared__ Pair slot;
    out[threadIdx.x] = atomicCAS(&slot, Pair{0, 0}, Pair{1, 2});
}
