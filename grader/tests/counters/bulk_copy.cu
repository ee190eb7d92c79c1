// One thread has bytes copied between global and shared memory, block by block; the variants say how many, from where, and which way.
// entry: copy
// grid: 2
// block: 32
// arg: in:u32:65536=iota
// arg: inout:u32:65536=zeros
// variant: bytes_16 = --define BYTES=16
// variant: bytes_32 = --define BYTES=32
// variant: bytes_48 = --define BYTES=48
// variant: bytes_512 = --define BYTES=512
// variant: bytes_4096 = --define BYTES=4096
// variant: offset_16 = --define BYTES=512 --define OFFSET=4
// variant: offset_48 = --define BYTES=1024 --define OFFSET=12
// variant: four_copies = --define BYTES=256 --define COPIES=4
// variant: one_place = --define BYTES=256 --define COPIES=4 --define APART=0
// variant: out_16 = --define BYTES=16 --define OUT=1
// variant: out_512 = --define BYTES=512 --define OUT=1
// variant: out_offset_16 = --define BYTES=512 --define OFFSET=4 --define OUT=1
// variant: out_four_copies = --define BYTES=256 --define COPIES=4 --define OUT=1
// variant: add_512 = --define BYTES=512 --define OUT=2
// variant: add_offset_16 = --define BYTES=512 --define OFFSET=4 --define OUT=2
// variant: add_four_copies = --define BYTES=256 --define COPIES=4 --define OUT=2

#ifndef OFFSET
#define OFFSET 0
#endif
#ifndef COPIES
#define COPIES 1
#endif
#ifndef APART
#define APART (BYTES / 4)
#endif
#ifndef OUT
#define OUT 0
#endif

#define SHARED(at) ((unsigned)__cvta_generic_to_shared(at))

extern "C" __global__ void copy(const unsigned* in, unsigned* out)
{
    __shared__ __align__(128) unsigned words[4096];
    __shared__ unsigned long long barrier;
    const unsigned* from = in + blockIdx.x * 32768 + OFFSET;
    unsigned* to = out + blockIdx.x * 32768 + OFFSET;
    unsigned bar = SHARED(&barrier);
    if (threadIdx.x == 0) {
#if OUT == 0
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(BYTES * COPIES) : "memory");
        for (unsigned i = 0; i < COPIES; ++i)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             SHARED(words + i * (BYTES / 4))),
                         "l"(__cvta_generic_to_global(from + i * APART)), "r"(BYTES), "r"(bar)
                         : "memory");
#else
        for (unsigned i = 0; i < COPIES * BYTES / 4; ++i) words[i] = i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        for (unsigned i = 0; i < COPIES; ++i)
#if OUT == 1
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to + i * APART)),
#else
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to + i * APART)),
#endif
                         "r"(SHARED(words + i * (BYTES / 4))), "r"(BYTES)
                         : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
#endif
    }
#if OUT == 0
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra W;\n}" ::"r"(bar) : "memory");
    to[threadIdx.x] = words[threadIdx.x & 3];
#endif
}
