// The same of another one.
__device__ bool tells() { return rsqrtf(3.0f * blockDim.z) == 0.577350259f; }
