// Where the local variables of a called function lie, which have no frame of their own once it is inlined.
__device__ bool is_far(const volatile char *outer) {
    volatile char inner[16];
    inner[threadIdx.x % 16] = 1;
    return inner - outer > 16 || outer - inner > 16;
}
__device__ bool tells() {
    volatile char outer[16];
    outer[threadIdx.x % 16] = 1;
    return is_far(outer);
}
