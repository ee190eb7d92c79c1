// Where local memory lies in the generic address space.
__device__ bool tells() {
    volatile char own[4];
    own[threadIdx.x % 4] = 1;
    return reinterpret_cast<size_t>(&own[threadIdx.x % 4]) >> 40 == 0;
}
