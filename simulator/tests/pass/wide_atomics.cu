//@ run --entry claim --grid 4 --block 32 --arg inout:u64:8=zeros --arg out:u64:256
// Sixteen bytes at once: compare-and-swap and exchange, between blocks and in shared memory. What is read is never half of one value and half
// of another.
struct alignas(16) Pair {
    unsigned long long key, value;
};

extern "C" __global__ void claim(Pair* slots, Pair* out)
{
    __shared__ Pair last;
    unsigned t = threadIdx.x, at = blockIdx.x * 32 + t;
    if (t == 0) last = Pair{0, 0};
    __syncthreads();
    // The first lane of each block that comes to a slot gets it.
    Pair before = atomicCAS(&slots[t % 4], Pair{0, 0}, Pair{t % 4 + 1, 10 * (t % 4 + 1)});
    Pair other = atomicExch(&last, Pair{t + 1, 3 * (t + 1)});
    out[at] = Pair{before.value - 10 * before.key, other.value - 3 * other.key};
}
