// Where shared memory lies in the generic address space.
__device__ bool tells() {
    __shared__ volatile char here[4];
    return reinterpret_cast<size_t>(&here[threadIdx.x % 4]) >> 40 == 0;
}
