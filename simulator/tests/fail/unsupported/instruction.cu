//@ run --entry quantum --grid 1 --block 32 --arg inout:u32:32=zeros
extern "C" __global__ void quantum(unsigned* out) {
    if (threadIdx.x < 4) asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" :: "l"(out) : "memory");
    out[threadIdx.x] = 1;
}
