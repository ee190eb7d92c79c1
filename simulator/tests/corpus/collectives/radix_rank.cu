// One pass of a radix sort over a tile: lanes with the same digit find each other by a match, warps leave their counts side by side, sixteen lanes scan them, and every key goes to its place.
//@ run --entry pass --grid 2 --block 128 --arg in:i32:256=iota --arg out:u32:256 --arg i32:4
//! clean
//! defect 1: race at zero and count
//! defect 2: race at count and total
//! defect 3: invalid_mask at scan
//! defect 4: race at start|total and place
//! defect 5: out_of_bounds at place; also=uninitialized_read
//! defect 6: race at place and leave
extern "C" __global__ void pass(const int* in, unsigned* out, int shift)
{
    __shared__ unsigned counts[4][16], starts[16], sorted[128];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    if (t < 64) counts[t / 16][t % 16] = 0; // <- zero
#if DEFECT != 1
    __syncthreads();
#endif
    unsigned key = (unsigned)in[blockIdx.x * 128 + t] * 2654435761u >> 20, digit = key >> shift & 15;
    unsigned peers = __match_any_sync(0xffffffff, digit);
    unsigned rank = __popc(peers & (1u << lane) - 1);
    if (rank == 0) counts[warp][digit] = __popc(peers); // <- count
#if DEFECT != 2
    __syncthreads();
#endif
    if (t < 16) {
        unsigned sum = 0;
        for (int w = 0; w < 4; ++w) {
            unsigned c = counts[w][t]; // <- total
            counts[w][t] = sum; // <- total
            sum += c;
        }
        unsigned all = sum;
        for (int d = 1; d < 16; d *= 2) {
#if DEFECT == 3
            unsigned up = __shfl_up_sync(0xffffffff, all, d, 16); // <- scan
#else
            unsigned up = __shfl_up_sync(0xffff, all, d, 16);
#endif
            if (t >= d) all += up;
        }
        starts[t] = all - sum; // <- start
    }
#if DEFECT != 4
    __syncthreads();
#endif
#if DEFECT == 5
    ++rank;
#endif
    sorted[starts[digit] + counts[warp][digit] + rank] = key; // <- place
#if DEFECT != 6
    __syncthreads();
#endif
    out[blockIdx.x * 128 + t] = sorted[t]; // <- leave
}
