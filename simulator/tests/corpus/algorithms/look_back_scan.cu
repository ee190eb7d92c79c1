// A single-pass scan by decoupled look-back: tickets, partial sums and prefixes published with fences, block sums by warps.
//@ run --entry scan --grid 6 --block 64 --arg in:i32:384=iota --arg out:i32:384 --arg inout:i32:6=zeros --arg inout:i32:6=zeros --arg inout:i32:6=zeros --arg inout:i32:1=zeros
//! clean
//! defect 1: race at part and sum
//! defect 2: race at prefix and end
//! defect 3: race at carry and use
extern "C" __global__ void scan(const int* in, int* out, int* part, int* prefix, int* status, int* ticket)
{
    __shared__ int s[64];
    __shared__ int me, carry;
    int t = threadIdx.x;
    if (t == 0) me = atomicAdd(ticket, 1);
    __syncthreads();
    int b = me;
    s[t] = in[b * 64 + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        int total = s[63], before = 0;
        if (b > 0) {
            part[b] = total; // <- part
#if DEFECT != 1
            __threadfence();
#endif
            atomicExch(&status[b], 1);
            for (int k = b - 1; k >= 0; --k) {
                int seen;
                while ((seen = atomicAdd(&status[k], 0)) == 0) {}
                __threadfence();
                if (seen == 2) {
                    before += prefix[k]; // <- end
                    break;
                }
                before += part[k]; // <- sum
            }
        }
        prefix[b] = before + total; // <- prefix
#if DEFECT != 2
        __threadfence();
#endif
        atomicExch(&status[b], 2);
        carry = before; // <- carry
    }
#if DEFECT != 3
    __syncthreads();
#endif
    out[b * 64 + t] = s[t] + carry; // <- use
}
