// A hash table with open addresses in global memory: keys are claimed by compare-and-swap, values counted by atomics; the last block to finish reads all.
//@ run --entry table --grid 4 --block 64 --arg in:i32:256=iota --arg inout:u64:64=const:18446744073709551615 --arg inout:u32:64=zeros --arg inout:u32:1=zeros --arg out:u32:64 --budget 1000000
//! clean
//! defect 1: race at count|claim and read
//! defect 2: race at claim|look and claim|look
//! defect 3: unfinished|deadlock at probe|claim
//! defect 4: race at count and count
extern "C" __global__ void table(const int* in, unsigned long long* keys, unsigned* counts, unsigned* done, unsigned* out)
{
    __shared__ unsigned order;
    const unsigned long long EMPTY = ~0ull;
    int t = threadIdx.x;
    unsigned long long key = in[blockIdx.x * 64 + t] % 40 * 1000003ull;
    unsigned slot = (unsigned)(key * 0x9E3779B97F4A7C15ull >> 58);
    while (true) { // <- probe
#if DEFECT == 2
        unsigned long long seen = keys[slot]; // <- look
        if (seen == EMPTY) keys[slot] = key, seen = EMPTY; // <- claim
#else
        unsigned long long seen = atomicCAS(&keys[slot], EMPTY, key); // <- claim
#endif
#if DEFECT == 3
        if (seen == EMPTY) break;
#else
        if (seen == EMPTY || seen == key) break;
#endif
        slot = (slot + 1) & 63; // <- probe
    }
#if DEFECT == 4
    counts[slot] += 1; // <- count
#else
    atomicAdd(&counts[slot], 1u); // <- count
#endif
#if DEFECT != 1
    __threadfence();
#endif
    __syncthreads();
    if (t == 0) order = atomicAdd(done, 1u);
    __syncthreads();
    if (order == gridDim.x - 1) {
        __threadfence();
        out[t] = keys[t] == EMPTY ? 0 : counts[t]; // <- read
    }
}
