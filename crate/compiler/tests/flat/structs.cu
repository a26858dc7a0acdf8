// Structs: with functions of the host, and of the host as a whole.
using namespace std;
namespace gpu {
struct Pair {
    float a, b;
    __host__ __device__ Pair(float x, float y) : a{x}, b{y} {}
    void print() const { printf("%f\n", a); }
    Pair() = default;
    friend std::ostream& operator<<(std::ostream& to, const Pair& pair);
    __device__ float operator()(int i) const { return i ? a : b; }
    static constexpr int N = 2;
};
class Matrix {
public:
    Matrix(int n) : data(n) {}
private:
    std::vector<float> data;
};
struct Job {
    Matrix matrix;
    string name;
};
struct Timer {
    cudaEvent_t start;
};
enum class Kind { Row, Column };
typedef struct { int rows, columns; } Shape;
__device__ float sum(const Pair& p) { return p.a + p.b + std::max(p.a, p.b); }
float sum(const Matrix& m);
}
extern "C" {
void c_function(int);
__global__ void k(float* x, gpu::Shape shape) { x[0] = gpu::sum(gpu::Pair(x[1], x[2])) + shape.rows; }
}
float gpu::sum(const Matrix& m) { return 0; }
TEST(Suite, Case) { EXPECT_EQ(1, 1); }
template <int n> struct Fixed {
    int x[n];
    constexpr int size() const { return n; }
    constexpr Fixed() : x{} {}
};
static constexpr std::string_view named() { return "x"; }
typedef float (*Function)(float);
typedef pthread_t Thread;
struct Pool {
    Thread threads[2];
};
