// A sparse matrix times a vector, which is read through a texture of its memory.
//@ run --entry multiply --grid 1 --block 32 --arg inout:f32:32=iota --arg texture:same:0,memory --arg in:i32:64=iota --arg out:f32:32
//! clean
//! defect 1: out_of_bounds at fetch
//! defect 2: race at fetch and store
//! defect 3: out_of_bounds at fetch
//! defect 4: race at fetch and store
extern "C" __global__ void multiply(float* x, cudaTextureObject_t vector, const int* columns, float* y)
{
    const int row = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
        const int column = columns[2 * row + k] * 5 % 32;
#if DEFECT == 1
        sum += (k + 1) * tex1Dfetch<float>(vector, column + 1); // <- fetch
#elif DEFECT == 3
        sum += (k + 1) * tex1D<float>(vector, column); // <- fetch
#else
        sum += (k + 1) * tex1Dfetch<float>(vector, column); // <- fetch
#endif
    }
#if DEFECT == 4
    // A barrier orders the threads, but the next product would take what the cache has.
    __syncthreads();
    x[row] = sum; // <- store
    __syncthreads();
    sum = tex1Dfetch<float>(vector, 31 - row); // <- fetch
    y[row] = sum;
#elif DEFECT == 2
    x[row] = sum; // <- store
#else
    y[row] = sum; // <- store
#endif
}
