// What the judge runs around a timed kernel: trusted, never shown to a learner's kernel.

// Reads every word of `clean` and so drives everything else out of the L2 cache. `sink` is written only if the words,
// which are all zero, add up to something else: never, but the compiler cannot know.
extern "C" __global__ void read_words(const uint4* clean, unsigned long long count, unsigned* sink) {
    unsigned sum = 0;
    unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < count;
         i += stride) {
        uint4 word = clean[i];
        sum += word.x | word.y | word.z | word.w;
    }
    if (sum != 0) {
        *sink = sum;
    }
}

// The roof: the fastest plain copy, one 16-byte word per thread.
extern "C" __global__ void copy_words(uint4* to, const uint4* from, unsigned long long count) {
    unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
    if (i < count) {
        to[i] = from[i];
    }
}
