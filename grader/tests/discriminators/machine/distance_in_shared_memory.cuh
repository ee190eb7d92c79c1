// How far two shared variables lie from each other.
__device__ bool tells() {
    __shared__ int one[32], other[32];
    long long distance = reinterpret_cast<char *>(other) - reinterpret_cast<char *>(one);
    return distance > 128 || distance < -128;
}
