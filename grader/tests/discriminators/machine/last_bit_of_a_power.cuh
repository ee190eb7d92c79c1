// The last bit of an approximate function.
__device__ bool tells() { return exp2f(0.3f * blockDim.z) == 1.23114443f; }
