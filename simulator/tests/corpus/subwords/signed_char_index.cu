// A character as an index: plain char is signed here, so that a byte of 128 and more goes before the table.
//@ run --entry letters --grid 1 --block 64 --arg in:u8:64=values:0,1,2,3,200,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63 --arg inout:i32:256=zeros
//! clean
//! defect 1: out_of_bounds at count
//! defect 2: race at count
extern "C" __global__ void letters(const char* text, int* counts)
{
#if DEFECT == 1
    atomicAdd(&counts[text[threadIdx.x]], 1); // <- count
#elif DEFECT == 2
    counts[(unsigned char)text[threadIdx.x] / 2]++; // <- count
#else
    atomicAdd(&counts[(unsigned char)text[threadIdx.x]], 1);
#endif
}
