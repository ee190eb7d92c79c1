// 01-coalescing: which thread reads which word.
//
// Task
//   The two kernels below are right, but they read global memory badly. Keep what they compute, and
//   change which thread reads which word.
//
//   luminance   out[i] = (2 * red + 5 * green + blue) / 8 of pixel i, for every i from 0 to n - 1.
//               A pixel is a struct of three floats. As it stands the lanes of a warp read words
//               three apart, and do so three times.
//   crop        copies a window of height rows and width columns out of a picture whose rows are
//               `pitch` floats long; `picture` points to the window's first element, and `out` is
//               packed: out[row * width + column] = picture[row * pitch + column]. As it stands
//               neighbouring threads walk down a column.
//
// Given
//   luminance has ceil(n / (BLOCK_SIZE * PIXELS_PER_THREAD)) blocks of BLOCK_SIZE threads; crop has
//   ceil(width * height / BLOCK_SIZE), with a thread for each element of the window. No size need
//   be a multiple of anything. n and width may be 0; then there is one block. `pixels` and
//   `picture` may begin anywhere, not only at multiples of 32 bytes.
//
// Write
//   luminance: load the block's pixels into shared memory as the run of floats that they are, so
//   that neighbouring threads load neighbouring words. Then each thread picks up its three words.
//   crop: you need to change only one line.
//
// Rules
//   The words that a warp reads or writes lie next to each other: the warp touches every sector of
//   32 bytes once. There are no bank conflicts.
//
// Check
//   grader check 01-coalescing
//   grader hint 01-coalescing          (if you are stuck)

#include "course.cuh"

// Yours to choose: BLOCK_SIZE a multiple of 32 from 64 to 512, PIXELS_PER_THREAD from 1 to 8.
LAUNCH_CONSTANT(BLOCK_SIZE, 256);
LAUNCH_CONSTANT(PIXELS_PER_THREAD, 1);

struct Pixel {
    float red, green, blue;
};

// The eye is most sensitive to green. The weights are eighths, so that the sum is exact.
__device__ float luminance_of(float red, float green, float blue) {
    return 0.25f * red + 0.625f * green + 0.125f * blue;
}

extern "C" __global__ void luminance(const Pixel *pixels, float *out, int n) {
    // >>> your code: right as it is; change who reads what
    int first = blockIdx.x * BLOCK_SIZE * PIXELS_PER_THREAD;
    for (int item = 0; item < PIXELS_PER_THREAD; ++item) {
        int i = first + item * BLOCK_SIZE + threadIdx.x;
        if (i < n) {
            out[i] = luminance_of(pixels[i].red, pixels[i].green, pixels[i].blue);
        }
    }
    // <<<
}

extern "C" __global__ void crop(const float *picture, float *out, int width, int height,
                                int pitch) {
    int k = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (k >= width * height) {
        return;
    }
    // >>> your code: which element of the window is thread k's?
    int row = k % height;
    int column = k / height;
    // <<<
    out[row * width + column] = picture[row * pitch + column];
}
