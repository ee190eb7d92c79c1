// The headers a C++ programmer includes without thinking, and host code hidden from NVRTC.
//@ run --entry standard_headers --grid 1 --block 64 --arg in:u32:64=words.npy --arg out:u64:64
// save: 1
// reference: standard_headers

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

extern "C" __global__ void standard_headers(const uint32_t* in, uint64_t* out)
{
    const int32_t i = threadIdx.x;
    const uint8_t low = static_cast<uint8_t>(in[i]);
    out[i] = static_cast<uint64_t>(in[i]) * low + static_cast<uint64_t>(sizeof(uintptr_t));
}

#ifndef __CUDACC_RTC__
int main() { printf("not for NVRTC\n"); }
#endif
