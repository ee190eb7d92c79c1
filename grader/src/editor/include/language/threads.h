// Which thread this is, and how threads meet: barriers, and the lanes of a warp.
// What needs it has it already: no editor is to include it.
// IWYU pragma: private, include "course.cuh"
#pragma once

// The thread's place in its block.
extern const __device__ uint3 threadIdx;
// The block's place in the grid.
extern const __device__ uint3 blockIdx;
// Threads in a block, in each direction.
extern const __device__ dim3 blockDim;
// Blocks in the grid, in each direction.
extern const __device__ dim3 gridDim;
// Lanes in a warp: 32.
extern const __device__ int warpSize;

// Waits until every thread of the block is here; what each wrote before, all see afterwards.
__device__ void __syncthreads();
// The same; in how many threads `predicate` is not zero.
__device__ int __syncthreads_count(int predicate);
// The same; whether `predicate` is not zero in every thread.
__device__ int __syncthreads_and(int predicate);
// The same; whether `predicate` is not zero in any thread.
__device__ int __syncthreads_or(int predicate);

// Waits until every lane of the mask is here; what each wrote before, all of them see afterwards.
__device__ void __syncwarp(unsigned int mask = 0xffffffffu);

// Clusters, from compute capability 9.0 on.
__device__ void __cluster_barrier_arrive();
__device__ void __cluster_barrier_arrive_relaxed();
__device__ void __cluster_barrier_wait();
__device__ void *__cluster_map_shared_rank(const void *address, unsigned int rank);
__device__ unsigned int __cluster_query_shared_rank(const void *address);
__device__ unsigned int __clusterRelativeBlockRank();
__device__ unsigned int __clusterSizeInBlocks();
__device__ dim3 __clusterDim();
__device__ dim3 __clusterIdx();
__device__ dim3 __clusterRelativeBlockIdx();
__device__ dim3 __clusterGridDimInClusters();

// Which lanes happen to run this together. No lane can rely on it.
__device__ unsigned int __activemask();
// Whether `predicate` is not zero in every lane of the mask.
__device__ int __all_sync(unsigned int mask, int predicate);
// Whether `predicate` is not zero in any lane of the mask.
__device__ int __any_sync(unsigned int mask, int predicate);
// In which lanes of the mask `predicate` is not zero, a bit for each.
__device__ unsigned int __ballot_sync(unsigned int mask, int predicate);

#define CUDA_EXCHANGES(type)                                                                   \
    __device__ type __shfl_sync(unsigned int mask, type value, int lane, int width = 32);      \
    __device__ type __shfl_up_sync(unsigned int mask, type value, unsigned int delta,          \
                                   int width = 32);                                            \
    __device__ type __shfl_down_sync(unsigned int mask, type value, unsigned int delta,        \
                                     int width = 32);                                          \
    __device__ type __shfl_xor_sync(unsigned int mask, type value, int lanes, int width = 32); \
    __device__ unsigned int __match_any_sync(unsigned int mask, type value);                   \
    __device__ unsigned int __match_all_sync(unsigned int mask, type value, int *all);
CUDA_EXCHANGES(int)
CUDA_EXCHANGES(unsigned int)
CUDA_EXCHANGES(long)
CUDA_EXCHANGES(unsigned long)
CUDA_EXCHANGES(long long)
CUDA_EXCHANGES(unsigned long long)
CUDA_EXCHANGES(float)
CUDA_EXCHANGES(double)
#undef CUDA_EXCHANGES

// Over the lanes of the mask; compute capability 8.0.
__device__ int __reduce_add_sync(unsigned int mask, int value);
__device__ int __reduce_min_sync(unsigned int mask, int value);
__device__ int __reduce_max_sync(unsigned int mask, int value);
__device__ unsigned int __reduce_add_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_min_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_max_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_and_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value);
