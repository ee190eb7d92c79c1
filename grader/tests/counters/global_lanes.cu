// Global accesses by some lanes of the warp only.
// entry: some
// grid: 1
// block: 32
// arg: in:u32:65536=iota
// arg: inout:u32:1024=zeros
// variant: first_1 = --define 'LANES=t < 1'
// variant: first_5 = --define 'LANES=t < 5'
// variant: first_8 = --define 'LANES=t < 8'
// variant: first_16 = --define 'LANES=t < 16'
// variant: first_17 = --define 'LANES=t < 17'
// variant: odd = --define 'LANES=t & 1'
// variant: every_4th = --define 'LANES=t % 4 == 0'
// variant: every_8th = --define 'LANES=t % 8 == 0'
// variant: second_half = --define 'LANES=t >= 16'
// variant: all_but_0 = --define 'LANES=t > 0'
// variant: ends = --define 'LANES=t == 0 || t == 31'

extern "C" __global__ void some(const unsigned* in, unsigned* out)
{
    unsigned t = threadIdx.x;
    if (LANES) out[t * 2] = in[t * 3];
}
