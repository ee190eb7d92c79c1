// A product and a difference that one build fuses and the other does not.
__device__ bool tells() {
    float x = 1.1f * blockDim.z;
    return x * x - 1.21f != __fsub_rn(__fmul_rn(x, x), 1.21f);
}
