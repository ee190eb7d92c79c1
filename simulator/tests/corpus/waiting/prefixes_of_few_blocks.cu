// A scan in one pass by few blocks, all of them resident: each publishes its sum before it looks back at the one before it. Numbered
// by blockIdx it is a chain that goes on for however many blocks there are, and then works only in the usual order.
//@ run --entry scan --grid 6 --block 32 --arg inout:u32:1=zeros --arg inout:u64:6=zeros --arg in:i32:192=iota --arg out:i32:192
//! clean
//! defect 1: deadlock warning at look
//! defect 2: deadlock warning at look
extern "C" __global__ void scan(unsigned* ticket, unsigned long long* state, const int* in, int* out)
{
    __shared__ unsigned number, before;
    int t = threadIdx.x;
#if DEFECT == 1
    if (t == 0) number = blockIdx.x;
#elif DEFECT == 2
    if (t == 0) number = (blockIdx.x + atomicAdd(ticket, 0u)) % gridDim.x;
#else
    if (t == 0) number = atomicAdd(ticket, 1u);
#endif
    __syncwarp();
    unsigned me = number;
    int v = in[me * 32 + t];
    for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(~0u, v, d);
        if (t >= d) v += up;
    }
    if (t == 31) {
        atomicExch(&state[me], 1ull << 32 | (unsigned)v);
        unsigned sum = 0;
        for (unsigned k = me; k-- > 0;) { // <- look
            unsigned long long seen;
            while ((seen = atomicAdd(&state[k], 0ull)) >> 32 == 0) {} // <- look
            sum += (unsigned)seen;
        }
        before = sum;
    }
    __syncwarp();
    out[me * 32 + t] = v + before;
}
