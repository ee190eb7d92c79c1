// Random numbers by Philox, four words a call with the counter in a structure; the four are stored as a vector, and a histogram of their top bits is kept in shared memory.
//@ run --entry numbers --grid 2 --block 48 --arg out:u32:384 --arg inout:u32:8=zeros --arg u32:7
//! clean
//! defect 1: race at zero and count
//! defect 2: misaligned at store
//! defect 3: uninitialized_read at store|round
//! defect 4: race at count and count
struct Philox {
    uint4 counter;
    uint2 key;
    __device__ uint4 operator()()
    {
        uint4 c = counter;
        uint2 k = key;
#pragma unroll
        for (int round = 0; round < 7; ++round) {
            unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
            unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
            c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0); // <- round
            k.x += 0x9E3779B9u;
            k.y += 0xBB67AE85u;
        }
        ++counter.x;
        return c;
    }
};
extern "C" __global__ void numbers(unsigned* out, unsigned* bins, unsigned seed)
{
    __shared__ unsigned s[8];
    int t = threadIdx.x, i = blockIdx.x * 48 + t;
    if (t < 8) s[t] = 0; // <- zero
#if DEFECT != 1
    __syncthreads();
#endif
    Philox generator;
#if DEFECT == 3
    generator.counter.x = i;
    generator.counter.y = generator.counter.z = 0;
#else
    generator.counter = make_uint4(i, 0, 0, 0);
#endif
    generator.key = make_uint2(seed, 1);
    uint4 four = generator();
#if DEFECT == 2
    *reinterpret_cast<uint4*>(out + 4 * i - (t == 5)) = four; // <- store
#else
    *reinterpret_cast<uint4*>(out + 4 * i) = four; // <- store
#endif
#if DEFECT == 4
    ++s[four.x >> 29]; // <- count
#else
    atomicAdd(&s[four.x >> 29], 1u); // <- count
#endif
    atomicAdd(&s[four.y >> 29], 1u); // <- count
    __syncthreads();
    if (t < 8) atomicAdd(&bins[t], s[t]);
}
