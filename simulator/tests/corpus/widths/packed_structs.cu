// Records of five bytes without a gap between them: each thread its own; a copy by words takes the neighbours' along.
//@ run --entry pack --grid 1 --block 64 --arg inout:u8:320=iota --arg out:i32:64
//! clean
//! defect 1: race at word and put
//! defect 2: misaligned at cast
#pragma pack(push, 1)
struct Record {
    unsigned char kind;
    int value;
};
#pragma pack(pop)
extern "C" __global__ void pack(Record* records, int* out)
{
    int t = threadIdx.x;
    records[t].value = t * 3; // <- put
    records[t].kind = 7; // <- put
#if DEFECT == 1
    out[t] = ((const int*)records)[t]; // <- word
#elif DEFECT == 2
    out[t] = *(const int*)&records[t].value; // <- cast
#else
    out[t] = records[t].value + records[t].kind;
#endif
}
