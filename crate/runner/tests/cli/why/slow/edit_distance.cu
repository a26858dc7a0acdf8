// launch: --grid 4 --block 64 --arg u8[4096]=random:7 --arg u8[16]=random:8 --arg i32[256]=zero --arg i32=16
// first: local_array 13
__device__ int min3(int a, int b, int c) { return min(a, min(b, c)); }
__global__ void levenshtein(const char* words, const char* query, int* dist, int len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = gridDim.x * blockDim.x;
    int row[17];
    for (int j = 0; j <= len; j++) row[j] = j;
    for (int k = 0; k < len; k++) {
        int diag = row[0];
        row[0] = k + 1;
        for (int j = 1; j <= len; j++) {
            int up = row[j];
            int cost = words[k * n + i] == query[j - 1] ? 0 : 1;
            row[j] = min3(up + 1, row[j - 1] + 1, diag + cost);
            diag = up;
        }
    }
    dist[i] = row[len];
}
