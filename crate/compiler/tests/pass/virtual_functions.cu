// Virtual functions: by the object itself, by references and pointers, in tables of objects, and without their class known.
struct Shape {
    int id;
    __device__ Shape(int id) : id(id) { id += kind(); }
    __device__ virtual int kind() const { return 1; }
    __device__ virtual int area() const = 0;
    __device__ virtual int scaled(int by) { return by * area() + id; }
    __device__ virtual ~Shape() {}
    __device__ int twice() const { return 2 * area(); }
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : Shape(10), side(side) {}
    __device__ int area() const override { return side * side; }
    __device__ int kind() const override { return 2; }
};
struct Circle final : public Shape {
    int r;
    __device__ explicit Circle(int r) : Shape(20), r(r) {}
    __device__ int area() const override { return 3 * r * r; }
    __device__ virtual int scaled(int by) override;
    __device__ ~Circle() override { r = -1; }
};
__device__ int Circle::scaled(int by) { return Shape::scaled(by) + 1; }
struct Unit : Square { __device__ Unit() : Square(1) {} __device__ int area() const final { return Square::area() + 6; } };
__device__ int use(Shape& s) { return s.area() + s.scaled(2) + s.kind(); }
template <typename T> __device__ int of(const T& t) { return t.area() * t.twice(); }

extern "C" __global__ void test(const int* in, int* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i] & 1023;
    Square a(x);
    Circle b(x + 1);
    Unit u;
    const Shape& q = b;
    int sum = use(a) * 3 + use(b) * 5 + use(u) * 7 + q.area() + a.twice() + u.twice() + of(a) + of<Shape>(u) + u.Square::area();
    Shape* all[3] = {&a, &b, &u};
    for (int k = 0; k < 3; ++k) sum = sum * 3 + all[k]->area() + all[k]->kind();
    Shape* p = all[(x >> 2) % 3];
    sum = sum * 5 + p->area() + p->scaled(3);
    Square s(x + 2), copy = s, sliced = u;
    Square& assigned = u;
    assigned = s;
    sum += copy.area() * 2 + sliced.area() * 3 + assigned.area() * 4 + use(sliced) + use(u);
    out[i] = sum;
}
