// prints: 5 launches of the graph: 10 11 12 13
#include <cstdio>

__global__ void increment(int *values) { values[threadIdx.x]++; }

int main() {
    int start[4] = {0, 1, 2, 3}, *pinned, *values;
    cudaMallocHost(&pinned, sizeof start);
    cudaMalloc(&values, sizeof start);
    cudaMemcpy(values, start, sizeof start, cudaMemcpyHostToDevice);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    increment<<<1, 4, 0, stream>>>(values);
    increment<<<1, 4, 0, stream>>>(values);
    cudaMemcpyAsync(pinned, values, sizeof start, cudaMemcpyDeviceToHost, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&instance, graph, 0);
    for (int i = 0; i < 5; i++) cudaGraphLaunch(instance, stream);
    cudaStreamSynchronize(stream);
    printf("5 launches of the graph: %d %d %d %d\n", pinned[0], pinned[1], pinned[2], pinned[3]);
    cudaGraphExecDestroy(instance);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(values);
    cudaFreeHost(pinned);
    return 0;
}
