// One warp reads 1 bytes a lane from shared memory; the variants say where, and which lanes.
// entry: load
// grid: 1
// block: 32
// arg: inout:u32:1024=zeros
// variant: stride_0 = --define INDEX=(t*0)
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
// variant: pairs = --define INDEX=(t/2)
// variant: quads = --define INDEX=(t/4)
// variant: eights = --define INDEX=(t/8)
// variant: halves = --define INDEX=(t/16)
// variant: mod_2 = --define INDEX=(t%2)
// variant: mod_4 = --define INDEX=(t%4)
// variant: mod_8 = --define INDEX=(t%8)
// variant: mod_16 = --define INDEX=(t%16)
// variant: swap_halves = --define INDEX=(t^16)
// variant: xor_1 = --define INDEX=(t^1)
// variant: xor_8 = --define INDEX=(t^8)
// variant: shifted_1 = --define INDEX=(t+1)
// variant: column_8 = --define INDEX=(t%8*32+t/8)
// variant: column_16 = --define INDEX=(t%16*32+t/16)
// variant: bits = --define INDEX=((t&1)*64+(t>>1))
// variant: bits_2 = --define INDEX=((t&3)*96+(t>>2))
// variant: pairs_apart = --define INDEX=(t/2*16)
// variant: pairs_33 = --define INDEX=(t/2*33)
// variant: mod_2_apart = --define INDEX=(t%2*16)
// variant: mod_4_apart = --define INDEX=(t%4*32)
// variant: halves_apart = --define INDEX=(t/16*32)
// variant: quarter_apart = --define INDEX=(t/8*32)
// variant: random_0 = --define INDEX=((t*2654435761u^19088743u)*2246822519u>>22)
// variant: random_1 = --define INDEX=((t*2654435761u^2673524512u)*2246822519u>>22)
// variant: random_2 = --define INDEX=((t*2654435761u^1032992985u)*2246822519u>>22)
// variant: random_3 = --define INDEX=((t*2654435761u^3687428754u)*2246822519u>>22)
// variant: stride_128 = --define INDEX=(t*128)
// variant: stride_4_plus = --define INDEX=(t*4+t%4)

#ifndef LANES
#define LANES true
#endif

extern "C" __global__ void load(unsigned* out)
{
    __shared__ __align__(16) unsigned words[1024];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 1024; i += 32) words[i] = i;
    __syncwarp();
    const unsigned char* data = reinterpret_cast<const unsigned char*>(words);
    if (LANES) {
        unsigned char v = data[INDEX];
        out[t] = v;
    }
}
