// launch: --grid 1 --block 4 --arg i32[4]=zero
// finds: invalid_address,out_of_bounds,uninitialized
struct Node { int v; Node* next; };
__global__ void lists(int* out) {
    Node* head = nullptr;
    for (int i = 0; i < 4; ++i) { Node* n = new Node{i, head}; head = n; }
    int s = 0;
    while (head) { s += head->v; delete head; head = head->next; } //!
    out[threadIdx.x] = s;
}
