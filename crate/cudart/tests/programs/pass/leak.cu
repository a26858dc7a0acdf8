// prints: 3 status
// status: 3
// remarks: `table`, 4096 bytes of device memory, is never freed
#include <cstdio>

__global__ void touch(char *bytes) { bytes[0] = 1; }

int main() {
    char *table;
    cudaMalloc(&table, 4096);
    touch<<<1, 1>>>(table);
    printf("%d status\n", 3);
    return 3;
}
