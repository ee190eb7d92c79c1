// 09-dynamic-shared: the softmax of every row, in a pool of shared memory sized at run time.
//
// Task
//   For each row of `in`:   out[i] = exp(in[i] - maximum) / sum over j of exp(in[j] - maximum)
//   where maximum is the largest element of the row. Without the maximum exp() overflows: the rows
//   here reach far beyond 88.
//
// Given
//   `in` and `out` hold one row of `columns` floats for each block, row after row, and fewer than
//   2^32 floats in all. All of them are finite. A block has BLOCK_SIZE threads. The launch gives
//   each block a pool of dynamic shared memory with room for
//     columns floats,                          rounded up to a multiple of 8 bytes, and then
//     BLOCK_SIZE doubles, one for each thread.
//   That is up to 64 KiB. A static array has at most 48 KiB.
//
// Write
//   Between the marks, cut the pool in two yourself: declare one `extern __shared__` array, with a
//   float pointer and a double pointer into it. Keep the row in the floats. Use the doubles to find
//   first the maximum of the threads' maxima, then the sum of the threads' sums.
//
// Rules
//   Each element is read from global memory once and written once, and neighbouring threads touch
//   neighbouring elements. In between the pool keeps the row. There are no bank conflicts. The
//   threads' sums are added as doubles, so that the order in which threads add hardly shows.
//
// Check
//   grader check 09-dynamic-shared
//   grader hint 09-dynamic-shared      (if you are stuck)

#include "course.cuh"

// Threads in a block, yours to choose: a multiple of 32 from 64 to 512. Powers of two make a tidy
// tree.
LAUNCH_CONSTANT(BLOCK_SIZE, 512);

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    // >>> your code: pool, maximum, sum, quotients
    extern __shared__ double pool[];
    // The doubles begin where the floats end, rounded up to a whole double.
    float *row = reinterpret_cast<float *>(pool);
    double *partial = pool + ceil_div(columns, 2);
    in += static_cast<size_t>(blockIdx.x) * columns;
    out += static_cast<size_t>(blockIdx.x) * columns;
    int thread = threadIdx.x;

    // In all three passes a thread touches only its own elements of the row, so the row needs no
    // barrier.
    float maximum = -INFINITY;
    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        row[i] = in[i];
        maximum = fmaxf(maximum, row[i]);
    }
    partial[thread] = maximum;
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (thread < stride) {
            partial[thread] = fmax(partial[thread], partial[thread + stride]);
        }
    }
    __syncthreads();
    maximum = partial[0];
    __syncthreads(); // All threads have read it; the sums may overwrite it.

    double sum = 0.0;
    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        row[i] = expf(row[i] - maximum);
        sum += row[i];
    }
    partial[thread] = sum;
    for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (thread < stride) {
            partial[thread] += partial[thread + stride];
        }
    }
    __syncthreads();
    // Each thread divides once, instead of once for each element.
    float scale = 1.0 / partial[0];

    for (int i = thread; i < columns; i += BLOCK_SIZE) {
        out[i] = row[i] * scale;
    }
    // <<<
}
