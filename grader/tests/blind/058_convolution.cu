// 2-D convolution with an asymmetric filter in constant memory and a halo on four sides of the tile.
//@ run --entry convolution --grid 3,2 --block 16,16 --arg in:i32:27x41=small_ints.npy --arg out:i32:27x41
//@ run --arg i32:41 --arg i32:27 --global filter=filter_weights.npy
// save: 1
// reference: convolution

__constant__ int filter[25];

extern "C" __global__ void convolution(const int* in, int* out, int width, int height)
{
    __shared__ int tile[20][20];
    int tx = threadIdx.x, ty = threadIdx.y;
    for (int y = ty; y < 20; y += 16)
        for (int x = tx; x < 20; x += 16) {
            int gx = blockIdx.x * 16 + x - 2, gy = blockIdx.y * 16 + y - 2;
            tile[y][x] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0;
        }
    __syncthreads();
    int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    if (column >= width || row >= height) return;
    int sum = 0;
    for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i) sum += tile[ty + j][tx + i] * filter[j * 5 + i];
    out[row * width + column] = sum;
}
