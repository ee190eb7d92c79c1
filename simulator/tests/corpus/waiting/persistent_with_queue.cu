// Persistent blocks fetch tiles by a counter until there are none; the number is told to the block through shared memory, which must not be overwritten while anybody still reads it.
//@ run --entry work --grid 3 --block 48 --arg inout:i32:1=zeros --arg in:i32:528=iota --arg out:i32:528 --arg i32:11 --budget 300000
//! clean
//! defect 1: race at number and told
//! defect 2: race at told and number; also=barrier_divergence
//! defect 3: race at number and number; also=unfinished,uninitialized_read
//! defect 4: out_of_bounds at item
//! defect 5: barrier_divergence at wait|again; also=race
extern "C" __global__ void work(int* next, const int* in, int* out, int tiles)
{
    __shared__ int tile;
    __shared__ int s[48];
    int t = threadIdx.x;
    while (true) {
#if DEFECT == 3
        tile = t == 0 ? atomicAdd(next, 1) : tile; // <- number
#else
        if (t == 0) tile = atomicAdd(next, 1); // <- number
#endif
#if DEFECT != 1
        __syncthreads(); // <- wait
#endif
        int mine = tile; // <- told
#if DEFECT == 4
        if (mine > tiles) break;
#elif DEFECT == 5
        if (mine >= tiles || mine % 4 == 3 && t >= 32) break;
#else
        if (mine >= tiles) break;
#endif
        s[t] = in[mine * 48 + t] * 2; // <- item
#if DEFECT == 2
        if (t >= 32) __syncwarp(0xffff);
        else __syncwarp();
        out[mine * 48 + t] = s[t ^ 1] + 1;
#else
        __syncthreads(); // <- again
        out[mine * 48 + t] = s[47 - t] + 1;
        __syncthreads(); // <- again
#endif
    }
}
//! label 2: a consequence was not allowed: warps that are told different tiles stop at different rounds
//! label 3: consequences were not allowed: what a lane keeps is what nobody stored, and may never be past the end
