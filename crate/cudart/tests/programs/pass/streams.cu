// remarks: times of events are no GPU's
// prints: 0 of 4096 wrong
// prints: time is not negative: 1
// prints: all is done: 1
#include <cstdio>

__global__ void square(float *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= values[i];
}

int main() {
    const int n = 4096, half = n / 2;
    float *host, *device;
    cudaMallocHost(&host, n * sizeof(float));
    cudaMalloc(&device, n * sizeof(float));
    for (int i = 0; i < n; i++) host[i] = i;
    cudaStream_t streams[2];
    cudaEvent_t start, stop, done;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(start);
    for (int s = 0; s < 2; s++) {
        cudaStreamCreate(&streams[s]);
        float *part = device + s * half;
        cudaMemcpyAsync(part, host + s * half, half * sizeof(float), cudaMemcpyHostToDevice, streams[s]);
        square<<<half / 128, 128, 0, streams[s]>>>(part, half);
    }
    // The first stream fetches what the second has made, too.
    cudaEventRecord(done, streams[1]);
    cudaStreamWaitEvent(streams[0], done, 0);
    cudaMemcpyAsync(host, device, n * sizeof(float), cudaMemcpyDeviceToHost, streams[0]);
    cudaStreamSynchronize(streams[0]);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != (float)i * i;
    printf("%d of %d wrong\n", wrong, n);
    float milliseconds = -1;
    cudaEventElapsedTime(&milliseconds, start, stop);
    printf("time is not negative: %d\n", milliseconds >= 0);
    printf("all is done: %d\n", cudaStreamQuery(streams[1]) == cudaSuccess && cudaEventQuery(done) == cudaSuccess);
    for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaEventDestroy(done);
    cudaFree(device);
    cudaFreeHost(host);
    return wrong;
}
