// launch: --grid 1 --block 16 --arg i32[16]=zero
struct Node { int v; Node* next; };
__global__ void lists(int* out) {
    Node* head = nullptr;
    for (int i = 0; i <= (int)threadIdx.x; ++i) {
        Node* n = (Node*)malloc(sizeof(Node));
        if (!n) return;
        n->v = i; n->next = head; head = n;
    }
    int s = 0;
    while (head) { s += head->v; Node* n = head->next; free(head); head = n; }
    out[threadIdx.x] = s;
}
