//! style: a class hands out aligned arrays of the pool; a block of 96 threads, its tree rounded up.

#include "course.cuh"

LAUNCH_CONSTANT(BLOCK_SIZE, 96);

// Cuts arrays from the launch's shared memory, one behind the other.
class Pool {
  public:
    template <typename T> __device__ T *take(int count) {
        used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
        T *array = reinterpret_cast<T *>(bytes() + used_);
        used_ += count * sizeof(T);
        return array;
    }

  private:
    static __device__ char *bytes() {
        extern __shared__ double memory[];
        return reinterpret_cast<char *>(memory);
    }
    size_t used_ = 0;
};

template <typename Operation>
__device__ double reduce(double *partial, double mine, Operation operation) {
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int left = BLOCK_SIZE; left > 1; left = ceil_div(left, 2)) {
        int other = threadIdx.x + ceil_div(left, 2);
        if (other < left) {
            partial[threadIdx.x] = operation(partial[threadIdx.x], partial[other]);
        }
        __syncthreads();
    }
    double result = partial[0];
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax(const float *in, float *out, int columns) {
    Pool pool;
    float *row = pool.take<float>(columns);
    double *partial = pool.take<double>(BLOCK_SIZE);
    const float *from = in + static_cast<size_t>(blockIdx.x) * columns;
    float *to = out + static_cast<size_t>(blockIdx.x) * columns;

    double mine = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        row[i] = from[i];
        mine = fmax(mine, static_cast<double>(row[i]));
    }
    double maximum = reduce(partial, mine, [](double x, double y) { return fmax(x, y); });
    mine = 0.0;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        row[i] = exp(row[i] - maximum);
        mine += row[i];
    }
    double sum = reduce(partial, mine, [](double x, double y) { return x + y; });
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) {
        to[i] = row[i] / sum;
    }
}
