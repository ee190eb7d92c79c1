// A warp hands a row to another warp of its block, or to another block: fence and flag need the scope that reaches the reader.
//@ run --entry hand --grid 2 --block 64 --arg inout:i32:64=zeros --arg inout:i32:2=zeros --arg out:i32:64
//! clean
//! defect 1: race at write and read
//! defect 2: race at raise|wait
//! defect 3: race at write and read
//! defect 4: race at write and read
extern "C" __global__ void hand(int* data, int* flags, int* out)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, block = blockIdx.x;
#if DEFECT == 1 || DEFECT == 2
    int from = 1 - block;
#else
    int from = block;
#endif
    if (warp == 0) {
        data[block * 32 + lane] = lane + 1; // <- write
        __syncwarp();
        if (lane == 0) {
#if DEFECT != 3
            __threadfence_block();
#endif
#if DEFECT == 2
            __threadfence();
            atomicExch_block(&flags[block], 1); // <- raise
#else
            atomicExch(&flags[block], 1);
#endif
        }
    } else {
        if (lane == 0) {
#if DEFECT == 2
            while (atomicAdd_block(&flags[from], 0) == 0) {} // <- wait
#else
            while (atomicAdd(&flags[from], 0) == 0) {}
#endif
#if DEFECT == 1 || DEFECT == 2
            __threadfence();
#elif DEFECT != 4
            __threadfence_block();
#endif
        }
        __syncwarp();
        out[block * 32 + lane] = data[from * 32 + 31 - lane]; // <- read
    }
}
//! label 4: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
