// Where shared variables begin.
__device__ bool tells() {
    __shared__ volatile char here[4];
    return (reinterpret_cast<size_t>(&here[0]) & 0xffff) < 1024;
}
