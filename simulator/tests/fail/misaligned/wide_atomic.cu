//@ run --entry swap --grid 1 --block 32 --arg inout:u64:70=zeros
// Sixteen bytes at once start at a multiple of sixteen.
struct alignas(16) Pair {
    unsigned long long key, value;
};

extern "C" __global__ void swap(unsigned long long* data)
{
    atomicExch(reinterpret_cast<Pair*>(data + 2 * threadIdx.x + 1), Pair{1, 2});
}
