// Objects from the heap whose class only their table tells: trees of them, and their ends.
class Node {
public:
    virtual __device__ ~Node() {}
    virtual __device__ int value(int x) const = 0;
};
class Leaf : public Node {
    int k;
public:
    __device__ Leaf(int k) : k(k) {}
    virtual __device__ int value(int x) const { return x + k; }
};
class Pair : public Node {
    Node *left, *right;
    bool is_sum;
public:
    __device__ Pair(Node* left, Node* right, bool is_sum) : left(left), right(right), is_sum(is_sum) {}
    __device__ ~Pair() { delete left; delete right; }
    virtual __device__ int value(int x) const { return is_sum ? left->value(x) + right->value(x) : left->value(x) * right->value(x); }
};
__device__ Node* made(int depth, int seed) {
    if (depth == 0 || seed % 5 == 0) return new Leaf(seed);
    return new Pair(made(depth - 1, seed * 3 + 1), made(depth - 1, seed + 2), seed & 1);
}
extern "C" __global__ void test(const int* in, int* out, int items) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Node* root = made(3, in[i] & 15);
    out[i] = root->value(in[i] & 255);
    delete root;
}
