//@ run --entry turned --grid 1 --block 64 --arg surface:f32:64=iota
// A surface is read after it was written in the same launch: a barrier orders the threads, but not what is read.
extern "C" __global__ void turned(cudaSurfaceObject_t surface)
{
    const int t = threadIdx.x;
    surf1Dwrite(2.0f * t, surface, 4 * t);
    __syncthreads();
    const float other = surf1Dread<float>(surface, 4 * (63 - t));
    __syncthreads();
    surf1Dwrite(other, surface, 4 * t);
}
