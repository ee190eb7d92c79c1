// How far two local arrays lie from each other.
__device__ bool tells() {
    volatile char one[24], other[40];
    one[threadIdx.x % 24] = 1;
    other[threadIdx.x % 40] = 2;
    return other - one != 24;
}
