// A warp waits for a byte that another warp raises; the other bytes of its word are plain data of others.
//@ run --entry wait --grid 1 --block 64 --arg in:i32:32=iota --arg out:i32:32 --arg inout:u8:4=zeros
//! clean
//! defect 1: race at fill and use
//! defect 2: race at raise and wait
//! defect 3: race at byte and wait
extern "C" __global__ void wait(const int* in, int* out, unsigned char* flags)
{
    __shared__ int s[32];
    volatile unsigned char* f = flags;
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        s[lane] = in[lane]; // <- fill
        __syncwarp();
        if (lane == 0) {
#if DEFECT != 1
            __threadfence();
#endif
#if DEFECT == 2
            flags[1] = 1; // <- raise
#else
            f[1] = 1;
#endif
        }
#if DEFECT == 3
        if (lane == 3) flags[1] = 1; // <- byte
#else
        if (lane == 3) flags[2] = 1;
#endif
    } else {
        if (lane == 5) flags[3] = 2;
        while (f[1] == 0) {} // <- wait
        __threadfence();
        out[lane] = s[31 - lane]; // <- use
    }
}
