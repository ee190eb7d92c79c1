// A warp rotates its values in place: read, then write; the writes must wait for the reads.
//@ run --entry rotate --grid 1 --block 32 --arg inout:i32:32=iota
//! clean
//! defect 1: race at read and write
extern "C" __global__ void rotate(int* data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncwarp();
    for (int k = 0; k < 3; ++k) {
        int v = s[(t + 1) % 32]; // <- read
#if !DEFECT
        __syncwarp();
#endif
        s[t] = v + k; // <- write
        __syncwarp();
    }
    data[t] = s[t];
}
