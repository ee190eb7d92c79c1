// Asynchronous copies from global into shared memory, by a thread. Declarations only.
#pragma once

__device__ void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes,
                                        size_t zeros = 0);
__device__ void __pipeline_commit();
__device__ void __pipeline_wait_prior(size_t groups);
