// prints: the pitch holds a row: 1
// prints: 0 of 693 wrong
#include <cstdio>

__global__ void transpose(const char *in, size_t in_pitch, char *out, size_t out_pitch, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        const float *from = (const float *)(in + row * in_pitch);
        ((float *)(out + column * out_pitch))[row] = from[column];
    }
}

int main() {
    const int rows = 21, columns = 33;
    static float in[rows][columns], out[columns][rows];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) in[r][c] = r * 1000.0f + c;
    char *d_in, *d_out;
    size_t in_pitch, out_pitch;
    cudaMallocPitch(&d_in, &in_pitch, columns * sizeof(float), rows);
    cudaMallocPitch(&d_out, &out_pitch, rows * sizeof(float), columns);
    printf("the pitch holds a row: %d\n", in_pitch >= columns * sizeof(float) && in_pitch % 4 == 0);
    cudaMemset2D(d_out, out_pitch, 0xff, rows * sizeof(float), columns);
    cudaMemcpy2D(d_in, in_pitch, in, sizeof in[0], sizeof in[0], rows, cudaMemcpyHostToDevice);
    transpose<<<dim3(3, 2), dim3(16, 16)>>>(d_in, in_pitch, d_out, out_pitch, rows, columns);
    cudaMemcpy2D(out, sizeof out[0], d_out, out_pitch, sizeof out[0], columns, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) wrong += out[c][r] != in[r][c];
    printf("%d of %d wrong\n", wrong, rows * columns);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong;
}
