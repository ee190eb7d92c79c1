// Lanes call __syncwarp with a mask that doesn't name them.
//@ run --entry syncwarp_mask --grid 1 --block 32 --arg out:i32:32
// expect: invalid_mask error @ sync

extern "C" __global__ void syncwarp_mask(int* out)
{
    int t = threadIdx.x;
    out[t] = t;
    __syncwarp(0x00ff00ffu); // <- sync
    out[t] += 1;
}
