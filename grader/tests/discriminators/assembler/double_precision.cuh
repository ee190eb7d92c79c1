// The same in double precision.
__device__ bool tells() {
    double x = 1.1 * blockDim.z;
    double y = __dmul_rn(x, x);
    return x * x - y != 0.0;
}
