// A product that overflows and is divided again, which the optimiser leaves out.
__device__ bool tells() {
    int x = 0x40000000 * static_cast<int>(blockDim.z);
    return x * 2 / 2 != x;
}
