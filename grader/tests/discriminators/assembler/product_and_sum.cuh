// The same with a sum of what other threads have, too.
__device__ bool tells() {
    float x = 1.1f * blockDim.z;
    float y = __fmul_rn(x, x);
    return -y + x * x != 0.0f;
}
