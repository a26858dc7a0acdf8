// Launches kernels of a cubin on a GPU, with the arguments of `cornerturn launch`, for compute-sanitizer to watch. What
// is launched is decided in sanitizer.py.
//
//   launch CUBIN LEAVE ENTRY GRID BLOCK SHARED_BYTES SPEC... [-- ENTRY GRID BLOCK SHARED_BYTES SPEC...]...
//
// LEAVE 1: buffers of poison are left as the driver allocated them, so that initcheck takes them for unwritten.
// Prints for each kernel its name, `ok` and the FNV-1a of each buffer's bytes after the run; ends at the first error of
// the driver, which it prints.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static void must(CUresult code, const char* what) {
    if (code == CUDA_SUCCESS) return;
    const char* name = "?";
    cuGetErrorName(code, &name);
    printf("%s: %s\n", what, name);
    exit(1);
}

static void dimensions(const char* text, unsigned out[3]) {
    out[0] = out[1] = out[2] = 1;
    sscanf(text, "%u,%u,%u", &out[0], &out[1], &out[2]);
}

static uint64_t split_mix_64(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

template <class T>
static uint64_t bits(T value) {
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}

static size_t size_of(const std::string& type) {
    return type == "u8" ? 1 : type == "f64" || type == "i64" || type == "u64" ? 8 : 4;
}

static uint64_t element(const std::string& type, const std::string& fill, uint64_t i) {
    if (fill == "zero") return 0;
    if (fill == "poison") return ~0ull;
    if (fill == "iota") return type == "f32" ? bits((float)i) : type == "f64" ? bits((double)i) : i;
    return split_mix_64(strtoull(fill.c_str() + strlen("random:"), nullptr, 10), i) >> (64 - 8 * size_of(type));
}

struct Argument {
    uint64_t value;  // the bits of a scalar, or a buffer's address
    size_t bytes;    // of the buffer; 0 for a scalar
};

static Argument argument(const std::string& spec, bool leave) {
    size_t equals = spec.find('='), bracket = spec.find('[');
    std::string value = spec.substr(equals + 1);
    if (bracket == std::string::npos) {
        std::string type = spec.substr(0, equals);
        if (type == "f32") return {bits(strtof(value.c_str(), nullptr)), 0};
        return {strtoull(value.c_str(), nullptr, 0), 0};
    }
    std::string type = spec.substr(0, bracket);
    size_t size = size_of(type), length = strtoull(spec.c_str() + bracket + 1, nullptr, 10);
    CUdeviceptr address;
    must(cuMemAlloc(&address, length * size), "cuMemAlloc");
    if (!(leave && value == "poison")) {
        std::vector<unsigned char> bytes(length * size);
        for (size_t i = 0; i < length; ++i) {
            uint64_t word = element(type, value, i);
            memcpy(&bytes[i * size], &word, size);
        }
        must(cuMemcpyHtoD(address, bytes.data(), bytes.size()), "cuMemcpyHtoD");
    }
    return {address, length * size};
}

static void launch(CUmodule module, bool leave, const std::vector<const char*>& given) {
    CUfunction function;
    must(cuModuleGetFunction(&function, module, given[0]), "cuModuleGetFunction");
    unsigned grid[3], block[3], shared = atoi(given[3]);
    dimensions(given[1], grid);
    dimensions(given[2], block);
    std::vector<Argument> arguments;
    for (size_t i = 4; i < given.size(); ++i) arguments.push_back(argument(given[i], leave));
    std::vector<void*> pointers;
    for (Argument& argument : arguments) pointers.push_back(&argument.value);
    if (shared > 48 << 10)
        must(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared), "cuFuncSetAttribute");
    must(cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, nullptr,
                        pointers.data(), nullptr),
         "cuLaunchKernel");
    must(cuCtxSynchronize(), "cuCtxSynchronize");
    printf("%s ok", given[0]);
    for (Argument& argument : arguments) {
        if (argument.bytes == 0) continue;
        std::vector<unsigned char> bytes(argument.bytes);
        must(cuMemcpyDtoH(bytes.data(), argument.value, bytes.size()), "cuMemcpyDtoH");
        uint64_t hash = 0xcbf29ce484222325;
        for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
        printf(" %016llx", (unsigned long long)hash);
        must(cuMemFree(argument.value), "cuMemFree");
    }
    printf("\n");
}

int main(int count, char** given) {
    if (count < 7) return 2;
    must(cuInit(0), "cuInit");
    CUdevice device;
    CUcontext context;
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    CUmodule module;
    must(cuModuleLoad(&module, given[1]), "cuModuleLoad");
    std::vector<const char*> one;
    for (int i = 3; i <= count; ++i) {
        if (i < count && strcmp(given[i], "--") != 0) {
            one.push_back(given[i]);
            continue;
        }
        launch(module, atoi(given[2]), one);
        one.clear();
    }
    return 0;
}
