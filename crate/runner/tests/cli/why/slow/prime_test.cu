// launch: --grid 16 --block 128 --arg i32[2048]=zero
// first: divergence 6
__global__ void isPrime(int* prime) {
    int n = 3 + blockIdx.x * blockDim.x + threadIdx.x;
    int answer = 1;
    for (int d = 2; d * d <= n; d++) {
        if (n % d == 0) {
            answer = 0;
            break;
        }
    }
    prime[n - 3] = answer;
}
