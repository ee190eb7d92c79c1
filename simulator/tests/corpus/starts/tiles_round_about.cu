// Persistent resident blocks take every gridDim-th tile and pass a carry from tile to tile, so that the first waits for the last again and again.
//@ run --entry carry --grid 4 --block 32 --arg in:i32:640=iota --arg inout:i32:21=zeros --arg inout:u32:21=values:1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 --arg out:i32:640 --arg i32:20 --budget 6000000
//! clean
//! defect 1: race at leave and carry
//! defect 2: deadlock at wait
//! defect 3: race at carry|leave and leave|carry
extern "C" __global__ void carry(const int* in, int* carries, unsigned* ready, int* out, int tiles)
{
    int t = threadIdx.x;
#if DEFECT == 3
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x - 1) {
#else
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#endif
        int v = in[tile * 32 + t];
        for (int d = 1; d < 32; d *= 2) {
            int up = __shfl_up_sync(~0u, v, d);
            if (t >= d) v += up;
        }
        int before = 0;
        if (t == 31) {
            while (atomicAdd(&ready[tile], 0u) == 0u) {} // <- wait
            __threadfence();
            before = carries[tile]; // <- carry
            carries[tile + 1] = before + v; // <- leave
#if DEFECT != 1
            __threadfence();
#endif
#if DEFECT == 2
            if (tile != 9) atomicExch(&ready[tile + 1], 1u);
#else
            atomicExch(&ready[tile + 1], 1u);
#endif
        }
        before = __shfl_sync(~0u, before, 31);
        out[tile * 32 + t] = before + v; // <- carry
    }
}
