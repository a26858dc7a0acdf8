1  __global__ void numbered(float* x)
2  {
3      x[0] = 1;
4  }
