// Launches kernels of a cubin as a table says, for ncu to count: measure CUBIN TABLE
//
// A line of the table: name entry grid-x,y,z block-x,y,z dynamic-shared-bytes argument…
// Arguments: u32:N, i32:N, f32:N; lanes:O,O,… (32 ints, `-` is -1); u8|u32|f32|f64:FILL:COUNT for a buffer, where
// FILL is zero, iota, random:SEED (SplitMix64; floats in [0, 1)), below:SEED:N (random integers below N) or
// ramp (4 i + 7 i mod 4: rows of 1 to 7 elements).
#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

static void check(CUresult result, const std::string& what) {
    if (result == CUDA_SUCCESS) return;
    const char* text = "?";
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what.c_str(), text);
    exit(1);
}

static std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

static uint64_t random_word(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static std::vector<uint8_t> filled(const std::vector<std::string>& spec) {
    const std::string &type = spec[0], &fill = spec[1];
    uint64_t count = std::stoull(spec.back());
    size_t size = type == "u8" ? 1 : type == "f64" ? 8 : 4;
    std::vector<uint8_t> bytes(count * size);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t whole = fill == "iota" ? i : fill == "ramp" ? 4 * i + 7 * i % 4 : 0, word = 0;
        if (fill == "random" || fill == "below") word = random_word(std::stoull(spec[2]), i);
        if (fill == "below") whole = word % std::stoull(spec[3]);
        bool is_random = fill == "random";
        if (type == "f32") {
            float value = is_random ? (float)(word >> 40) * 0x1p-24f : (float)whole;
            memcpy(&bytes[i * 4], &value, 4);
        } else if (type == "f64") {
            double value = is_random ? (double)(word >> 11) * 0x1p-53 : (double)whole;
            memcpy(&bytes[i * 8], &value, 8);
        } else {
            uint64_t value = is_random ? word >> (64 - 8 * size) : whole;
            memcpy(&bytes[i * size], &value, size);
        }
    }
    return bytes;
}

static std::vector<uint8_t> argument(const std::string& text, std::vector<CUdeviceptr>& buffers) {
    auto spec = split(text, ':');
    std::vector<uint8_t> bytes(4);
    if (spec[0] == "lanes") {
        bytes.clear();
        for (auto& lane : split(spec[1], ',')) {
            int offset = lane == "-" ? -1 : std::stoi(lane);
            bytes.insert(bytes.end(), (uint8_t*)&offset, (uint8_t*)(&offset + 1));
        }
    } else if (spec.size() == 2 && spec[0] == "f32") {
        float value = std::stof(spec[1]);
        memcpy(bytes.data(), &value, 4);
    } else if (spec.size() == 2) {
        int64_t value = std::stoll(spec[1]);
        memcpy(bytes.data(), &value, 4);
    } else {
        auto content = filled(spec);
        CUdeviceptr buffer;
        check(cuMemAlloc(&buffer, content.size()), text);
        check(cuMemcpyHtoD(buffer, content.data(), content.size()), text);
        buffers.push_back(buffer);
        bytes.assign((uint8_t*)&buffer, (uint8_t*)(&buffer + 1));
    }
    return bytes;
}

int main(int, char** arguments) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuModuleLoad(&module, arguments[1]), arguments[1]);
    std::ifstream table(arguments[2]);
    for (std::string line; std::getline(table, line);) {
        if (line.empty() || line[0] == '#') continue;
        auto fields = split(line, ' ');
        auto grid = split(fields[2], ','), block = split(fields[3], ',');
        CUfunction kernel;
        check(cuModuleGetFunction(&kernel, module, fields[1].c_str()), line);
        std::vector<CUdeviceptr> buffers;
        std::vector<std::vector<uint8_t>> values;
        for (size_t i = 5; i < fields.size(); i++) values.push_back(argument(fields[i], buffers));
        std::vector<void*> pointers;
        for (auto& value : values) pointers.push_back(value.data());
        check(cuLaunchKernel(kernel, std::stoul(grid[0]), std::stoul(grid[1]), std::stoul(grid[2]), std::stoul(block[0]),
                             std::stoul(block[1]), std::stoul(block[2]), std::stoul(fields[4]), 0, pointers.data(), 0),
              line);
        check(cuCtxSynchronize(), line);
        for (auto buffer : buffers) cuMemFree(buffer);
    }
}
