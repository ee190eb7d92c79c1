// Persistent blocks draw rows of an image from a counter; a shared word tells all threads which row.
//@ run --entry draw --grid 3 --block 32 --arg inout:i32:1=zeros --arg out:i32:320 --arg i32:10
//! clean
//! defect 1: race at next and row
//! defect 2: race at next and row
//! defect 3: race at next
//! defect 4: race at count
extern "C" __global__ void draw(int* counter, int* image, int rows)
{
    __shared__ int row;
    for (;;) {
#if DEFECT == 3
        row = atomicAdd(counter, 1); // <- next
#elif DEFECT == 4
        if (threadIdx.x == 0) {
            row = *counter; // <- count
            *counter = row + 1; // <- count
        }
#else
        if (threadIdx.x == 0) row = atomicAdd(counter, 1); // <- next
#endif
#if DEFECT != 1
        __syncthreads();
#endif
        int mine = row; // <- row
#if DEFECT != 2
        __syncthreads();
#endif
        if (mine >= rows) break;
        int x = threadIdx.x, n = 0;
        for (float a = 0, b = 0; a * a + b * b < 4 && n < 20; ++n) {
            float c = a * a - b * b + x * 0.05f - 1;
            b = 2 * a * b + mine * 0.1f;
            a = c;
        }
        image[mine * 32 + x] = n;
    }
}
