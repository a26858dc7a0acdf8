//# block 32
struct Point { float x, y; };
struct Box { Point low, high; int marks[2]; };
__constant__ int weights[2][3] = {1, 2, 3, 4, 5};
__constant__ Box module_box = {1, 2, 3, 4, 5, 6};
extern "C" __global__ void test(const float* in, float* out, int items)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float zeros[2][4] = {0.0f};
    float rows[2][2] = {in[i], in[i + 1], in[i + 2]};
    float mixed[3][2] = {{1, 2}, 3, 4, {5}};
    Point points[3] = {1, 2, in[i], 4, {5, 6}};
    Point first = {7, 8};
    Box box = {first, 1, 2, 3, 4};
    float2 pairs[2] = {1.0f, 2.0f, make_float2(3.0f, 4.0f)};
    int3 many[2] = {};
    const int open_ended[][2] = {1, 2, 3, 4, 5};
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 4; c++) zeros[r][c] += r + in[i + c];
    constexpr int table[2][2] = {1, 2, 3, 4};
    float s = 0;
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) s += zeros[r][c] + rows[r][c] * table[r][c] + mixed[r + 1][c] + points[r].x - points[r + 1].y;
    s += box.low.x + box.high.y + box.marks[0] * box.marks[1] + pairs[0].y + pairs[1].x + many[1].z;
    s += weights[i & 1][i % 3] + module_box.high.x + module_box.marks[1] + open_ended[2][1] + sizeof(open_ended) / 8;
    if (i < items) out[i] = s;
}
