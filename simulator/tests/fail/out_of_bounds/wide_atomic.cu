//@ run --entry swap --grid 1 --block 32 --arg inout:u64:62=zeros
// The last thread's sixteen bytes lie behind the end.
struct alignas(16) Pair {
    unsigned long long key, value;
};

extern "C" __global__ void swap(Pair* data)
{
    atomicCAS(&data[threadIdx.x], Pair{0, 0}, Pair{1, 2});
}
