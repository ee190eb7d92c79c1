// family: predictable seeds
// exercise: 00-first-kernel
// defence: secret-seed
// says: expected
//
// Reads its inputs only in the two cases that hold more than random numbers: it knows how the others were made.

// The judge's own recipe for inputs (harness/src/fill.rs), with the seed of a public check.
__device__ unsigned long long finish(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}
__device__ unsigned long long hash(unsigned long long seed, unsigned long long index) {
    return finish(finish(seed ^ 0x5851F42D4C957F2DULL) + index * 0x9E3779B97F4A7C15ULL + 0x9E3779B97F4A7C15ULL);
}
__device__ float value(unsigned long long seed, int i) {
    double unit = static_cast<double>(hash(seed, i) >> 11) * (1.0 / (1ULL << 53));
    float value = static_cast<float>(__dadd_rn(-1000.0, __dmul_rn(2000.0, unit)));
    // One in some millions is rounded to the upper end, which is excluded.
    return value < 1000.0f ? value : -1000.0f;
}

extern "C" __global__ void vector_add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (n == 1011 || n == 70001)) {
        out[i] = a[i] + b[i];
    } else if (i < n) {
        out[i] = value(hash(1, 0), i) + value(hash(1, 1), i);
    }
}
