// One warp writes 8 bytes a lane to global memory; the variants say where.
// entry: store
// grid: 1
// block: 32
// arg: inout:u32:65536=zeros
// variant: stride_1 = --define INDEX=(t*1)
// variant: stride_2 = --define INDEX=(t*2)
// variant: stride_3 = --define INDEX=(t*3)
// variant: stride_4 = --define INDEX=(t*4)
// variant: stride_7 = --define INDEX=(t*7)
// variant: stride_8 = --define INDEX=(t*8)
// variant: stride_16 = --define INDEX=(t*16)
// variant: stride_32 = --define INDEX=(t*32)
// variant: stride_33 = --define INDEX=(t*33)
// variant: offset_1 = --define INDEX=(t+1)
// variant: offset_31 = --define INDEX=(t+31)
// variant: reversed = --define INDEX=(31-t)
// variant: halves = --define INDEX=(t/16*512+t%16)
// variant: xor_5 = --define INDEX=(t^5)
// variant: scattered = --define INDEX=((t*2654435761u)>>20)
// variant: scattered_near = --define INDEX=((t*2654435761u)>>26)

extern "C" __global__ void store(uint2* out)
{
    unsigned t = threadIdx.x;
    out[INDEX] = make_uint2(t, t);
}
