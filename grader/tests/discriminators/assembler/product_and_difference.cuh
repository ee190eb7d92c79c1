// What both PTXs keep apart and the assembler may fuse.
__device__ bool tells() {
    float x = 1.1f * blockDim.z;
    float y = __fmul_rn(x, x);
    return x * x - y != 0.0f;
}
