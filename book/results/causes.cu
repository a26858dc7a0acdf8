// Measures what chapters would otherwise only suppose, one question a function, and prints a record.
//
// `causes.py` compiles and runs it, asks the profiler about some of its kernels, and writes the record.
//
// A time of a kernel is that between two events, after a buffer of four times the L2 cache was written, as `record` takes
// it. Results are compared with the host's or with one another's before anything is timed.

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#define CHECK(call)                                                                                  \
  do {                                                                                               \
    cudaError_t status = (call);                                                                     \
    if (status != cudaSuccess) {                                                                     \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));      \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)

constexpr int WARM_UP = 3;

// How often each is measured; `SAMPLES` in the environment, where the profiler looks on and once is enough.
static const int SAMPLES = getenv("SAMPLES") ? atoi(getenv("SAMPLES")) : 50;

static float *flush_buffer;
static size_t flush_bytes;
static int multiprocessors;
static bool first_measurement = true;

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(1);
}

// One measurement of the record: a name, its unit, and the samples.
static void tell(const std::string &name, const char *unit, const std::vector<double> &samples) {
  printf("%s\n{\"name\":\"%s\",\"unit\":\"%s\",\"samples\":[", first_measurement ? "" : ",", name.c_str(), unit);
  for (size_t i = 0; i < samples.size(); ++i) printf("%s%.6g", i ? "," : "", samples[i]);
  printf("]}");
  first_measurement = false;
  fflush(stdout);
}

// Microseconds of what is queued, cold.
static std::vector<double> cold_us(const std::function<void()> &queue) {
  cudaEvent_t start, end;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  std::vector<double> samples;
  for (int turn = 0; turn < WARM_UP + SAMPLES; ++turn) {
    CHECK(cudaMemsetAsync(flush_buffer, turn, flush_bytes));
    CHECK(cudaEventRecord(start));
    queue();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaGetLastError());
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, end));
    if (turn >= WARM_UP) samples.push_back(ms * 1e3);
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(end));
  return samples;
}

static std::vector<double> gb_per_s(double bytes, std::vector<double> us) {
  for (double &sample : us) sample = bytes / sample / 1e3;
  return us;
}

// --- How many clocks does a shuffle take whose result the next one needs? -------------------------------------------

constexpr int CHAIN = 1024;

__global__ void shuffle_chain(unsigned *clocks, unsigned *out) {
  unsigned x = threadIdx.x;
  unsigned begin = clock();
#pragma unroll 64
  for (int i = 0; i < CHAIN; ++i) x = __shfl_xor_sync(~0u, x, 1);
  unsigned end = clock();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0) *clocks = end - begin;
}

// The source lane is the value itself, so that the next shuffle needs it as an address.
__global__ void shuffle_index_chain(unsigned *clocks, unsigned *out) {
  unsigned x = (threadIdx.x + 1) & 31;
  unsigned begin = clock();
#pragma unroll 64
  for (int i = 0; i < CHAIN; ++i) x = __shfl_sync(~0u, x, x);
  unsigned end = clock();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0) *clocks = end - begin;
}

// The same exchange by way of shared memory.
__global__ void shared_chain(unsigned *clocks, unsigned *out) {
  __shared__ unsigned tile[32];
  unsigned x = threadIdx.x;
  unsigned begin = clock();
#pragma unroll 64
  for (int i = 0; i < CHAIN; ++i) {
    tile[threadIdx.x] = x;
    __syncwarp();
    x = tile[threadIdx.x ^ 1];
    __syncwarp();
  }
  unsigned end = clock();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0) *clocks = end - begin;
}

static void shuffles() {
  unsigned *clocks, *out;
  CHECK(cudaMallocManaged(&clocks, 4));
  CHECK(cudaMallocManaged(&out, 32 * 4));
  auto chain = [&](const char *name, void (*kernel)(unsigned *, unsigned *)) {
    std::vector<double> samples;
    for (int turn = 0; turn < WARM_UP + SAMPLES; ++turn) {
      kernel<<<1, 32>>>(clocks, out);
      CHECK(cudaDeviceSynchronize());
      if (turn >= WARM_UP) samples.push_back(double(*clocks) / CHAIN);
    }
    tell(name, "clocks", samples);
  };
  chain("shuffle_xor", shuffle_chain);
  for (unsigned lane = 0; lane < 32; ++lane) require(out[lane] == lane, "an even number of exchanges gives back");
  chain("shuffle_by_value", shuffle_index_chain);
  chain("exchange_by_shared", shared_chain);
  for (unsigned lane = 0; lane < 32; ++lane) require(out[lane] == lane, "an even number of exchanges gives back");
}

// --- How long from the call of a launch until the kernel's first instruction can be seen? ----------------------------

__global__ void raise(volatile unsigned *flag, unsigned value) { *flag = value; }

__global__ void echo(volatile unsigned *asked, volatile unsigned *answered, unsigned turns) {
  for (unsigned turn = 1; turn <= turns; ++turn) {
    while (*asked != turn) {
    }
    *answered = turn;
  }
}

static double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void starts() {
  unsigned *flags;
  CHECK(cudaHostAlloc(&flags, 512, cudaHostAllocMapped));
  volatile unsigned *asked = flags, *answered = flags + 64;
  *asked = *answered = 0;
  std::vector<double> seen, returned, ended, round_trip;
  for (unsigned turn = 1; int(turn) <= WARM_UP + SAMPLES; ++turn) {
    CHECK(cudaDeviceSynchronize());
    double begin = now_us();
    raise<<<1, 1>>>(answered, turn);
    double back = now_us();
    while (*answered != turn) {
    }
    double there = now_us();
    CHECK(cudaDeviceSynchronize());
    double done = now_us();
    if (turn <= WARM_UP) continue;
    returned.push_back(back - begin);
    seen.push_back(there - begin);
    ended.push_back(done - begin);
  }
  *asked = *answered = 0;
  const unsigned TURNS = WARM_UP + SAMPLES;
  echo<<<1, 1>>>(asked, answered, TURNS);
  for (unsigned turn = 1; turn <= TURNS; ++turn) {
    double begin = now_us();
    *asked = turn;
    while (*answered != turn) {
    }
    if (turn > WARM_UP) round_trip.push_back(now_us() - begin);
  }
  CHECK(cudaDeviceSynchronize());
  tell("launch_returns", "us", returned);
  tell("launch_first_store_seen", "us", seen);
  tell("launch_end_seen", "us", ended);
  tell("flag_round_trip", "us", round_trip);
}

// --- Does divergence cost anything where memory is what a kernel waits for? -----------------------------------------

// The rounds of either arm come from the host, so that neither is a select or predicated away.
template <bool BY_LANE>
__global__ void arms(const float4 *__restrict__ in, float4 *__restrict__ out, size_t count, int rounds, float by) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  float4 v = in[i];
  bool left = BY_LANE ? threadIdx.x & 1 : threadIdx.x >> 5 & 1;
  if (left) {
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) v.x = v.x * by + v.y;
  } else {
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) v.y = v.y * by - v.x;
  }
  out[i] = v;
}

static void divergence(float4 *in, float4 *out, size_t count) {
  int blocks = int((count + 255) / 256);
  for (int rounds : {1, 4, 16, 64}) {
    std::string end = "_" + std::to_string(rounds);
    auto uniform = cold_us([&] { arms<false><<<blocks, 256>>>(in, out, count, rounds, 0.5f); });
    auto diverging = cold_us([&] { arms<true><<<blocks, 256>>>(in, out, count, rounds, 0.5f); });
    tell("arms_by_warp" + end, "GB/s", gb_per_s(count * 32.0, uniform));
    tell("arms_by_lane" + end, "GB/s", gb_per_s(count * 32.0, diverging));
  }
}

// --- Does L2 fetch 64 bytes because a limit says so? -----------------------------------------------------------------

__global__ void strided(const float *__restrict__ in, float *out, size_t threads, int stride) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= threads) return;
  float v = in[i * stride];
  if (v == -1.0f) out[0] = v;
}

static void granularity(float *in, size_t floats, float *out) {
  size_t unset;
  CHECK(cudaDeviceGetLimit(&unset, cudaLimitMaxL2FetchGranularity));
  tell("l2_granularity_unset", "bytes", {double(unset)});
  for (size_t bytes : {32, 64, 128}) {
    CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes));
    size_t is;
    CHECK(cudaDeviceGetLimit(&is, cudaLimitMaxL2FetchGranularity));
    tell("l2_granularity_of_" + std::to_string(bytes), "bytes", {double(is)});
    for (int stride : {1, 8, 16, 32}) {
      size_t threads = std::min(floats / stride, size_t(1) << 26);
      auto us = cold_us([&] { strided<<<unsigned((threads + 255) / 256), 256>>>(in, out, threads, stride); });
      tell("l2_granularity_" + std::to_string(bytes) + "_stride_" + std::to_string(stride), "us", us);
    }
  }
}

// --- Does a histogram of more bins than 48 KiB hold still pay in shared memory? --------------------------------------

__global__ void bins_in_global(const uint4 *in, size_t count, unsigned *bins, unsigned mask) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    uint4 v = in[i];
    atomicAdd(&bins[v.x & mask], 1);
    atomicAdd(&bins[v.y & mask], 1);
    atomicAdd(&bins[v.z & mask], 1);
    atomicAdd(&bins[v.w & mask], 1);
  }
}

__global__ void bins_in_shared(const uint4 *in, size_t count, unsigned *bins, unsigned mask) {
  extern __shared__ unsigned own[];
  for (unsigned i = threadIdx.x; i <= mask; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    uint4 v = in[i];
    atomicAdd(&own[v.x & mask], 1);
    atomicAdd(&own[v.y & mask], 1);
    atomicAdd(&own[v.z & mask], 1);
    atomicAdd(&own[v.w & mask], 1);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i <= mask; i += blockDim.x)
    if (own[i]) atomicAdd(&bins[i], own[i]);
}

__global__ void scramble(unsigned *out, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    unsigned x = unsigned(i) * 2654435769u ^ unsigned(i >> 32);
    x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; x ^= x >> 16;
    out[i] = x;
  }
}

static void histograms(unsigned *in, size_t count) {
  constexpr unsigned MOST = 32768;
  unsigned *bins;
  CHECK(cudaMalloc(&bins, MOST * 4));
  CHECK(cudaFuncSetAttribute(bins_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST * 4));
  scramble<<<1024, 256>>>(in, count);
  auto counted = [&] {
    std::vector<unsigned> host(MOST);
    CHECK(cudaMemcpy(host.data(), bins, MOST * 4, cudaMemcpyDeviceToHost));
    return host;
  };
  for (unsigned number : {1024u, 4096u, 8192u, 16384u, 32768u}) {
    size_t bytes = number * 4;
    int resident = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, bins_in_shared, 1024, bytes));
    auto in_global = [&] { bins_in_global<<<multiprocessors * 2, 1024>>>((uint4 *)in, count / 4, bins, number - 1); };
    auto in_shared = [&] {
      bins_in_shared<<<multiprocessors * resident, 1024, bytes>>>((uint4 *)in, count / 4, bins, number - 1);
    };
    CHECK(cudaMemset(bins, 0, MOST * 4));
    in_global();
    std::vector<unsigned> one = counted();
    CHECK(cudaMemset(bins, 0, MOST * 4));
    in_shared();
    require(one == counted(), "both histograms are the same");
    std::string end = "_" + std::to_string(number);
    tell("bins_global" + end, "GB/s", gb_per_s(count * 4.0, cold_us(in_global)));
    tell("bins_shared" + end, "GB/s", gb_per_s(count * 4.0, cold_us(in_shared)));
    tell("bins_shared_blocks" + end, "blocks", {double(resident)});
  }
  CHECK(cudaFree(bins));
}

// --- Fewer blocks, fewer waves; and the swizzled tile filled by cp.async ---------------------------------------------

constexpr int SIDE = 32, ROWS = 8;

// Where a tile's element lies: columns turned by the row, so that neither direction has a conflict.
__device__ int at(int row, int column) { return row * SIDE + (column ^ row); }

template <bool ASYNC>
__global__ void turn(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  __shared__ float tile[SIDE * SIDE];
  int across = columns / SIDE, tiles = across * (rows / SIDE);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    int column = t % across * SIDE, row = t / across * SIDE;
    for (int j = threadIdx.y; j < SIDE; j += ROWS) {
      const float *from = in + size_t(row + j) * columns + column + threadIdx.x;
      float *to = tile + at(j, threadIdx.x);
      if (ASYNC) {
        unsigned shared = unsigned(__cvta_generic_to_shared(to));
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory");
      } else {
        *to = *from;
      }
    }
    if (ASYNC) asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int j = threadIdx.y; j < SIDE; j += ROWS)
      out[size_t(column + j) * rows + row + threadIdx.x] = tile[at(threadIdx.x, j)];
    __syncthreads();
  }
}

__global__ void count_unturned(const float *in, const float *out, int rows, int columns, unsigned *wrong) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column < columns && __float_as_uint(in[size_t(row) * columns + column]) !=
                              __float_as_uint(out[size_t(column) * rows + row]))
    atomicAdd(wrong, 1);
}

static void turns(float *in, float *out) {
  constexpr int rows = 4096, columns = 4096, tiles = rows / SIDE * (columns / SIDE);
  unsigned *wrong;
  CHECK(cudaMallocManaged(&wrong, 4));
  auto timed = [&](const std::string &name, auto kernel, int blocks) {
    CHECK(cudaMemset(out, 0xff, size_t(rows) * columns * 4));
    kernel<<<blocks, dim3(SIDE, ROWS)>>>(in, out, rows, columns);
    *wrong = 0;
    count_unturned<<<dim3(columns / 256, rows), 256>>>(in, out, rows, columns, wrong);
    CHECK(cudaDeviceSynchronize());
    require(*wrong == 0, name.c_str());
    auto us = cold_us([&] { kernel<<<blocks, dim3(SIDE, ROWS)>>>(in, out, rows, columns); });
    tell(name, "GB/s", gb_per_s(2.0 * rows * columns * 4, us));
  };
  timed("turn_block_a_tile", turn<false>, tiles);
  timed("turn_async_block_a_tile", turn<true>, tiles);
  for (int each : {1, 2, 4, 8, 16, 32}) {
    timed("turn_blocks_each_" + std::to_string(each), turn<false>, multiprocessors * each);
    timed("turn_async_blocks_each_" + std::to_string(each), turn<true>, multiprocessors * each);
  }
}

// --- What do the two instructions of programmatic launch gain, each alone? -------------------------------------------

template <bool ALLOW, bool WAIT, int EACH>
__global__ void link(const float *in, float *out, int count) {
  if (ALLOW) asm volatile("griddepcontrol.launch_dependents;");
  if (WAIT) asm volatile("griddepcontrol.wait;" ::: "memory");
  for (int e = 0; e < EACH; ++e) {
    int i = (blockIdx.x * EACH + e) * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i] + 1.0f;
  }
}

template <bool ALLOW, bool WAIT, int EACH>
static void chain_of_links(const char *name, float *a, float *b, bool programmatic) {
  constexpr int LINKS = 500, COUNT = 1 << 20;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, end;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = COUNT / 256 / EACH;
  config.blockDim = 256;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = programmatic;
  // In a graph, so that the host's calls are not what is timed.
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int k = 0; k < LINKS; ++k)
    CHECK(cudaLaunchKernelEx(&config, link<ALLOW, WAIT, EACH>, (const float *)(k & 1 ? b : a), k & 1 ? a : b, COUNT));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaMemsetAsync(a, 0, COUNT * 4, stream));
  std::vector<double> samples;
  for (int turn = 0; turn < WARM_UP + SAMPLES; ++turn) {
    CHECK(cudaEventRecord(start, stream));
    CHECK(cudaGraphLaunch(ready, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, end));
    if (turn >= WARM_UP) samples.push_back(ms * 1e3 / LINKS);
  }
  // Only who waits has its input; the others are timed, and what they compute is not looked at.
  if (WAIT || !programmatic) {
    float value;
    CHECK(cudaMemcpy(&value, a + COUNT - 1, 4, cudaMemcpyDeviceToHost));
    require(value == float(LINKS * (WARM_UP + SAMPLES)), name);
  }
  tell(name, "us", samples);
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaStreamDestroy(stream));
}

static void programmatic(float *a, float *b) {
  chain_of_links<false, false, 1>("links_plain", a, b, false);
  chain_of_links<false, true, 1>("links_wait", a, b, true);
  chain_of_links<true, true, 1>("links_allow_wait", a, b, true);
  chain_of_links<true, false, 1>("links_allow", a, b, true);
  chain_of_links<false, true, 1>("links_wait_ordinary", a, b, false);
  chain_of_links<true, true, 1>("links_allow_wait_ordinary", a, b, false);
  chain_of_links<true, false, 1>("links_allow_ordinary", a, b, false);
  chain_of_links<false, false, 4>("links_plain_four", a, b, false);
  chain_of_links<false, true, 4>("links_wait_four", a, b, true);
  chain_of_links<true, true, 4>("links_allow_wait_four", a, b, true);
  chain_of_links<true, false, 4>("links_allow_four", a, b, true);
  chain_of_links<false, true, 4>("links_wait_ordinary_four", a, b, false);
  chain_of_links<true, true, 4>("links_allow_wait_ordinary_four", a, b, false);
  chain_of_links<true, false, 4>("links_allow_ordinary_four", a, b, false);
}

// --- How long does the driver take to compile PTX? -------------------------------------------------------------------

static void compilation(int files, char **paths) {
  for (int f = 0; f < files; ++f) {
    std::ifstream file(paths[f]);
    std::stringstream text;
    text << file.rdbuf();
    std::string ptx = text.str(), name = paths[f];
    require(!ptx.empty(), paths[f]);
    name = name.substr(name.rfind('/') + 1);
    name = name.substr(0, name.find('.'));
    std::vector<double> samples;
    for (int turn = 0; turn < 5; ++turn) {
      CUmodule module;
      double begin = now_us();
      require(cuModuleLoadData(&module, ptx.c_str()) == CUDA_SUCCESS, paths[f]);
      samples.push_back((now_us() - begin) / 1e3);
      cuModuleUnload(module);
    }
    tell("jit_" + name, "ms", samples);
  }
}

static std::string output_of(const char *command) {
  std::string text;
  if (FILE *pipe = popen(command, "r")) {
    char part[256];
    while (fgets(part, sizeof part, pipe)) text += part;
    pclose(pipe);
  }
  while (!text.empty() && text.back() <= ' ') text.pop_back();
  return text;
}

int main(int count, char **words) {
  require(count >= 3, "usage: causes COMMIT SHA256 PTX_FILE...");
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  multiprocessors = device.multiProcessorCount;
  flush_bytes = size_t(device.l2CacheSize) * 4;
  CHECK(cudaMalloc(&flush_buffer, flush_bytes));
  constexpr size_t FLOATS = size_t(1) << 30;
  float *in, *out;
  CHECK(cudaMalloc(&in, FLOATS * 4));
  CHECK(cudaMalloc(&out, FLOATS * 4));
  scramble<<<4096, 256>>>((unsigned *)in, FLOATS);
  CHECK(cudaDeviceSynchronize());
  char date[16];
  time_t now = time(nullptr);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  std::string driver = output_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0");
  std::string clocks = output_of("nvidia-smi --query-gpu=clocks.sm,clocks.mem --format=csv,noheader,nounits -i 0");
  printf("{\"schema\":1,\"experiment\":\"causes\",\"device\":\"%s\",\"driver\":\"%s\",\"sm_and_memory_mhz\":\"%s\",\n", device.name,
         driver.c_str(), clocks.c_str());
  printf("\"date\":\"%s\",\"commit\":\"%s\",\"source_sha256\":\"%s\",\"tool\":\"causes.cu by nvcc %d.%d\",\n", date, words[1],
         words[2], __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
  printf("\"measurements\":[");
  shuffles();
  starts();
  divergence((float4 *)in, (float4 *)out, size_t(1) << 25);
  histograms((unsigned *)out, size_t(1) << 27);
  turns(in, out);
  programmatic(out, out + (1 << 20));
  compilation(count - 3, words + 3);
  granularity(in, FLOATS, out);
  printf("\n]}\n");
  return 0;
}
