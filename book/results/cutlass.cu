// Products of matrices by CUTLASS, as functions that libraries.py calls: the templates that its own documentation names
// first for this GPU, in a few tiles each. Matrices are row-major, without gaps; C = A · B. A function returns 0, or what
// it could not do.
//
//     nvcc -std=c++17 -O3 -DNDEBUG -arch=sm_90a -Xcompiler -fPIC -shared --expt-relaxed-constexpr \
//         -I CUTLASS/include -I CUTLASS/tools/util/include cutlass.cu -o libcutlass_products.so
//
// Without NDEBUG the kernels call the function of a failed assertion, and ptxas then lets every wgmma wait for the last.

#include <cuda_runtime.h>

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm.h"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/util/packed_stride.hpp"
#include "cutlass/version.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

using namespace cute;

// What a launch needs of the device's memory is asked for once.
static void *workspace(size_t bytes) {
    static void *memory = nullptr;
    static size_t room = 0;
    if (bytes > room) {
        cudaFree(memory);
        memory = nullptr;
        room = cudaMalloc(&memory, bytes) == cudaSuccess ? bytes : 0;
    }
    return memory;
}

// bf16 by warp-specialised, persistent kernels: TMA and wgmma.
template <class Tile, class Cluster, class Schedule, class Epilogue>
struct Bf16 {
    using Element = cutlass::bfloat16_t;
    using Row = cutlass::layout::RowMajor;
    static constexpr int ALIGNED = 8;
    using Store = typename cutlass::epilogue::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
        cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, Row, ALIGNED, Element, Row, ALIGNED,
        Epilogue>::CollectiveOp;
    using Loop = typename cutlass::gemm::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, Row, ALIGNED, Element, Row, ALIGNED, float, Tile,
        Cluster,
        cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Store::SharedStorage))>,
        Schedule>::CollectiveOp;
    using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Loop, Store>;
    using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

    static int run(const void *a, const void *b, void *c, int m, int n, int k, cudaStream_t stream) {
        auto stride_a = cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, {m, k, 1});
        auto stride_b = cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, {n, k, 1});
        auto stride_d = cutlass::make_cute_packed_stride(typename Kernel::StrideD{}, {m, n, 1});
        static const int multiprocessors =
            cutlass::KernelHardwareInfo::query_device_multiprocessor_count(0);
        cutlass::KernelHardwareInfo hardware;
        hardware.sm_count = multiprocessors;
        typename Gemm::Arguments arguments{
            cutlass::gemm::GemmUniversalMode::kGemm,
            {m, n, k, 1},
            {static_cast<const Element *>(a), stride_a, static_cast<const Element *>(b), stride_b},
            {{1.0f, 0.0f}, nullptr, {}, static_cast<Element *>(c), stride_d},
            hardware};
        arguments.scheduler.max_swizzle_size = 8;
        static Gemm gemm;
        if (Gemm::can_implement(arguments) != cutlass::Status::kSuccess) return 1;
        if (gemm.initialize(arguments, workspace(Gemm::get_workspace_size(arguments)), stream) !=
            cutlass::Status::kSuccess)
            return 2;
        return gemm.run(stream) == cutlass::Status::kSuccess ? 0 : 3;
    }
};

// float32 by ordinary multiply-adds, fed by asynchronous copies.
template <class Block, class Warp, int STAGES>
struct Float32 {
    using Row = cutlass::layout::RowMajor;
    using Gemm = cutlass::gemm::device::Gemm<
        float, Row, float, Row, float, Row, float, cutlass::arch::OpClassSimt, cutlass::arch::Sm80, Block, Warp,
        cutlass::gemm::GemmShape<1, 1, 1>, cutlass::epilogue::thread::LinearCombination<float, 1, float, float>,
        cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, STAGES>;

    static int run(const void *a, const void *b, void *c, int m, int n, int k, cudaStream_t stream) {
        auto d = static_cast<float *>(c);
        typename Gemm::Arguments arguments{{m, n, k},
                                           {static_cast<const float *>(a), k},
                                           {static_cast<const float *>(b), n},
                                           {d, n},
                                           {d, n},
                                           {1.0f, 0.0f}};
        static Gemm gemm;
        if (Gemm::can_implement(arguments) != cutlass::Status::kSuccess) return 1;
        if (gemm.initialize(arguments, workspace(Gemm::get_workspace_size(arguments)), stream) !=
            cutlass::Status::kSuccess)
            return 2;
        return gemm.run(stream) == cutlass::Status::kSuccess ? 0 : 3;
    }
};

namespace by {
using Cooperative = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
using CooperativeStore = cutlass::epilogue::TmaWarpSpecializedCooperative;
using Pingpong = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
using PingpongStore = cutlass::epilogue::TmaWarpSpecialized;
}  // namespace by

using Multiply = int (*)(const void *, const void *, void *, int, int, int, cudaStream_t);

static const Multiply BF16[] = {
    Bf16<Shape<_128, _256, _64>, Shape<_2, _1, _1>, by::Cooperative, by::CooperativeStore>::run,
    Bf16<Shape<_256, _128, _64>, Shape<_2, _1, _1>, by::Cooperative, by::CooperativeStore>::run,
    Bf16<Shape<_128, _128, _64>, Shape<_2, _1, _1>, by::Cooperative, by::CooperativeStore>::run,
    Bf16<Shape<_64, _256, _64>, Shape<_2, _1, _1>, by::Pingpong, by::PingpongStore>::run,
    Bf16<Shape<_128, _128, _64>, Shape<_2, _1, _1>, by::Pingpong, by::PingpongStore>::run,
};

template <int M, int N, int K>
using Of = cutlass::gemm::GemmShape<M, N, K>;

static const Multiply FLOAT32[] = {
    Float32<Of<256, 128, 8>, Of<64, 64, 8>, 4>::run,
    Float32<Of<128, 256, 8>, Of<64, 64, 8>, 4>::run,
    Float32<Of<128, 128, 8>, Of<32, 64, 8>, 5>::run,
    Float32<Of<128, 64, 8>, Of<64, 32, 8>, 5>::run,
};

extern "C" {

// The version of the templates, such as 4.7.0.
const char *version() {
    return TEXT(CUTLASS_MAJOR) "." TEXT(CUTLASS_MINOR) "." TEXT(CUTLASS_PATCH);
}

// How many tiles there are to choose from.
int count_bf16() { return sizeof(BF16) / sizeof(*BF16); }
int count_f32() { return sizeof(FLOAT32) / sizeof(*FLOAT32); }

int product_bf16(int which, const void *a, const void *b, void *c, int m, int n, int k, cudaStream_t stream) {
    return BF16[which](a, b, c, m, n, k, stream);
}

int product_f32(int which, const void *a, const void *b, void *c, int m, int n, int k, cudaStream_t stream) {
    return FLOAT32[which](a, b, c, m, n, k, stream);
}
}
