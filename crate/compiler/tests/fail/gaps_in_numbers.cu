// Functions that CUDA has and this compiler does not: no mistakes of who wrote the kernel.
#include <cuda_bf16.h>
#include <mma.h>

extern "C" __global__ void k(__nv_bfloat16* x, unsigned* u, double* d, signed char* bytes)
{
    u[0] = __half2tf32(u[1]);
    d[0] = j0(d[1]);
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 8, signed char, nvcuda::wmma::row_major> a;
}

extern "C" __global__ void volume(float* out, cudaTextureObject_t texture)
{
    out[0] = tex3DGrad<float>(texture, 0.5f, 0.5f, 0.5f, make_float4(1, 0, 0, 0), make_float4(0, 1, 0, 0));
}
