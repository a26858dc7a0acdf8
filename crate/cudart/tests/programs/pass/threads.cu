// nvcc: -Xcompiler=-pthread
// prints: 4 threads, 0 of 4000 wrong
#include <cstdio>
#include <thread>
#include <vector>

__global__ void fill(int *values, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = value + i;
}

static void work(int number, int *wrong) {
    const int n = 1000;
    int *values;
    std::vector<int> host(n);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocAsync(&values, n * sizeof(int), stream);
    fill<<<8, 128, 0, stream>>>(values, number * n, n);
    cudaMemcpyAsync(host.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(values, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    for (int i = 0; i < n; i++) *wrong += host[i] != number * n + i;
}

int main() {
    std::vector<std::thread> threads;
    int wrong[4] = {};
    for (int i = 0; i < 4; i++) threads.emplace_back(work, i, &wrong[i]);
    for (auto &thread : threads) thread.join();
    int all = wrong[0] + wrong[1] + wrong[2] + wrong[3];
    printf("%d threads, %d of %d wrong\n", 4, all, 4000);
    return all;
}
