// One warp reads 8 bytes a lane from shared memory; the variants say where, and which lanes.
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
// variant: random_4 = --define INDEX=((t*2654435761u^2046897227u)*2246822519u>>22)
// variant: random_5 = --define INDEX=((t*2654435761u^406365700u)*2246822519u>>22)
// variant: random_6 = --define INDEX=((t*2654435761u^3060801469u)*2246822519u>>22)
// variant: random_7 = --define INDEX=((t*2654435761u^1420269942u)*2246822519u>>22)
// variant: few_0 = --define INDEX=((t*2654435761u^124076833u)*2246822519u>>27)
// variant: few_1 = --define INDEX=((t*2654435761u^2370899340u)*2246822519u>>27)
// variant: few_2 = --define INDEX=((t*2654435761u^322754551u)*2246822519u>>27)
// variant: few_3 = --define INDEX=((t*2654435761u^2569577058u)*2246822519u>>28)
// variant: few_4 = --define INDEX=((t*2654435761u^521432269u)*2246822519u>>28)
// variant: few_5 = --define INDEX=((t*2654435761u^2768254776u)*2246822519u>>28)
// variant: few_6 = --define INDEX=((t*2654435761u^720109987u)*2246822519u>>29)
// variant: few_7 = --define INDEX=((t*2654435761u^2966932494u)*2246822519u>>29)
// variant: few_8 = --define INDEX=((t*2654435761u^918787705u)*2246822519u>>29)
// variant: few_9 = --define INDEX=((t*2654435761u^3165610212u)*2246822519u>>30)
// variant: few_10 = --define INDEX=((t*2654435761u^1117465423u)*2246822519u>>30)
// variant: few_11 = --define INDEX=((t*2654435761u^3364287930u)*2246822519u>>26)
// variant: lanes_first_1 = --define INDEX=(t*2) --define 'LANES=t < 1'
// variant: lanes_first_5 = --define INDEX=(t*2) --define 'LANES=t < 5'
// variant: lanes_first_8 = --define INDEX=(t*2) --define 'LANES=t < 8'
// variant: lanes_first_16 = --define INDEX=(t*2) --define 'LANES=t < 16'
// variant: lanes_first_17 = --define INDEX=(t*2) --define 'LANES=t < 17'
// variant: lanes_odd = --define INDEX=(t*2) --define 'LANES=t & 1'
// variant: lanes_every_4th = --define INDEX=(t*2) --define 'LANES=t % 4 == 0'
// variant: lanes_every_8th = --define INDEX=(t*2) --define 'LANES=t % 8 == 0'
// variant: lanes_second_half = --define INDEX=(t*2) --define 'LANES=t >= 16'
// variant: lanes_all_but_0 = --define INDEX=(t*2) --define 'LANES=t > 0'
// variant: lanes_ends = --define INDEX=(t*2) --define 'LANES=t == 0 || t == 31'
// variant: scattered_first_1 = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t < 1'
// variant: scattered_first_5 = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t < 5'
// variant: scattered_first_8 = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t < 8'
// variant: scattered_first_16 = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t < 16'
// variant: scattered_first_17 = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t < 17'
// variant: scattered_odd = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t & 1'
// variant: scattered_every_4th = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t % 4 == 0'
// variant: scattered_every_8th = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t % 8 == 0'
// variant: scattered_second_half = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t >= 16'
// variant: scattered_all_but_0 = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t > 0'
// variant: scattered_ends = --define INDEX=((t*2654435761u^77u)*2246822519u>>27) --define 'LANES=t == 0 || t == 31'

#ifndef LANES
#define LANES true
#endif

extern "C" __global__ void load(unsigned* out)
{
    __shared__ __align__(16) unsigned words[3072];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 3072; i += 32) words[i] = i;
    __syncwarp();
    const uint2* data = reinterpret_cast<const uint2*>(words);
    if (LANES) {
        uint2 v = data[INDEX];
        out[t] = v.x + v.y;
    }
}
