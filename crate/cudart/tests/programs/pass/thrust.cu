// prints: sorted 1, the sum is 499500
// prints: cub counts 250
#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

int main() {
    thrust::host_vector<int> host(1000);
    for (int i = 0; i < 1000; i++) host[i] = i * 7919 % 1000;
    thrust::device_vector<int> values = host;
    thrust::sort(values.begin(), values.end());
    int sum = thrust::reduce(values.begin(), values.end());
    host = values;
    int sorted = 1;
    for (int i = 0; i < 1000; i++) sorted &= host[i] == i;
    printf("sorted %d, the sum is %d\n", sorted, sum);

    thrust::device_vector<int> flags(1000), total(1);
    for (int i = 0; i < 1000; i++) host[i] = i % 4 == 0;
    flags = host;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, flags.data(), total.data(), 1000);
    thrust::device_vector<char> scratch(bytes);
    cub::DeviceReduce::Sum(thrust::raw_pointer_cast(scratch.data()), bytes, flags.data(), total.data(), 1000);
    printf("cub counts %d\n", (int)total[0]);
    return 0;
}
