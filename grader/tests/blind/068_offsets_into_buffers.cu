// same:INDEX+ELEMENTS counts in the elements of the buffer's own type, and from where the argument named begins.
//@ run --entry offsets --grid 1 --block 8 --arg inout:f64:32=iota --arg same:0+8 --arg same:1+8
//@ run --arg same:0+31 --arg inout:u8:16=iota --arg same:4+3 --arg inout:i16:4x8=iota --arg same:6+8
// save: 0 4 6
// reference: offsets

extern "C" __global__ void offsets(const double* whole, double* second, double* third, double* last, unsigned char* bytes,
    unsigned char* from_three, const short* rows, short* second_row)
{
    int t = threadIdx.x;
    second[t] = whole[t] + 0.5;
    third[t] = -whole[24 + t];
    __syncwarp(0xff);
    if (t == 0) *last = 1e300;
    from_three[t] = bytes[t + 3] + 100;
    second_row[t] = rows[t] * 1000;
}
