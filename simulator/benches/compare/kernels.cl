// kernels.cu in OpenCL C, for Oclgrind and PoCL.

__kernel void matmul(__global const float* a, __global const float* b, __global float* c, int n)
{
    __local float s[16][16], t[16][16];
    int x = get_local_id(0), y = get_local_id(1), row = get_group_id(1) * 16 + y, column = get_group_id(0) * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++) sum += s[y][i] * t[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void reduction(__global const unsigned* in, __global unsigned* out)
{
    __local unsigned s[256];
    int t = get_local_id(0);
    s[t] = in[get_group_id(0) * 256 + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 128; half_ > 0; half_ /= 2) {
        if (t < half_) s[t] += s[t + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) out[get_group_id(0)] = s[0];
}

__kernel void histogram(__global const unsigned* in, __global unsigned* bins)
{
    __local unsigned s[256];
    int t = get_local_id(0);
    s[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++) atomic_add(&s[in[get_group_id(0) * 4096 + i * 256 + t] & 255], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], s[t]);
}

__kernel void transpose(__global const float* in, __global float* out, int n)
{
    __local float s[32][33];
    int x = get_group_id(0) * 32 + get_local_id(0), y = get_group_id(1) * 32 + get_local_id(1);
    for (int j = 0; j < 32; j += 8) s[get_local_id(1) + j][get_local_id(0)] = in[(y + j) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + get_local_id(0);
    y = get_group_id(0) * 32 + get_local_id(1);
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = s[get_local_id(0)][get_local_id(1) + j];
}
