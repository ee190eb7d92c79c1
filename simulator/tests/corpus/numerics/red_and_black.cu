// Gauss–Seidel in place: red cells from black ones, then black from red, with a barrier between the colours.
//@ run --entry colours --grid 1 --block 10,10 --arg inout:f32:100=iota --arg i32:3
//! clean
//! defect 1: race at cell
//! defect 2: race at cell
//! defect 3: out_of_bounds at cell
extern "C" __global__ void colours(float* u, int steps)
{
    int x = threadIdx.x, y = threadIdx.y;
#if DEFECT == 3
    bool inside = x > 0 && x <= 9 && y > 0 && y <= 9;
#else
    bool inside = x > 0 && x < 9 && y > 0 && y < 9;
#endif
    for (int k = 0; k < 2 * steps; ++k) {
#if DEFECT == 2
        bool mine = (x + y / 2 + k) % 2 == 0;
#else
        bool mine = (x + y + k) % 2 == 0;
#endif
        if (inside && mine) {
            float* c = &u[y * 10 + x];
            *c = 0.25f * (c[-1] + c[1] + c[-10] + c[10]); // <- cell
        }
#if DEFECT != 1
        __syncthreads();
#endif
    }
}
