// launch: --grid 16 --block 128 --arg f32[10240]=random:6 --arg f32[2048]=zero
// first: structure 7
class Cell {
public:
    float temperature, conductivity, source, mass, age;
    __device__ float flux() const {
        return temperature * conductivity + source;
    }
};
__global__ void fluxes(Cell* cells, float* out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = cells[i].flux();
}
