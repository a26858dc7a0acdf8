// launch: --grid 8 --block 128 --arg f64[3072]=random:4 --arg f64[1024]=zero
// first: structure 11
struct Trade {
    double price;
    double quantity;
    long long id;
};
__global__ void revenue(Trade* trades, double* result) {
    int t = blockIdx.x * 128 + threadIdx.x;
    Trade* mine = &trades[t];
    result[t] = mine->price * mine->quantity;
}
