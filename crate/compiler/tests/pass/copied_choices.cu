// Loops that are written out, with choices by their variables, calls, lambdas and `asm` in them.
//# block 64 1
__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void put(float* to, unsigned from)
{
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(*to) : "r"(from) : "memory");
}

// Leaves early, by the loop's variable or by what the kernel finds.
__device__ void add_up(float& sum, const float* in, int part, int items)
{
    if (part == 2)
        return;
    for (int k = 0; k < items; ++k) {
        if (in[k] > 4.0f)
            break;
        sum += part > 3 && k > part ? in[k] : -in[k];
    }
}

__device__ void by_case(int& of, int part)
{
    switch (part % 3) {
    case 0:
        of += part;
        break;
    case 1:
        of *= 3;
    default:
        of ^= part << 4;
    }
}

struct Share {
    int begin, sum = 0;
    __device__ explicit Share(int begin) : begin(begin) {}
    __device__ void take(int i, const int* from)
    {
        const int pass = i / 2, further = i % 2 * 8;
        if (further == 0)
            sum += from[begin + pass];
        else
            sum -= from[begin + further];
    }
    __device__ void advance() { begin += 3; }
};

// Of eight copies those of one part.
template <class T>
__device__ void share(T& of, int part, int parts, const int* from)
{
#pragma unroll
    for (int i = 0; i < 8; ++i)
        if (i >= part * 8 / parts && i < (part + 1) * 8 / parts)
            of.take(i, from);
}

extern "C" __global__ void test(const float* in, const int* numbers, float* out, int* sums, int items)
{
    __shared__ float stage[128];
    const int lane = threadIdx.x;
    stage[lane] = in[lane];
    stage[lane + 64] = in[lane] * 2;
    __syncthreads();
    float total[4] = {}, held[2][4];
    unsigned at = shared_address(stage + lane);
    const auto load = [&](int half, int p) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            put(held[half] + i, at + (p + i) % 16 * 4);
    };
    Share own(lane);
    int mixed = lane;
    load(0, 0);
#pragma unroll
    for (int p = 0; p < 7; ++p) {
        if (p == 6) {
            own.advance();
            at += 32;
            load((p + 1) % 2, 0);
        } else {
            load((p + 1) % 2, p + 1);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int turned = p % 2 ? 3 - i : i;
            total[turned] += held[p % 2][i] * (p + 1);
        }
        if (p < 6)
            share(own, p, 6, numbers);
        by_case(mixed, p);
    }
    // The ways meet again with other values.
#pragma unroll
    for (int p = 0; p < 6; ++p) {
        float found = 1;
        if (p > 2 || items > 20)
            found = in[lane + p];
        else if (p != 1)
            add_up(found, in + lane, p, 5);
        const bool holds = items > p && (p & 1) == 0;
        total[p % 4] += holds ? found : found * p;
        add_up(total[0], in + lane, p, items < 8 ? items : 8);
    }
    out[lane] = total[0] + total[1] * 2 + total[2] * 3 + total[3] * 4;
    sums[lane] = own.sum + mixed;
}
