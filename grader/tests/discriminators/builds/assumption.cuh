// A lie that only the optimiser believes.
__device__ bool tells() {
    unsigned int x = blockDim.z;
    __builtin_assume(x > 3);
    return x <= 3;
}
