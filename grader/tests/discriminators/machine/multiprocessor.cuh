// Which multiprocessor runs the block.
__device__ bool tells() {
    unsigned int which;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(which));
    return which == blockIdx.x;
}
