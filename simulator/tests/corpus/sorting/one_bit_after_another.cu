// A radix sort of one block, a bit a pass: a scan of the zeros gives every key its new place.
//@ run --entry sort --grid 1 --block 64 --arg inout:u32:64=values:9,3,60,1,33,7,52,14,28,2,41,19,63,5,38,22,11,47,30,0,55,17,44,6,26,59,8,36,13,50,21,4,61,32,16,48,10,39,25,57,12,45,29,62,18,34,54,20,43,15,58,24,49,35,27,46,31,53,40,23,51,37,56,42 --arg i32:6
//! clean
//! defect 1: race at place and take|head
//! defect 2: race at scan and total
//! defect 3: race at bit and scan
//! defect 4: race at place
//! defect 5: out_of_bounds at place; also=race,uninitialized_read
extern "C" __global__ void sort(unsigned* keys, int bits)
{
    __shared__ unsigned key[64];
    __shared__ unsigned zeros[64];
    int t = threadIdx.x;
    key[t] = keys[t]; // <- place
    __syncthreads();
    for (int b = 0; b < bits; ++b) { // <- head
        unsigned mine = key[t]; // <- take
        unsigned zero = ~mine >> b & 1;
        zeros[t] = zero; // <- bit
#if DEFECT != 3
        __syncthreads();
#endif
        for (int d = 1; d < 64; d *= 2) {
            unsigned left = t >= d ? zeros[t - d] : 0; // <- scan
            __syncthreads();
            zeros[t] += left; // <- scan
#if DEFECT == 2
            if (d < 32)
#endif
            __syncthreads();
        }
        unsigned before = zeros[t] - zero, all = zeros[63]; // <- total
#if DEFECT == 4
        unsigned to = zero ? before : all + t / 2;
        to = to < 64 ? to : 63;
#elif DEFECT == 5
        unsigned to = zero ? before : all + 1 + t - before;
#else
        unsigned to = zero ? before : all + t - before;
#endif
        key[to] = mine; // <- place
#if DEFECT != 1
        __syncthreads();
#endif
    }
    keys[t] = key[t]; // <- take
}
//! label 1: named the line of the read; the compiler reads once for the round and for what follows the loop, and gives that read no line of its own
