// What is no value here yet.
typedef float (*Operation)(float, float);
struct Point { float x, y; };
extern "C" __global__ void k(Point* p, float* out, int n)
{
    Operation best = fmax;
    float Point::*part = &Point::y;
    out[1] = p->*part;
}
