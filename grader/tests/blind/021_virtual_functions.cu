// Virtual functions: objects of different classes in one warp, called through a base pointer.
//@ run --entry virtual_functions --grid 1 --block 96 --arg in:f32:96=uniform.npy --arg out:f32:2x96
// save: 1
// reference: virtual_functions

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};

struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};

struct Box : Shape {
    float width, height;
    __device__ Box(float w, float h) : width(w), height(h) {}
    __device__ float area() const override { return width * height; }
};

__device__ __noinline__ float describe(const Shape* shape) { return shape->area() + 100.0f * shape->corners(); }

extern "C" __global__ void virtual_functions(const float* in, float* out)
{
    int i = threadIdx.x, n = blockDim.x;
    Square square(in[i]);
    Box box(in[i], 3.0f);
    const Shape* shape = i % 3 == 0 ? static_cast<const Shape*>(&square) : static_cast<const Shape*>(&box);
    out[i] = describe(shape);
    out[n + i] = shape->area();
}
