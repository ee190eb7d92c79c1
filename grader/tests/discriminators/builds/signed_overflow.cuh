// A sum that overflows: the optimiser takes it that it does not.
__device__ bool tells() {
    int x = 0x7ffffffe + static_cast<int>(blockDim.z);
    return !(x + 1 > x);
}
