// prints: 10 20 30, counted 3
// prints: managed memory: 1
#include <cstdio>

__managed__ int counted = 0;

struct Node {
    int value;
    Node *next;
};

__global__ void tenfold(Node *list) {
    for (Node *node = list; node; node = node->next) {
        node->value *= 10;
        counted++;
    }
}

int main() {
    Node *nodes;
    cudaMallocManaged(&nodes, 3 * sizeof(Node));
    for (int i = 0; i < 3; i++) nodes[i] = {i + 1, i < 2 ? &nodes[i + 1] : nullptr};
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    cudaMemPrefetchAsync(nodes, 3 * sizeof(Node), device, 0, 0);
    tenfold<<<1, 1>>>(nodes);
    cudaDeviceSynchronize();
    printf("%d %d %d, counted %d\n", nodes[0].value, nodes[1].value, nodes[2].value, counted);
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, nodes);
    printf("managed memory: %d\n", attributes.type == cudaMemoryTypeManaged);
    cudaFree(nodes);
    return 0;
}
