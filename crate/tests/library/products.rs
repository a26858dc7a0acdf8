//! Products of matrices: registered kernels and a cell's own, what they are refused, and how mistakes are told.

use crate::{compiles, devices};
use cornerturn::registry::ProductEntry;
use cornerturn::{
    Checked, Device, Dim3, Error, Kernel, Layout, NumberType, Product, ProductBoxes,
    ProductMistake, ProductProblem, ProductRun, ProductShape, Registry, Swizzle, TensorBox,
    TimingMode,
};

fn entry(id: &str) -> ProductEntry {
    Registry::load().unwrap().product(id).unwrap().clone()
}

#[test]
fn a_registered_product_is_right_on_every_device() {
    for device in devices() {
        for id in ["sgemm_naive", "sgemm_tiled"] {
            for shape in [[1, 1, 1], [33, 65, 31], [97, 61, 1], [1, 1000, 7]] {
                let run = ProductRun::registered(&device, id, shape.into()).unwrap();
                assert!(run.accuracy.of_bound < 1.0);
                assert_eq!(run.checked, Checked::Here);
                assert_eq!(run.counted, Some(shape.into()));
                assert_eq!(run.timing.is_some(), device.is_cuda());
            }
        }
    }
}

#[test]
fn a_large_product_is_checked_and_on_a_gpu_counted_on_a_smaller_one() {
    for device in devices() {
        let shape = ProductShape::new(330, 250, 190);
        let run = ProductRun::registered(&device, "sgemm_tiled", shape).unwrap();
        let Checked::SmallerWork { what, .. } = &run.checked else {
            panic!("{}", run.checked);
        };
        assert!(what.contains("product 49×49×81"), "{what}");
        assert!(run.to_string().contains("bit by bit"), "{run}");
    }
}

#[test]
fn a_cells_own_launch_is_checked_on_a_product_that_its_grid_suits() {
    let kernel = Kernel::registered("sgemm_tiled").unwrap();
    let device = Device::emulator();
    let product = Product::new(&device, ProductProblem::new(260, 200, 180)).unwrap();
    let run = product.run(&kernel, (7, 9), (32, 32)).unwrap();
    assert!(
        matches!(&run.checked, Checked::SmallerWork { grid, .. } if *grid == Dim3::from((2, 2))),
        "{}",
        run.checked
    );
    assert!(matches!(
        product.time(&kernel, (7, 9), (32, 32), TimingMode::Warm),
        Err(Error::NoClock)
    ));
}

#[test]
fn a_grid_that_leaves_tiles_out_is_told() {
    let kernel = Kernel::registered("sgemm_tiled").unwrap();
    let product = Product::new(&Device::emulator(), ProductProblem::new(70, 50, 90)).unwrap();
    let error = product.run(&kernel, (2, 2), (32, 32)).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    let Error::WrongProduct { mismatch, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((mismatch.row, mismatch.column), (64, 0), "{error}");
    assert_eq!(mismatch.guess, Some(ProductMistake::Unwritten));
    assert_eq!(mismatch.wrong, 6 * 50);
}

#[test]
fn a_factor_that_lies_otherwise_than_the_kernel_reads_it_is_told() {
    let kernel = Kernel::registered("sgemm_naive").unwrap();
    for (layout, name) in [(Layout::Tn, 'A'), (Layout::Nt, 'B')] {
        let problem = ProductProblem::new(48, 56, 64).layout(layout);
        let product = Product::new(&Device::emulator(), problem).unwrap();
        let error = product.run(&kernel, (2, 6), (32, 8)).unwrap_err();
        let Error::WrongProduct { mismatch, .. } = &error else {
            panic!("{error}");
        };
        let guess = ProductMistake::FactorTransposed {
            name,
            lies_transposed: true,
        };
        assert_eq!(mismatch.guess, Some(guess), "{error}");
    }
}

#[test]
fn an_entry_says_which_products_it_takes_and_how_they_are_launched() {
    let wmma = entry("wmma_f16");
    assert_eq!(
        wmma.problem(ProductShape::square(32)).unwrap().input,
        NumberType::F16
    );
    let error = wmma.problem(ProductShape::new(32, 32, 33)).unwrap_err();
    assert!(
        error.to_string().contains("k is a multiple of 16"),
        "{error}"
    );
    assert_eq!(error.exit_code(), 2);
    let tiled = entry("sgemm_tiled");
    let grid = |entry: &ProductEntry, m, n| {
        let shape = ProductShape::new(m, n, 8);
        entry.launch_shape(shape, 100).unwrap().0.array()
    };
    assert_eq!(grid(&tiled, 33, 100), [4, 2, 1]);
    let mut linear = tiled.clone();
    linear.grid = cornerturn::registry::Grid::Linear;
    linear.cluster_blocks = [2, 1];
    linear.split_k = 3;
    assert_eq!(grid(&linear, 33, 65), [8, 1, 3]);
    let mut persistent = linear.clone();
    persistent.grid = cornerturn::registry::Grid::Persistent;
    persistent.blocks_per_multiprocessor = Some(1);
    persistent.split_k = 1;
    assert_eq!(grid(&persistent, 33, 65), [8, 1, 1]);
    assert_eq!(grid(&persistent, 4096, 4096), [100, 1, 1]);
    let other = Product::new(&Device::emulator(), ProductProblem::new(32, 32, 32)).unwrap();
    assert!(matches!(other.launch_shape(&wmma), Err(Error::Usage(_))));
}

/// A tile of 32 × 32 a block; A comes by tensor maps, B and C by pointers.
const BY_MAPS: &str = r#"
struct alignas(64) TensorMap { unsigned char bytes[128]; };
__device__ unsigned shared(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
extern "C" __global__ void by_maps(const __grid_constant__ TensorMap a, const float* __restrict__ b,
                                   float* __restrict__ c, unsigned m, unsigned n, unsigned k)
{
    __shared__ alignas(1024) float of_a[32][32];
    __shared__ unsigned long long arrived;
    const unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32 + x;
    const bool first = x == 0 && y == 0;
    if (first) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(&arrived)) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    float sum = 0.0f;
    unsigned phase = 0;
    for (unsigned from = 0; from < k; from += 32, phase ^= 1) {
        if (first) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                         :: "r"(shared(&arrived)), "r"(unsigned(sizeof of_a)) : "memory");
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                         " [%0], [%1, {%2, %3}], [%4];"
                         :: "r"(shared(of_a)), "l"(&a), "r"(from), "r"(blockIdx.y * 32), "r"(shared(&arrived)) : "memory");
        }
        for (unsigned done = 0; !done;)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(shared(&arrived)), "r"(phase) : "memory");
        // The pieces of 16 bytes of a row of 128 lie in another order in each of eight rows.
        for (unsigned p = 0; p < 32 && from + p < k; ++p)
            sum = fmaf(of_a[y][(p / 4 ^ y % 8) * 4 + p % 4], column < n ? b[(from + p) * n + column] : 0.0f, sum);
        __syncthreads();
    }
    if (blockIdx.y * 32 + y < m && column < n)
        c[(blockIdx.y * 32 + y) * n + column] = sum;
}
"#;

#[test]
fn a_kernel_gets_tensor_maps_of_the_matrices_that_it_has_boxes_for() {
    if !compiles("a product by tensor maps") {
        return;
    }
    let kernel = Kernel::cuda(BY_MAPS).unwrap();
    let problem = ProductProblem::new(40, 50, 76);
    let product = Product::new(&Device::emulator(), problem).unwrap();
    let error = product.run(&kernel, (2, 2), (32, 32)).unwrap_err();
    assert!(error.to_string().contains("with_product_maps"), "{error}");
    let boxed = kernel.with_product_maps(ProductBoxes {
        a: Some(TensorBox::new(32, 32).swizzled(Swizzle::Bytes128)),
        ..ProductBoxes::default()
    });
    let run = product.run(&boxed, (2, 2), (32, 32)).unwrap();
    assert_eq!(run.checked, Checked::Here);
    // A row of 77 floats begins at no multiple of 16 bytes.
    let odd = Product::new(&Device::emulator(), ProductProblem::new(40, 50, 77)).unwrap();
    let error = odd.run(&boxed, (2, 2), (32, 32)).unwrap_err();
    assert!(matches!(error, Error::TensorMap { .. }), "{error}");
}

#[test]
fn a_kernel_that_adds_to_c_finds_zeros_and_one_that_writes_to_a_factor_is_told() {
    if !compiles("a product that is added up in memory") {
        return;
    }
    let source = r#"extern "C" __global__ void adds(const float* a, const float* b, float* c,
                                                    unsigned m, unsigned n, unsigned k)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        const unsigned parts = gridDim.z, part = (k + parts - 1) / parts, from = blockIdx.z * part;
        if (i >= m * n) return;
        float sum = 0.0f;
        for (unsigned p = from; p < from + part && p < k; ++p)
            sum = fmaf(a[i / n * k + p], b[p * n + i % n], sum);
        atomicAdd(&c[i], sum);
    }"#;
    let kernel = Kernel::cuda(source).unwrap();
    let product = Product::new(&Device::emulator(), ProductProblem::new(9, 13, 37)).unwrap();
    product
        .run(&kernel.adding_to_result(), [1, 1, 3], 128)
        .unwrap();
    assert!(product.run(&kernel, [1, 1, 3], 128).is_err());
    let writes = source
        .replace("adds(const float* a", "adds(float* a")
        .replace(
            "atomicAdd(&c[i], sum);",
            "c[i] = sum; if (i == 0) a[0] = 7.0f;",
        );
    let kernel = Kernel::cuda(&writes).unwrap();
    let error = product.verify(&kernel, 1, 128).unwrap_err();
    assert!(error.to_string().contains("written to `a`"), "{error}");
    // What it had written is gone.
    let right = source.replace("atomicAdd(&c[i], sum);", "c[i] = sum;");
    product
        .verify(&Kernel::cuda(&right).unwrap(), 1, 128)
        .unwrap();
}

#[test]
fn headers_of_narrow_numbers_and_of_matrix_instructions_are_found_by_live_compiles() {
    if !compiles("a kernel with headers") || !cornerturn::paths::headers().unwrap().is_dir() {
        return;
    }
    let source = Registry::load()
        .unwrap()
        .source(&entry("wmma_f16"))
        .unwrap();
    let edited = source
        .replace("__half", "__nv_bfloat16")
        .replace("wmma_f16", "wmma_bf16");
    // Halves have matrix instructions from 7.5 on, bfloat16 from 8.0 on.
    let problem = ProductProblem::new(32, 48, 64);
    let bf16 = problem.input(NumberType::Bf16);
    let product = Product::new(&Device::emulator(), bf16).unwrap();
    let kernel = Kernel::cuda(&edited).unwrap().for_multiples_of([16; 3]);
    assert!(kernel.ptx_text().contains(".target sm_80"));
    product.run(&kernel, (3, 2), 32).unwrap();
    let kernel = Kernel::cuda(&source.replace("// C", "// Edited: C")).unwrap();
    let product = Product::new(&Device::emulator(), problem.input(NumberType::F16)).unwrap();
    product.run(&kernel, (3, 2), 32).unwrap();
}
