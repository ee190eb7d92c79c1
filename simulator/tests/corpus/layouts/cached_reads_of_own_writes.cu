// A relaxation that reads its input through the read-only cache and writes another buffer; the buffers change roles between launches, so that a kernel never reads so what it writes.
//@ run --entry relax --grid 2 --block 64 --arg inout:f32:130=iota --arg inout:f32:130=zeros
//! clean
//! defect 1: race at read and write
//! defect 2: out_of_bounds at read
//! defect 3: race at read and write; arg1=same:0
extern "C" __global__ void relax(float* in, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
#if DEFECT == 2
    float left = __ldg(&in[i - 2]), right = __ldg(&in[i + 1]); // <- read
#else
    float left = __ldg(&in[i - 1]), right = __ldg(&in[i + 1]); // <- read
#endif
    float here = __ldg(&in[i]); // <- read
#if DEFECT == 1
    in[i] = here + 0.25f * (left - 2 * here + right); // <- write
#else
    out[i] = here + 0.25f * (left - 2 * here + right); // <- write
#endif
}
