// One warp writes 1 bytes a lane to shared memory; the variants say where, and which lanes.
// entry: store
// grid: 1
// block: 32
// arg: inout:u32:1024=zeros
// variant: stride_1 = --define INDEX=(t*1)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_3 = --define INDEX=(t*3)
// variant: stride_4 = --define INDEX=(t*4)
// variant: stride_5 = --define INDEX=(t*5)
// variant: stride_6 = --define INDEX=(t*6)
// variant: stride_8 = --define INDEX=(t*8)
// variant: stride_12 = --define INDEX=(t*12)
// variant: stride_15 = --define INDEX=(t*15)
// variant: stride_16 = --define INDEX=(t*16)
// variant: stride_17 = --define INDEX=(t*17)
// variant: stride_31 = --define INDEX=(t*31)
// variant: stride_32 = --define INDEX=(t*32)
// variant: stride_33 = --define INDEX=(t*33)
// variant: swap_halves = --define INDEX=(t^16)
// variant: xor_1 = --define INDEX=(t^1)
// variant: xor_8 = --define INDEX=(t^8)
// variant: shifted_1 = --define INDEX=(t+1)
// variant: column_8 = --define INDEX=(t%8*32+t/8)
// variant: column_16 = --define INDEX=(t%16*32+t/16)
// variant: bits = --define INDEX=((t&1)*64+(t>>1))
// variant: bits_2 = --define INDEX=((t&3)*96+(t>>2))

#ifndef LANES
#define LANES true
#endif

extern "C" __global__ void store(unsigned* out)
{
    __shared__ __align__(16) unsigned words[1024];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 1024; i += 32) words[i] = i;
    __syncwarp();
    unsigned char* data = reinterpret_cast<unsigned char*>(words);
    if (LANES) data[INDEX] = (unsigned char)t;
    __syncwarp();
    out[t] = words[t];
}
