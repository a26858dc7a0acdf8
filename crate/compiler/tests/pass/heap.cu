// Memory that a kernel asks for.
struct List { int v; List* next; };
extern "C" __global__ void test(const int* in, int* out, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* a = new int[4];
  for (int k = 0; k < 4; k++) a[k] = in[i + k];
  List* head = nullptr;
  for (int k = 0; k < 3; k++) { List* n = new List{a[k], head}; head = n; }
  int s = 0;
  while (head) { List* n = head->next; s = s * 3 + head->v; delete head; head = n; }
  int* b = (int*)malloc(2 * sizeof(int));
  if (b) { b[0] = s; b[1] = a[3]; s = b[0] ^ b[1]; free(b); }
  out[i] = s; delete[] a;
}
