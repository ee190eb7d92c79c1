// A pattern is looked for at every place of a text; somebody says that it was found, the first place is kept.
//@ run --entry find --grid 2 --block 32 --arg in:u8:60=values:1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3,1,2,3 --arg in:u8:4=values:2,3,1,2 --arg inout:i32:1=zeros --arg inout:i32:1=const:1000 --arg i32:60 --arg i32:4
//! clean
//! defect 1: out_of_bounds at compare
//! defect 2: race note at found
//! defect 3: race at first
//! defect 4: race at first
extern "C" __global__ void find(const unsigned char* text, const unsigned char* word, int* found, int* first, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 1
    if (i >= n) return;
#else
    if (i > n - m) return;
#endif
    bool equal = true;
    for (int k = 0; k < m && equal; ++k) equal = text[i + k] == word[k]; // <- compare
    if (equal) {
#if DEFECT == 2
        *found = 1; // <- found
#else
        atomicOr(found, 1);
#endif
#if DEFECT == 3
        *first = i; // <- first
#elif DEFECT == 4
        if (i < *first) atomicMin(first, i); // <- first
#else
        atomicMin(first, i);
#endif
    }
}
