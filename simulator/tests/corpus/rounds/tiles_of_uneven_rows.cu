// A block works through rows of different lengths, tile by tile, with two barriers for each tile; how many tiles a row has is the same for all threads.
//@ run --entry rows --grid 1 --block 64 --arg in:i32:6=values:0,130,190,190,257,320 --arg in:i32:320=iota --arg out:i32:5
//! clean
//! defect 1: barrier_divergence at load|done|row; also=race,uninitialized_read,invalid_mask
//! defect 2: race at put and fold
//! defect 3: out_of_bounds at put
extern "C" __global__ void rows(const int* starts, const int* values, int* out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int row = 0; row < 5; ++row) {
        int sum = 0;
        int end = starts[row + 1];
#if DEFECT == 1
        for (int base = starts[row]; base + t < end; base += 64) {
#else
        for (int base = starts[row]; base < end; base += 64) {
#endif
#if DEFECT == 3
            s[t] = values[base + t]; // <- put
#else
            s[t] = base + t < end ? values[base + t] : 0; // <- put
#endif
#if DEFECT != 2
            __syncthreads(); // <- load
#endif
            if (t < 8)
                for (int k = 0; k < 8; ++k) sum += s[k * 8 + t]; // <- fold
            __syncthreads(); // <- done
        }
        if (t < 8) {
            for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(0xff, sum, d);
            if (t == 0) out[row] = sum; // <- row
        }
    }
}
//! label 1: a consequence was not allowed: lanes that still wait do not come to the shuffle in time
