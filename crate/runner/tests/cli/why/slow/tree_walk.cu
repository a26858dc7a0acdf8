// launch: --grid 8 --block 128 --arg i32[1024]=iota --arg i32[1024]=zero --arg i32=7
// first: local_array 10
__global__ void walk(const int* keys, int* visited, int depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stack[32];
    int sp = 0;
    stack[sp++] = 1;
    int count = 0;
    while (sp > 0) {
        int node = stack[--sp];
        count += node & keys[0];
        if (node < (1 << depth)) {
            stack[sp++] = 2 * node;
            stack[sp++] = 2 * node + 1;
        }
    }
    visited[i] = count;
}
