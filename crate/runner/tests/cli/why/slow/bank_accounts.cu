// launch: --grid 8 --block 256 --arg f64[8192]=random:2 --arg f64=0.03
// first: structure 11
struct Account {
    long long number;
    double balance;
    double limit;
    double interest;
};
__global__ void addInterest(Account* accounts, double rate) {
    Account& a = accounts[blockIdx.x * blockDim.x + threadIdx.x];
    a.balance += a.balance * rate;
}
