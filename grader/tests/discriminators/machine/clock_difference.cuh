// How long it takes to look at the clock twice.
__device__ bool tells() {
    long long before = clock64();
    return clock64() - before < 10;
}
