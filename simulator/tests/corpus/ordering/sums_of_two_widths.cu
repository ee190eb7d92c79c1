// A 64-bit sum by 64-bit atomics; its low half may be read by whoever comes after a barrier, not by a 32-bit atomic meanwhile.
//@ run --entry wide --grid 1 --block 64 --arg in:i32:64=iota --arg inout:u64:1=zeros --arg out:u32:64
//! clean
//! defect 1: race at add and low
//! defect 2: race at add and low
//! defect 3: race at add and low
extern "C" __global__ void wide(const int* in, unsigned long long* sum, unsigned* out)
{
    int t = threadIdx.x;
    atomicAdd(sum, (unsigned long long)in[t] << 20); // <- add
#if DEFECT == 1
    out[t] = atomicAdd((unsigned*)sum, 0u); // <- low
#elif DEFECT == 2
    out[t] = ((volatile unsigned*)sum)[0]; // <- low
#elif DEFECT == 3
    __syncwarp();
    out[t] = ((unsigned*)sum)[1]; // <- low
#else
    __syncthreads();
    out[t] = ((unsigned*)sum)[t % 2]; // <- low
#endif
}
