// What the two probe programs share: how a launch is timed, and how its samples are written, a line each.
#include <algorithm>
#include <cstdio>
#include <vector>
using u32 = unsigned;
using u64 = unsigned long long;
static u32 *data, *other, *flush;
static void out(const char* probe, const char* what, u64 number, int blocks, int threads, std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    printf("%s,%s,%llu,%d,%d,%g,%g,%g\n", probe, what, number, blocks, threads, v[2], v[5], v[8]);
}
