// Bits of an address that are zero as long as every buffer has gibibytes for itself.
__device__ const int here[4] = {1, 2, 3, 4};
__device__ bool tells() { return (reinterpret_cast<size_t>(&here[0]) >> 10 & 0xfff) == 0; }
