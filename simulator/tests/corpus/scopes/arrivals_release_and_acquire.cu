// The last block by fetch_add with acq_rel: it has what all wrote. With release only it has not acquired it.
//@ run --entry total --grid 4 --block 32 --arg inout:i32:4=zeros --arg inout:i32:1=zeros --arg out:i32:1
//! clean
//! defect 1: race at part and all
//! defect 2: race at part and all
#include <cuda/atomic>
extern "C" __global__ void total(int* parts, int* arrived, int* out)
{
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> n(*arrived);
    parts[blockIdx.x] = blockIdx.x * blockIdx.x; // <- part
#if DEFECT == 1
    int before = n.fetch_add(1, cuda::memory_order_acquire);
#elif DEFECT == 2
    int before = n.fetch_add(1, cuda::memory_order_release);
#else
    int before = n.fetch_add(1, cuda::memory_order_acq_rel);
#endif
    if (before == 3) {
        int sum = 0;
        for (int k = 0; k < 4; ++k) {
            sum += parts[k]; // <- all
        }
        *out = sum;
    }
}
//! label 2: was a warning; without its acquire side the data may be read before the flag, so a missing one is an error
