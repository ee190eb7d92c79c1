// Counts characters until a zero that isn't there.
//! launch length grid=1 block=1 in:u8:16=iota out:i32:1 i32:0
//! clean
//! defect 1: out_of_bounds at scan; arg2=i32:1
extern "C" __global__ void length(const unsigned char* text, int* out, int from)
{
    int n = from;
    while (text[n] != 0) { // <- scan
        ++n;
    }
    *out = n;
}
