// launch: --grid 1 --block 64 --arg i32[50]=iota --arg i32[64]=zero --arg i32=50
__device__ int lowerBound(const int* a, int n, int key) {
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (a[mid] < key) lo = mid + 1; else hi = mid;
    }
    return lo;
}
__global__ void find(const int* a, int* out, int n) { out[threadIdx.x] = lowerBound(a, n, (int)threadIdx.x - 5); }
