//! Whole programs, as examples are: what the host does is passed over, and the kernels compile.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{Options, Severity, compile};

/// What of a source is told that compiles.
fn warnings(source: &str) -> Vec<String> {
    let compiled = compile(source, "program.cu", &Options::default());
    let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
    assert!(compiled.ptx.contains(".visible .entry"));
    let list = compiled.list.into_iter();
    let told = list.inspect(|one| assert_eq!(one.severity, Severity::Warning));
    told.map(|one| one.message).collect()
}

const KERNEL: &str = "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n";

#[test]
fn a_program_with_its_headers_compiles_to_its_kernels() {
    let told = warnings(&format!(
        r#"
#include <cuda_runtime.h>
#include <iostream>
#include <vector>
#include <thrust/host_vector.h>
using namespace std;
#define CHECK(call) check((call), __FILE__, __LINE__)

float *on_host, *on_device;
cudaStream_t stream;
cudaError_t launched(float* x, unsigned size);
template <typename T> void check(T result, const char* file, int line) {{ if (result) std::cerr << file << line; }}
void fill(std::vector<float>& v) {{ for (auto& one : v) one = float(rand()) / RAND_MAX; }}
static double seconds() {{ struct timeval now; gettimeofday(&now, NULL); return now.tv_sec; }}
{KERNEL}
int main(int argc, char** argv)
{{
    std::vector<float> v(32);
    cudaError_t error = cudaMalloc((void**)&on_device, 32 * sizeof(float));
    if (error != cudaSuccess) {{ fprintf(stderr, "%s\n", cudaGetErrorString(error)); exit(EXIT_FAILURE); }}
    k<<<1, 32>>>(on_device);
    CHECK(cudaDeviceSynchronize());
    cout << v[0] << endl;
}}

cudaError_t launched(float* x, unsigned size)
{{
    dim3 blocks((size + 31) / 32);
    k<<<blocks, 32, 0, stream>>>(x);
    return cudaGetLastError();
}}
"#
    ));
    // Once, however many functions launch.
    let once = "`main` launches kernels: that is code of the host, which is not compiled here";
    assert_eq!(told, [once]);
}

#[test]
fn what_kernels_call_is_compiled_beside_it() {
    let source = "__host__ __device__ float twice(float x) { return 2 * x; }
        constexpr int four() { return 4; }
        struct Pair { float a, b; __device__ float sum() const { return a + b; } };
        void host() { unknown y = z +; }
        __global__ void k(float* x) { Pair p{1, 2}; x[four()] = twice(x[1]) + p.sum(); }";
    assert_eq!(warnings(source), Vec::<String>::new());
}

#[test]
fn what_has_types_of_the_hosts_libraries_is_passed_over() {
    let source = "std::vector<float> all;
        static const std::map<std::string, int> numbers = {{\"one\", 1}, {\"two\", 2}};
        cudaDeviceProp properties;
        template <typename T> class Buffer {
            T* place = nullptr; std::unique_ptr<int> owner;
        public:
            explicit Buffer(size_t n) { cudaMalloc(&place, n * sizeof(T)); }
        };
        struct Matrix {
            int columns; float* data;
            void upload(const std::vector<float>& v) { cudaMemcpy(data, v.data(), 4 * v.size(), cudaMemcpyHostToDevice); }
            __device__ float at(int row, int column) const { return data[row * columns + column]; }
        };
        std::ostream& operator<<(std::ostream& out, const Matrix& m) { return out << m.columns; }
        __global__ void k(Matrix m, float* x) { x[threadIdx.x] = m.at(threadIdx.x, 0); }";
    assert_eq!(warnings(source), Vec::<String>::new());
}

#[test]
fn what_is_not_whole_is_refused() {
    let refused = |rest: &str, words: &str| {
        let error = compile(
            &format!("{KERNEL}{rest}"),
            "program.cu",
            &Options::default(),
        );
        let error = error.unwrap_err().to_string();
        assert!(error.contains(words), "{rest}: {error}");
    };
    refused("int main() { if (1) {", "`}` is missing");
    refused("int main(", "`)` is missing");
    refused(
        "__device__ unknown f(float x) { return x; }",
        "found `unknown`",
    );
    refused(
        "__globl__ void j(float* x) { x[0] = 1; }",
        "found `__globl__`",
    );
    refused("unknown x = 1;", "found `unknown`");
}

#[test]
fn a_template_that_the_host_launches_is_a_kernel() {
    let source = r#"
template <typename T, int SIZE> __global__ void scale(T* x) { x[threadIdx.x % SIZE] *= 2; }
template <typename T> void everywhere(T* x, int side) { scale<T, 8><<<1, 32>>>(x); }
constexpr int WIDE = 64;
int main()
{
    const int of_host = 4;
    scale<float, WIDE / 2><<<1, 32>>>(nullptr);
    scale<float, 32><<<2, 32>>>(nullptr);
    scale<double, (16 > 8)><<<dim3(1), dim3(32), 0>>>(nullptr);
    scale<float, of_host><<<1, 32>>>(nullptr);
    if (of_host < 3 && of_host > (1 << 1)) return 1;
}
"#;
    assert!(warnings(source)[0].starts_with("`everywhere` launches kernels"));
    let ptx = compile(source, "program.cu", &Options::default())
        .unwrap()
        .ptx;
    let entries = ptx.lines().filter(|line| line.contains(".entry"));
    let names: Vec<&str> = entries
        .filter_map(|line| line.split(' ').next_back())
        .collect();
    let of_constant = "_Z5scaleIfLi4EEvPT_(";
    let named = ["_Z5scaleIfLi32EEvPT_(", "_Z5scaleIdLi1EEvPT_("];
    assert_eq!(names, [named[0], named[1], of_constant]);
}

/// The names of a program's kernels.
fn entries(source: &str) -> Vec<String> {
    let ptx = compile(source, "program.cu", &Options::default());
    let ptx = ptx.unwrap_or_else(|error| panic!("{error}")).ptx;
    let lines = ptx.lines().filter(|line| line.contains(".entry"));
    let names = lines.filter_map(|line| line.split(' ').next_back());
    names
        .map(|name| name.trim_end_matches('(').to_string())
        .collect()
}

#[test]
fn what_cannot_be_read_of_a_program_is_the_hosts() {
    let source = r#"
#include <getopt.h>
#include <limits>
#include <sys/stat.h>
#include <exception>
using std::endl;
using Clock = std::chrono::steady_clock;
typedef std::vector<std::vector<int>> Table;
typedef struct node node_t;
struct timeval begin, end;
extern const float gain;
class Wrong : public std::exception { const char* what() const throw() { return "wrong"; } };
template <typename T> class Reader { public: T get(const std::string& name) const; };
template <typename T> T Reader<T>::get(const std::string& name) const { throw Wrong(); }
struct Row {
    int first, last;
    void print(std::ostream& to) const { if (last < first) throw Wrong(); to << first << endl; }
    void* operator new(size_t bytes) { void* p; cudaMallocManaged(&p, bytes); return p; }
    __device__ int length() const { return last - first; }
};
__global__ void lengths(const Row* rows, int* out, int dim3) { out[threadIdx.x * dim3] = rows[threadIdx.x].length(); }
int main() { lengths<<<1, 32>>>(nullptr, nullptr, 1); }
"#;
    assert_eq!(entries(source), ["lengths"]);
}

#[test]
fn what_kernels_need_of_it_is_told_with_its_cause() {
    let source = "struct Cell { flaot value; };
        __global__ void k(Cell* cells) { cells[threadIdx.x].value = 1; }
        int main() { k<<<1, 32>>>(nullptr); }";
    let error = compile(source, "program.cu", &Options::default()).unwrap_err();
    let words = error.to_string();
    assert!(words.contains("did you mean `float`?"), "{words}");
    for mistake in [
        "__globl__ void j(float* x) { x[0] = 1; }",
        "__device__ unknown f(float x) { return x; }",
    ] {
        let source = format!("{KERNEL}{mistake}\nint main() {{ k<<<1, 32>>>(nullptr); }}");
        let refused = compile(&source, "program.cu", &Options::default());
        assert!(refused.is_err(), "{mistake}");
    }
}

#[test]
fn kernels_take_from_the_standard_library_what_is_constant() {
    let source = r#"
#include <iostream>
#include <cfloat>
#include <cstdint>
#define LOG(format, ...) printf(format, ##__VA_ARGS__)
#define SIZE 'L'
#if SIZE == 'L'
constexpr unsigned int WIDE(32);
constexpr float HALF(WIDE / 2.0f);
#endif
template <class T, std::size_t N> __global__ void least(T* out)
{
    static_assert(std::is_same<T, float>::value, "of float only");
    T found = std::numeric_limits<T>::max();
    found = fminf(found, (float)DBL_MIN + UINT32_C(3) + HALF);
    LOG("%f\n", found);
    LOG("done\n");
    out[threadIdx.x % N] = std::sqrt(found);
}
int main() { least<float, WIDE><<<1, WIDE>>>(nullptr); std::cout << std::numeric_limits<int>::max() << std::endl; }
"#;
    assert_eq!(entries(source), ["_Z5leastIfLm32EEvPT_"]);
}

#[test]
fn templates_of_the_host_say_what_they_launch() {
    let source = r#"
template <typename T, int SIZE> __global__ void fill(T* x) { x[threadIdx.x] = SIZE; }
template <typename T, int SIZE = 4> void filled(T* x) { fill<T, 2 * SIZE><<<1, 32>>>(x); }
template <typename T> void both(T* x) { filled<T>(x); filled<T, 1 + 2>(x); }
template <typename T> struct Run { T* x; void start() { using Wide = double; fill<Wide, 1><<<1, 32>>>(x); } };
template <int N> void endless() { endless<N + 1>(); fill<int, N><<<1, 32>>>(nullptr); }
int main()
{
    constexpr int LENGTH = 5;
    both<float>(nullptr);
    Run<char> run;
    fill<int, LENGTH><<<1, 32>>>(nullptr);
}
"#;
    let names = entries(source);
    let of = |name: &str| format!("_Z4fillI{name}EvPT_");
    let wanted = ["fLi8E", "fLi6E", "dLi1E", "iLi5E"].map(of);
    for name in &wanted {
        assert!(names.contains(name), "{name} is not among {names:?}");
    }
    assert_eq!(names.len(), wanted.len());
}

#[test]
fn what_launches_say_of_their_kernels_follows_from_calls() {
    let source = r#"
template <typename T, typename N> __global__ void fill(T* x, const T* from, N n) { x[threadIdx.x % n] = *from; }
template <typename T, typename N> void filled(const T* from, T* x, const N n, int side) { fill<<<1, 32>>>(x, from, n); }
template <typename T> struct Holder { T value; };
template <typename T> void held(Holder<T>& of, T* x) { filled(&x[0], x, 4u, 1); filled(x, x, 4u, 1); }
template <typename T> void both(const int side) { T *from, *x; filled(from, x, (long long)side, side); }
void plain(char* x, const char* from, short n) { fill<<<1, 32>>>(x, from, n); }
int main()
{
    float *a, *b = nullptr, values[4];
    unsigned n = 4;
    filled(a, b, n, 1);
    filled(values, b, n, 1);
    both<double>(n);
    Holder<int> holder;
    int* of_holder;
    held(holder, of_holder);
    filled(unknown(a), b + 1, n, 1);
}
"#;
    let names = entries(source);
    let of = |name: &str| format!("_Z4fillI{name}EvPT_PKS0_T0_");
    let wanted = ["fj", "dx", "ij", "cs"].map(of);
    for name in &wanted {
        assert!(names.contains(name), "{name} is not among {names:?}");
    }
    assert_eq!(names.len(), wanted.len(), "{names:?}");
}

#[test]
fn what_nvcc_takes_of_c_and_nvrtc_does_not_is_taken() {
    let source = "struct Pair { float a, b; };
        __global__ void k(float* x) { const Pair p = (Pair){x[0], 2.0f}; x[1] = p.a + p.b; }
        int main() { k<<<1, 1>>>(nullptr); }";
    assert_eq!(entries(source), ["k"]);
}

#[test]
fn kernels_of_one_name_have_the_names_that_nvcc_gives_them() {
    let source = "__global__ void set(float* x) { *x = 1; }
        __global__ void set(int* x, int v) { *x = v; }
        template <typename T> __global__ void clear(T* x) { *x = 0; }
        template <> __global__ void clear<float>(float* x) { *x = 0.5f; }";
    assert_eq!(
        entries(source),
        ["_Z3setPf", "_Z3setPii", "_Z5clearIfEvPT_"]
    );
}

#[test]
fn what_ends_anywhere_gets_a_message_or_its_kernels() {
    let source = include_str!("host.rs");
    for end in (0..source.len()).filter(|end| source.is_char_boundary(*end)) {
        if end % 97 == 0 {
            let _ = compile(&source[..end], "program.cu", &Options::default());
        }
    }
}
