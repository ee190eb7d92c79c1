// In which part of the address space global memory lies.
__device__ const int here[4] = {1, 2, 3, 4};
__device__ bool tells() { return reinterpret_cast<size_t>(&here[threadIdx.x % 4]) >> 40 == 0; }
