// A wavefront over rows of blocks: each block waits for its upper neighbour's flag of this step. All blocks are resident.
//@ run --entry front --grid 4 --block 32 --cooperative --arg inout:i32:4x4x32=zeros --arg inout:i32:16=zeros
//! clean
//! defect 1: race at cell and upper
//! defect 2: race at cell and upper
extern "C" __global__ void front(int* cells, int* flags)
{
    int t = threadIdx.x, b = blockIdx.x;
    for (int step = 0; step < 4; ++step) {
        int value = step + 1;
        if (b > 0) {
            if (t == 0) {
#if DEFECT != 1
                while (atomicAdd(&flags[(b - 1) * 4 + step], 0) == 0) {}
#endif
                __threadfence();
            }
            __syncthreads();
            value += cells[((b - 1) * 4 + step) * 32 + 31 - t]; // <- upper
        }
        cells[(b * 4 + step) * 32 + t] = value; // <- cell
#if DEFECT != 2
        __syncthreads();
#endif
        if (t == 0) {
            __threadfence();
            atomicExch(&flags[b * 4 + step], 1);
        }
    }
}
