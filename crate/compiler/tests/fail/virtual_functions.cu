struct Shape {
    __device__ virtual float area() const = 0;
    __device__ float twice() const { return 2 * area(); }
};
struct Square : Shape {
    float side;
    __device__ float area() override { return side * side; }
};
struct Circle : Shape { float r; };
extern "C" __global__ void areas(float* out)
{
    Shape shape;
    Circle circle;
    const Shape* made = new Circle();
    out[0] = shape.area() + made->area();
}
