// Rows padded to one length and stored by columns (ELL); a padded place has column −1.
//@ run --entry ell --grid 2 --block 32 --arg in:i32:150=values:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,-1,-1,14,21,28,35,42,49,6,13,20,27,34,41,48,5,12,19,26,33,40,47,4,11,18,25,32,39,46,3,10,17,24,31,38,45,2,9,16,23,30,37,44,1,8,15,22,29,36,43,0,-1,2,-1,4,-1,6,-1,8,-1,10,-1,12,-1,14,-1,16,-1,18,-1,20,-1,22,-1,24,-1,26,-1,28,-1,30,-1,32,-1,34,-1,36,-1,38,-1,40,-1,42,-1,44,-1,46,-1,48,-1 --arg in:f32:150=ones --arg in:f32:50=iota --arg inout:f32:50=zeros --arg i32:50
//! clean
//! defect 1: out_of_bounds at gather
//! defect 2: out_of_bounds at put|column
//! defect 3: race at put
extern "C" __global__ void ell(const int* col, const float* a, const float* x, float* y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
#if DEFECT == 2
    if (r <= rows) {
#else
    if (r < rows) {
#endif
        float sum = 0;
        for (int k = 0; k < 3; ++k) {
            int c = col[k * rows + r]; // <- column
#if DEFECT != 1
            if (c >= 0)
#endif
            sum += a[k * rows + r] * x[c]; // <- gather
        }
#if DEFECT == 3
        y[r / 2] += sum; // <- put
#else
        y[r] = sum; // <- put
#endif
    }
}
