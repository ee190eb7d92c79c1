// How long the machine has run.
__device__ bool tells() { return clock64() < 1000000; }
