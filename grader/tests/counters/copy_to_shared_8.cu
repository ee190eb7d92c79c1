// One warp copies 8 bytes a lane from global to shared memory in the background; the variants say where from, where to, and which lanes.
// entry: copy
// grid: 1
// block: 32
// arg: in:u32:65536=iota
// arg: out:u32:1024
// variant: distinct = --define FROM=t --define TO=t
// variant: from_stride_2 = --define FROM=(t*2) --define TO=t
// variant: from_stride_8 = --define FROM=(t*8) --define TO=t
// variant: from_stride_32 = --define FROM=(t*32) --define TO=t
// variant: from_same = --define FROM=7 --define TO=t
// variant: from_offset_3 = --define FROM=(t+3) --define TO=t
// variant: from_reversed = --define FROM=(31-t) --define TO=t
// variant: to_stride_2 = --define FROM=t --define TO=(t*2)
// variant: to_stride_3 = --define FROM=t --define TO=(t*3)
// variant: to_stride_8 = --define FROM=t --define TO=(t*8)
// variant: to_stride_32 = --define FROM=t --define TO=(t*32)
// variant: to_stride_33 = --define FROM=t --define TO=(t*33)
// variant: both_stride_32 = --define FROM=(t*32) --define TO=(t*32)
// variant: both_stride_4 = --define FROM=(t*4) --define TO=(t*4)
// variant: both_stride_8 = --define FROM=(t*8) --define TO=(t*8)
// variant: scattered = --define FROM=((t*2654435761u)>>20) --define TO=((t*13)&31)
// variant: lanes_first_5 = --define FROM=t --define TO=(t*32) --define 'LANES=t < 5'
// variant: lanes_odd = --define FROM=t --define TO=t --define 'LANES=t & 1'
// variant: zeros_odd = --define FROM=t --define TO=t --define 'ZEROS=(t&1)*8'
// variant: zeros_all = --define FROM=t --define TO=t --define ZEROS=8
// differs: shared_load_requests: the hardware counts instructions that a predicate turns off for every lane; they make no wavefront
// differs: shared_store_wavefronts @ scattered: where many lines are wanted the hardware takes more turns; presumably lines of one set of L1 cannot be looked up together, and which they are is not documented
// differs: global_load_bytes @ from_same: the hardware counts a byte once that several lanes want
#include <cuda_pipeline.h>

#ifndef LANES
#define LANES true
#endif
#ifndef ZEROS
#define ZEROS 0
#endif

extern "C" __global__ void copy(const unsigned* in, unsigned* out)
{
    __shared__ __align__(16) unsigned words[8192];
    unsigned t = threadIdx.x;
    if (LANES) __pipeline_memcpy_async(&words[2 * (TO)], &in[2 * (FROM)], 8, ZEROS);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (LANES) out[t] = words[2 * (TO)];
}
