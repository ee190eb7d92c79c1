// A texture of memory that the same kernel writes: a thread reads its own element, and then writes it.
//@ run --entry square --grid 2 --block 32 --arg inout:f32:64=iota --arg texture:same:0,memory
//! clean
//! defect 1: race at read and store
//! defect 2: race at read and store
//! defect 3: race at last and store
//! defect 4: out_of_bounds at read; also=race
extern "C" __global__ void square(float* values, cudaTextureObject_t same)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 1
    const float value = tex1Dfetch<float>(same, i ^ 1); // <- read
#elif DEFECT == 2
    const float value = tex1Dfetch<float>(same, 63 - i); // <- read
    __syncthreads();
#elif DEFECT == 4
    const float value = tex1Dfetch<float>(same, i - 1); // <- read
    __syncthreads();
#else
    const float value = tex1Dfetch<float>(same, i); // <- read
#endif
    values[i] = value * value; // <- store
#if DEFECT == 3
    __threadfence();
    if (tex1Dfetch<float>(same, i) > 100) values[i] = 100; // <- last
#endif
}
