// Counts characters until a zero that isn't there.
//@ run --entry length --grid 1 --block 1 --arg in:u8:16=iota --arg out:i32:1 --arg i32:0
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
