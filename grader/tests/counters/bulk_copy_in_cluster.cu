// Copies between the blocks of a cluster, and from global memory to the shared memory of both.
// entry: copy
// grid: 4
// block: 32
// arg: in:u32:65536=iota
// arg: out:u32:65536
// variant: across_512 = --define BYTES=512
// variant: across_4096 = --define BYTES=4096
// variant: multicast_512 = --define BYTES=512 --define MULTICAST=1
// variant: multicast_4096 = --define BYTES=4096 --define MULTICAST=1

#ifndef MULTICAST
#define MULTICAST 0
#endif

#define SHARED(at) ((unsigned)__cvta_generic_to_shared(at))

extern "C" __global__ void __cluster_dims__(2) copy(const unsigned* in, unsigned* out)
{
    __shared__ __align__(128) unsigned words[1024];
    __shared__ __align__(128) unsigned came[1024];
    __shared__ unsigned long long barrier;
    auto in_other = [](unsigned address, unsigned rank) {
        unsigned there;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
        return there;
    };
    unsigned rank = blockIdx.x & 1, bar = SHARED(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
        for (unsigned i = 0; i < BYTES / 4; ++i) words[i] = i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(BYTES) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
#if MULTICAST
        if (rank == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                             SHARED(came)),
                         "l"(__cvta_generic_to_global(in + blockIdx.x * 1024)), "r"(BYTES), "r"(bar), "h"((unsigned short)3)
                         : "memory");
#else
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         in_other(SHARED(came), rank ^ 1)),
                     "r"(SHARED(words)), "r"(BYTES), "r"(in_other(bar, rank ^ 1))
                     : "memory");
#endif
    }
    asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra W;\n}" ::"r"(bar) : "memory");
    out[blockIdx.x * 32 + threadIdx.x] = came[threadIdx.x];
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
