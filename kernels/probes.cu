// What the judge runs around a timed kernel: trusted, never shown to a learner's kernel.

// Reads every word of `clean` and so drives everything else out of the L2 cache. `sink` is written
// only if the words, which are all zero, add up to something else: never, but the compiler cannot
// know.
extern "C" __global__ void read_words(const uint4 *clean, unsigned long long count,
                                      unsigned *sink) {
    unsigned sum = 0;
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i =
             blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
         i < count; i += stride) {
        uint4 word = clean[i];
        sum += word.x | word.y | word.z | word.w;
    }
    if (sum != 0) {
        *sink = sum;
    }
}

// The roof: the fastest plain copy, one 16-byte word per thread.
extern "C" __global__ void copy_words(uint4 *to, const uint4 *from, unsigned long long count) {
    unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    if (i < count) {
        to[i] = from[i];
    }
}

// Adds up the words of a piece of memory, scrambled with a key and with their places. A kernel that
// does not know the key cannot change the memory so that the sum stays.
extern "C" __global__ void sum_words(const unsigned long long *words, unsigned long long count,
                                     unsigned long long key, unsigned long long *sum) {
    unsigned long long all = 0;
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i =
             blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
         i < count; i += stride) {
        // SplitMix64's finish.
        unsigned long long z = words[i] ^ (key + i * 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        all += z ^ (z >> 31);
    }
    atomicAdd(sum, all);
}
