//! `wgmma` against what an H200 computed: `h200/matrix/wgmma.py` says with what it was tried.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gpu, Random, fnv_1a};
use cornerturn_emulator::{
    Arg, Fill, Module, Report, Swizzle, TensorElement, TensorLayout, TensorMap,
};

/// The hash of the bytes of words.
fn hash(words: &[u32]) -> u64 {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fnv_1a(&bytes)
}

/// What the hardware left, or its hashes, as the record has them.
fn recorded(name: &str, found: &[u32], blocks: usize) -> Vec<u32> {
    if name.starts_with(['t', 'm']) {
        return found.to_vec();
    }
    let hashes = found.chunks(found.len() / blocks).map(hash);
    let words = hashes.flat_map(|hash| [hash as u32, (hash >> 32) as u32]);
    words.collect()
}

#[test]
fn products_have_the_hardwares_bits_and_layouts() {
    let module = Module::load(&common::fixture("h200/matrix/wgmma.ptx")).unwrap();
    let path = format!("{}/tests/h200/matrix/wgmma.bin", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let words = bytes.chunks_exact(4);
    let words: Vec<u32> = words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let (mut rest, mut failures, mut compared) = (words.as_slice(), Vec::new(), 0);
    let table = common::fixture("h200/matrix/wgmma.csv");
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(',').collect();
        let (name, numbers) = (
            fields[0],
            fields[1..].iter().map(|field| field.parse().unwrap()),
        );
        let numbers: Vec<usize> = numbers.collect();
        let [blocks, words_in, words_out] = numbers[..] else {
            panic!("{line}");
        };
        let inputs = &rest[..blocks * words_in];
        // Descriptors that point at what nothing has written.
        let mut gpu = Gpu::unchecked();
        let (from, to) = (
            gpu.upload("inputs", inputs),
            gpu.poisoned::<u32>("outputs", blocks * words_out),
        );
        let args = [Arg::from(from), Arg::from(to)];
        gpu.run_shared(
            &module,
            name,
            [blocks as u32, 1, 1],
            [128, 1, 1],
            40 << 10,
            &args,
        );
        let found = recorded(name, &gpu.download::<u32>(to, blocks * words_out), blocks);
        let expected = &rest[inputs.len()..][..found.len()];
        rest = &rest[inputs.len() + found.len()..];
        let wrong: Vec<usize> = (0..found.len())
            .filter(|at| found[*at] != expected[*at])
            .collect();
        if let Some(at) = wrong.first() {
            failures.push(format!(
                "{name}: {} of {} words, first {at}: {:08x}, not {:08x}",
                wrong.len(),
                found.len(),
                found[*at],
                expected[*at]
            ));
        }
        compared += found.len();
    }
    assert!(rest.is_empty());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 60_000, "only {compared} words");
}

// ---- kernels of `pass/warpgroup.cu`, compiled by NVRTC 13.0.88 with `--gpu-architecture=compute_90a --std=c++17 --generate-line-info` ----

/// A bfloat16 between -2 and 2, and its value.
fn short(random: &mut Random) -> (u16, f64) {
    let bits = (random.next() & 0x807f) as u16 | ((120 + random.below(8)) as u16) << 7;
    (bits, f64::from(f32::from_bits(u32::from(bits) << 16)))
}

struct Product {
    gpu: Gpu,
    /// Rows, columns, elements along `k`.
    shape: [usize; 3],
    /// Elements between the rows of the factors, and of the product.
    strides: [usize; 2],
    a: u64,
    b: u64,
    c: u64,
    expected: Vec<(f64, f64)>,
}

impl Product {
    fn new(mut gpu: Gpu, shape: [usize; 3]) -> Self {
        let [m, n, k] = shape;
        let stride = k.next_multiple_of(8);
        let mut random = Random(7);
        let mut factor = |rows: usize| {
            let mut values = vec![0.0; rows * k];
            let mut bits = vec![0xffffu16; rows * stride];
            for at in 0..rows * k {
                let (short, value) = short(&mut random);
                bits[at / k * stride + at % k] = short;
                values[at] = value;
            }
            (bits, values)
        };
        let ((a_bits, a), (b_bits, b)) = (factor(m), factor(n));
        let of = |row: usize, column: usize| {
            let pairs = (0..k).map(|at| a[row * k + at] * b[column * k + at]);
            let sizes = pairs.clone().map(f64::abs);
            (pairs.sum(), sizes.sum())
        };
        let expected = (0..m * n).map(|at| of(at / n, at % n)).collect();
        let out = n.next_multiple_of(4);
        Self {
            a: gpu.upload("a", &a_bits),
            b: gpu.upload("b", &b_bits),
            c: gpu.poisoned::<f32>("c", m * out),
            gpu,
            shape,
            strides: [stride, out],
            expected,
        }
    }

    fn map(&self, address: u64, rows: usize, box_rows: u32) -> Arg {
        self.map_of(
            TensorElement::Bf16,
            address,
            [self.shape[2], rows],
            self.strides[0] * 2,
            [64, box_rows],
            Swizzle::Bytes128,
        )
    }

    fn map_of(
        &self,
        element: TensorElement,
        address: u64,
        lengths: [usize; 2],
        stride: usize,
        tile: [u32; 2],
        swizzle: Swizzle,
    ) -> Arg {
        let map = TensorMap::new(&TensorLayout {
            element,
            address,
            lengths: &lengths.map(|length| length as u64),
            strides: &[stride as u64],
            tile: &tile,
            element_strides: &[1, 1],
            swizzle,
            fill: Fill::Zero,
        });
        Arg::from(map.unwrap())
    }

    fn launch(&self, module: &Module, entry: &str) -> Report {
        let [m, n, k] = self.shape;
        let sizes = [m, n, k].map(|size| Arg::from(size as i32));
        let grid = [n.div_ceil(128) as u32, m.div_ceil(64) as u32, 1];
        let tiles = (n.div_ceil(128) * m.div_ceil(128)) as u32;
        let (grid, threads, shared, mut args) = match entry {
            "simple" => (
                grid,
                128,
                0,
                vec![
                    self.map(self.a, m, 64),
                    self.map(self.b, n, 128),
                    Arg::from(self.c),
                ],
            ),
            "stored" => (
                grid,
                128,
                0,
                vec![Arg::from(self.a), Arg::from(self.b), Arg::from(self.c)],
            ),
            "clustered" => {
                let blocks = 2 * n.div_ceil(128) * m.div_ceil(128);
                let args = vec![
                    self.map(self.a, m, 64),
                    self.map(self.b, n, 64),
                    Arg::from(self.c),
                ];
                ([blocks as u32, 1, 1], 256, 3 * (8192 + 16384), args)
            }
            _ => {
                let c = self.map_of(
                    TensorElement::F32,
                    self.c,
                    [n, m],
                    self.strides[1] * 4,
                    [128, 64],
                    Swizzle::None,
                );
                let args = vec![self.map(self.a, m, 128), self.map(self.b, n, 128), c];
                // Fewer blocks than tiles, so that each has several.
                (
                    [tiles.div_ceil(3), 1, 1],
                    384,
                    (6 * 16384 + 128 * 128 * 4) as u32,
                    args,
                )
            }
        };
        args.extend(sizes);
        self.gpu
            .launch(module, entry, grid, [threads, 1, 1], shared, &args)
    }

    fn expect_right(&self) {
        let [m, n, _] = self.shape;
        let found = self.gpu.download::<f32>(self.c, m * self.strides[1]);
        for (at, (sum, sizes)) in self.expected.iter().enumerate() {
            let found = f64::from(found[at / n * self.strides[1] + at % n]);
            assert!(
                (found - sum).abs() <= sizes * 1e-6,
                "{at}: {found} for {sum}"
            );
        }
    }
}

fn checked() -> Gpu {
    let mut gpu = Gpu::default();
    gpu.options.check = true;
    gpu
}

#[test]
fn warpgroups_multiply_tiles_from_tensor_copies() {
    let module = common::module("warpgroup");
    for entry in ["simple", "specialised", "clustered"] {
        for shape in [[200, 132, 328], [64, 128, 64], [321, 388, 72]] {
            for gpu in [Gpu::default(), checked()] {
                let product = Product::new(gpu, shape);
                let report = product.launch(&module, entry);
                let messages: Vec<String> = report
                    .findings
                    .iter()
                    .map(|finding| finding.message())
                    .collect();
                assert!(messages.is_empty(), "{entry} {shape:?}: {messages:#?}");
                product.expect_right();
                if shape == [200, 132, 328] {
                    // As `simple`, `stored` and `specialised` left it on an H200.
                    let bits = product.gpu.download::<u32>(product.c, 200 * 132);
                    assert_eq!(hash(&bits), 0x40f2_2085_928b_c99f, "{entry}");
                }
            }
        }
    }
}

#[test]
fn warpgroups_multiply_what_threads_have_stored() {
    let module = common::module("warpgroup");
    for gpu in [Gpu::default(), checked()] {
        // The rows of the factors lie without gaps.
        let product = Product::new(gpu, [75, 132, 104]);
        let report = product.launch(&module, "stored");
        let messages: Vec<String> = report
            .findings
            .iter()
            .map(|finding| finding.message())
            .collect();
        assert!(messages.is_empty(), "{messages:#?}");
        product.expect_right();
        let tiles = 2 * 2 * (104u64).div_ceil(16);
        let counters = report.counters;
        assert_eq!(
            counters.get("sm__ops_path_tensor_src_bf16_dst_fp32.sum"),
            Some(tiles * 2 * 64 * 128 * 16)
        );
        assert_eq!(
            counters.get("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"),
            Some(tiles * (64 + 128) * 32 / 128)
        );
    }
}

/// A kernel of a block of so many threads, with 1 KiB of shared memory that is written, descriptors of it, and registers.
fn small(threads: u32, body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.0 .target sm_90a .address_size 64 .visible .entry kernel() {{
        .reg .b32 %r<9>; .reg .b64 %a, %b, %far; .reg .f32 %f<4>; .reg .pred %p; .shared .align 128 .b8 tile[2560];
        mov.u32 %r0, %tid.x; mov.u32 %r1, tile; mov.u32 %r2, %r0;
        FILL: shl.b32 %r3, %r2, 2; add.u32 %r3, %r1, %r3; st.shared.u32 [%r3], 0; add.u32 %r2, %r2, {threads};
        setp.lt.u32 %p, %r2, 640; @%p bra FILL;
        fence.proxy.async; bar.sync 0;
        shr.u32 %r3, %r1, 4; cvt.u64.u32 %a, %r3; or.b64 %a, %a, 0x1000080000; add.u64 %b, %a, 128; add.u64 %far, %a, 150;
        mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; setp.eq.u32 %p, %r1, %r1;
        {body}
        ret; }}"
    );
    let module = Module::load(&text).unwrap();
    let report = checked().launch(&module, "kernel", [1; 3], [threads, 1, 1], 0, &[]);
    report
        .findings
        .iter()
        .map(|finding| finding.message())
        .collect()
}

const MULTIPLY: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a, %b, %p, 1, 1, 0, 0;";

#[test]
fn rules_of_warpgroups_are_kept() {
    let fence = "wgmma.fence.sync.aligned;";
    let wait = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    let good = format!(
        "{fence} {MULTIPLY} {wait} {fence} {MULTIPLY} {MULTIPLY} {wait} add.f32 %f0, %f0, %f1; {fence} {MULTIPLY} {wait}"
    );
    assert_eq!(small(128, &good), Vec::<String>::new());
    // A group that nobody waits for is harmless at the end.
    assert_eq!(
        small(128, &format!("{fence} {MULTIPLY}")),
        Vec::<String>::new()
    );
    let outside = MULTIPLY.replace("%b", "%far");
    let other = MULTIPLY.replace("%p", "!%p");
    for (threads, body, expected) in [
        (
            32,
            format!("{fence} {MULTIPLY} {wait}"),
            "only 1 of a warpgroup's 4 warps comes to this",
        ),
        (
            256,
            format!("setp.lt.u32 %p, %r0, 192; @!%p bra END; {fence} {MULTIPLY} {wait} END:"),
            "only 2 of a warpgroup's 4 warps come to this",
        ),
        (
            128,
            format!(
                "setp.lt.u32 %p, %r0, 64; @%p bra SECOND; {fence} {MULTIPLY} {wait} bra.uni END; SECOND: {fence} {MULTIPLY} {wait} END:"
            ),
            "different instructions of whole warpgroups",
        ),
        (
            128,
            format!("setp.lt.u32 %p, %r0, 64; {fence} {MULTIPLY} {wait}"),
            "different instructions of whole warpgroups",
        ),
        (
            128,
            format!("and.b32 %r3, %r0, 1; setp.eq.u32 %p, %r3, 0; {fence} {MULTIPLY} {wait}"),
            "different descriptors or predicates",
        ),
        (
            128,
            format!(
                "and.b32 %r3, %r0, 31; setp.lt.u32 %p, %r3, 16; @%p bra END; {fence} {MULTIPLY} {wait} END:"
            ),
            "only 16 of a warp's 32 threads",
        ),
        (
            128,
            format!("{fence} {outside} {wait}"),
            "out of bounds: shared load of 16 bytes",
        ),
        (
            128,
            format!("{MULTIPLY} {wait}"),
            "no `wgmma.fence` orders this",
        ),
        (
            128,
            format!("{fence} {MULTIPLY} {wait} add.f32 %f0, %f0, 0f3F800000; {MULTIPLY} {wait}"),
            "no `wgmma.fence` orders this",
        ),
        (
            128,
            format!("{fence} {MULTIPLY} add.f32 %f0, %f0, %f1; {wait}"),
            "may still be using",
        ),
        (
            128,
            format!(
                "{fence} {MULTIPLY} wgmma.wait_group.sync.aligned 0; st.shared.f32 [%r1], %f0;"
            ),
            "may still be using",
        ),
        (
            128,
            format!(
                "{fence} {MULTIPLY} wgmma.commit_group.sync.aligned; st.shared.u32 [%r1], %r0; wgmma.wait_group.sync.aligned 0;"
            ),
            "race: shared store",
        ),
        (
            128,
            format!("st.shared.u32 [%r1+2048], %r0; bar.sync 0; {fence} {other} {wait}"),
            "which no `fence.proxy.async` follows",
        ),
        (
            128,
            "setp.lt.u32 %p, %r0, 32; @!%p bra END; setmaxnreg.dec.sync.aligned.u32 40; END:"
                .to_string(),
            "only 1 of a warpgroup's 4 warps comes to this",
        ),
    ] {
        let found = small(threads, &body);
        assert!(
            found.iter().any(|message| message.contains(expected)),
            "{body}: {found:#?}"
        );
    }
}

/// A mistake: the entry, a line of its PTX and which of those that hold it (all if 0), what stands there instead, and the
/// words by which it is found.
const MISTAKES: [(&str, &str, usize, &str, &str); 18] = [
    (
        "simple",
        "wgmma.fence.sync.aligned;",
        0,
        "",
        "no `wgmma.fence` orders this",
    ),
    (
        "simple",
        "wgmma.wait_group.sync.aligned 0;",
        0,
        "",
        "may still be reading",
    ),
    (
        "simple",
        "wgmma.commit_group.sync.aligned;",
        0,
        "",
        "may still be reading",
    ),
    (
        "simple",
        "wgmma.wait_group.sync.aligned 0;",
        0,
        "wgmma.wait_group.sync.aligned 1;",
        "may still be using",
    ),
    (
        "simple",
        "mbarrier.try_wait",
        0,
        "setp.eq.u32 done, 0, 0;",
        "is not waited for",
    ),
    (
        "stored",
        "fence.proxy.async.shared::cta;",
        0,
        "",
        "which no `fence.proxy.async` follows",
    ),
    (
        "stored",
        "wgmma.wait_group.sync.aligned 0;",
        0,
        "",
        "may still be reading",
    ),
    ("stored", "bar.sync", 1, "", "race: shared load"),
    (
        "specialised",
        "mbarrier.try_wait",
        1,
        "setp.eq.u32 done, 0, 0;",
        "is not waited for",
    ),
    (
        "specialised",
        "mbarrier.try_wait",
        2,
        "setp.eq.u32 done, 0, 0;",
        "is not waited for",
    ),
    (
        "specialised",
        "wgmma.wait_group.sync.aligned 1;",
        0,
        "",
        "is not waited for",
    ),
    (
        "specialised",
        "wgmma.wait_group.sync.aligned 0;",
        0,
        "",
        "may still be using",
    ),
    (
        "specialised",
        "fence.proxy.async.shared::cta;",
        2,
        "",
        "which no `fence.proxy.async` follows",
    ),
    (
        "specialised",
        "cp.async.bulk.wait_group.read 0;",
        0,
        "",
        "race: shared store",
    ),
    (
        "clustered",
        "mbarrier.try_wait",
        1,
        "setp.eq.u32 done, 0, 0;",
        "more threads arrive",
    ),
    (
        "clustered",
        "mbarrier.try_wait",
        2,
        "setp.eq.u32 done, 0, 0;",
        "race: shared",
    ),
    (
        "clustered",
        "wgmma.wait_group.sync.aligned 0;",
        0,
        "",
        "may still be",
    ),
    (
        "clustered",
        "wgmma.fence.sync.aligned;",
        0,
        "",
        "no `wgmma.fence` orders this",
    ),
];

#[test]
fn planted_mistakes_are_found() {
    let text = common::fixture("pass/warpgroup.ptx");
    let mut missed = Vec::new();
    for (entry, line, which, instead, words) in MISTAKES {
        let start = text.find(&format!(".entry {entry}(")).unwrap();
        let next = text[start..].find(".visible .entry");
        let end = next.map_or(text.len(), |next| start + next);
        let mut number = 0;
        let lines = text[start..end].lines().map(|text| {
            let is_here = text.contains(line);
            number += usize::from(is_here);
            if is_here && (which == 0 || which == number) {
                instead
            } else {
                text
            }
        });
        let changed: Vec<&str> = lines.collect();
        assert!(number > 0, "{entry}: no {line}");
        let module = Module::load(&format!(
            "{}{}\n{}",
            &text[..start],
            changed.join("\n"),
            &text[end..]
        ))
        .unwrap();
        let report = Product::new(checked(), [200, 132, 328]).launch(&module, entry);
        let messages: Vec<String> = report
            .findings
            .iter()
            .map(|finding| finding.message())
            .collect();
        if !messages.iter().any(|message| message.contains(words)) {
            missed.push(format!("{entry} without {line} {which}: {messages:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
