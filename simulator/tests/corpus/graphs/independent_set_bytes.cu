// A maximal independent set; states are bytes that all read and write as volatile until each vertex is decided.
//@ run --entry choose --grid 2 --block 32 --arg in:i32:41=values:0,0,2,9,12,17,26,30,35,39,44,46,48,53,55,64,67,73,73,74,76,82,85,92,96,101,103,110,112,115,117,120,122,128,130,134,136,142,144,149,149 --arg in:i32:149=values:4,14,5,9,18,19,23,37,38,14,16,26,1,9,11,22,36,2,8,9,14,16,23,24,30,36,12,25,31,38,7,20,22,32,38,5,12,16,21,2,4,5,16,28,15,36,4,26,6,8,22,27,38,26,32,1,3,5,15,20,21,22,31,34,10,14,22,3,5,8,9,24,28,2,2,26,7,14,24,30,32,33,8,14,38,4,7,12,14,15,25,33,2,5,28,34,5,16,20,26,32,6,22,3,11,13,19,24,30,35,12,36,9,16,23,32,34,5,20,26,6,14,7,13,20,24,29,36,20,22,14,23,29,37,26,36,4,5,10,27,32,35,2,34,2,6,7,12,21 --arg i32:40 --arg inout:u8:40=zeros
//! clean
//! defect 1: race at look and in|out
//! defect 2: race at check and in2
extern "C" __global__ void choose(const int* row, const int* col, int n, unsigned char* state)
{
    volatile unsigned char* s = state;
    int v = blockIdx.x * 32 + threadIdx.x;
    if (v >= n) return;
    while (s[v] == 0) { // <- check
        bool best = true;
        for (int j = row[v]; j < row[v + 1]; ++j) {
            int w = col[j];
            if (w == v) continue;
#if DEFECT == 1
            unsigned char theirs = state[w]; // <- look
#else
            unsigned char theirs = s[w];
#endif
            if (theirs != 2 && w * 13 % 41 < v * 13 % 41) best = false;
        }
        if (best) {
            for (int j = row[v]; j < row[v + 1]; ++j) {
#if DEFECT == 2
                if (col[j] != v) state[col[j]] = 2; // <- in2
#else
                if (col[j] != v) s[col[j]] = 2; // <- out
#endif
            }
            s[v] = 1; // <- in
        }
    }
}
