// The same of a division that need not be exact.
__device__ bool tells() { return __fdividef(1.0f, 3.0f * blockDim.z) == 0.333333343f; }
