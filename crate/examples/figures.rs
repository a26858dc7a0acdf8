//! Writes a page with every kind of figure, light and dark, for looking at the house style: `cargo run -p cornerturn --example figures -- PAGE.html`. Its data are made up, but for what the emulator traces and what articles print.

use cornerturn::emulator::{Access, Counters, Demand, Path, Site, SourceLine, Space};
use cornerturn::plot::{self, Bar, DramModel, Figure, Published, Resident, Tile, Wanted};
use cornerturn::{
    BlockOrder, Device, GbPerS, Kernel, NumberType, Placed, Product, ProductProblem, ProductShape,
    Products, Record, Region, Result, Roof, Shape, Task, TileWalk, Trace, TraceRequest, works,
};
use serde_json::json;

fn main() -> std::io::Result<()> {
    let Some(page) = std::env::args_os().nth(1) else {
        eprintln!("usage: figures PAGE.html");
        std::process::exit(2);
    };
    let blocks = [
        ladder(),
        products(),
        bars(),
        pictures(),
        shuffled(),
        launches(),
        walks(),
        multiplied(),
        roofs(),
        tables(),
    ]
    .concat();
    let body: String = ["light", "dark"]
        .iter()
        .map(|theme| format!("<main class=\"{theme}\">\n<p>The data on this page are made up, but for what the emulator traces and what articles print.</p>\n{blocks}</main>\n"))
        .collect();
    std::fs::write(
        page,
        format!("<!doctype html>\n<meta charset=\"utf-8\">\n<title>Figures</title>\n{STYLE}{body}"),
    )
}

/// The colours of mdBook's themes `light` and `navy`, and the width of its pages.
const STYLE: &str = "<style>body{margin:0;font:16px sans-serif}main{padding:16px}main>*{max-width:750px;margin:1em auto}\
.light{background:#fff;color:#000}.dark{background:#161923;color:#bcbdd0}</style>\n";

fn gb(value: f64) -> GbPerS {
    GbPerS(value)
}

/// A record with made-up samples, from 4 ms down to 1 ms for 4 GB, and the memory of its made-up GPU.
fn ladder() -> String {
    let measurement = |kernel: &str, us: f64| {
        json!({"kernel": kernel, "operation": "transpose", "element": "f32", "rows": 4096, "columns": 4096,
            "mode": "cold", "bytes_moved": 4_000_000_000u64, "source_sha256": "", "ptx_sha256": "",
            "grid": null, "block": null, "samples_us": [us * 0.97, us, us * 1.02]})
    };
    let record = json!({
        "schema": 1, "experiment": "made_up", "date": "2026-01-01", "commit": "0000000000", "tool": "made up",
        "device": {"name": "Made-up GPU", "slug": "none", "compute_capability": "9.0", "multiprocessors": 99,
            "memory_bytes": 99_000_000_000u64, "l2_bytes": 88_000_000, "peak_gb_per_s": 4800.0, "peak_source": "made up", "driver": "0",
            "cuda_version": "0", "clocks": {"sm_mhz": null, "memory_mhz": null, "throttle_reasons": []}},
        "measurements": [measurement("driver_copy", 1000.0), measurement("a", 4000.0), measurement("b", 1100.0)],
    });
    let kernels = [
        ("a", "naive, coalesced reads"),
        ("b", "tile of rows of 33 words"),
    ];
    let record: Record = match serde_json::from_value(record) {
        Ok(record) => record,
        Err(error) => return error.to_string(),
    };
    let pairs = [("a", "b", "b over a")];
    [
        shown(plot::ladder(&record, 4096, 4096, &kernels)),
        shown(plot::memory_hierarchy(&record)),
        shown(plot::shares(&record, &[(4096, 4096)], &kernels).map(|table| table.to_html())),
        shown(plot::gains(&record, &[(4096, 4096)], &pairs).map(|table| table.to_html())),
    ]
    .concat()
}

/// Made-up rates of products, of three kernels and of cuBLAS.
fn products() -> String {
    let sides = [512_u32, 1024, 2048, 4096, 8192];
    let measurement = |kernel: &str, side: u32, tera: f64| {
        let rate = tera * (1.0 - 100.0 / f64::from(side));
        let us = 2.0 * f64::from(side).powi(3) / rate / 1e6;
        json!({"kernel": kernel, "shape": [side, side, side], "layout": "nn", "input": "f32", "output": "f32",
            "accumulate": "f32", "mode": "warm", "source_sha256": "", "ptx_sha256": "", "library": "cuBLAS 0.0.0",
            "grid": null, "block": null, "registers_per_thread": null, "worst_error": 0.0,
            "samples_us": [us * 0.97, us, us * 1.02]})
    };
    let kernels = [("cublas_gemm", 52.0), ("a", 4.0), ("b", 11.0), ("c", 47.0)];
    let all = kernels
        .iter()
        .flat_map(|(kernel, tera)| sides.map(|side| measurement(kernel, side, *tera)));
    let record = json!({
        "schema": 1, "experiment": "products", "date": "2026-01-01", "commit": "0000000000", "tool": "made up",
        "device": {"name": "NVIDIA H200 (made up)", "slug": "none", "compute_capability": "9.0", "multiprocessors": 99,
            "memory_bytes": 99_000_000_000u64, "l2_bytes": 88_000_000, "peak_gb_per_s": 4800.0, "peak_source": "made up", "driver": "0",
            "cuda_version": "0", "clocks": {"sm_mhz": null, "memory_mhz": null, "throttle_reasons": []}},
        "measurements": all.collect::<Vec<_>>(),
    });
    let record: Products = match serde_json::from_value(record) {
        Ok(record) => record,
        Err(error) => return error.to_string(),
    };
    let kernels = [
        ("a", "a thread an element"),
        ("b", "tiles in shared memory"),
        ("c", "tiles in registers"),
    ];
    [
        shown(plot::product_ladder(
            &record,
            ProductShape::square(4096),
            &kernels,
        )),
        shown(plot::product_curves(&record, &kernels)),
    ]
    .concat()
}

/// A figure's or a table's HTML, or what is wrong with it.
fn shown(block: Result<impl Into<Shown>>) -> String {
    block.map_or_else(|error| error.to_string(), |block| block.into().0)
}

/// HTML.
struct Shown(String);

impl From<Figure> for Shown {
    fn from(figure: Figure) -> Self {
        Self(figure.to_html())
    }
}

impl From<String> for Shown {
    fn from(html: String) -> Self {
        Self(html)
    }
}

/// Pictures of blocks, from traces of registered kernels.
fn walks() -> String {
    let device = Device::emulator();
    let walk = |id: &str, shape: (usize, usize), grid: (u32, u32), block: (u32, u32), blocks| {
        let task = Task::transpose(&device, shape.0, shape.1)?;
        task.walk(&Kernel::registered(id)?, grid, block, blocks)
    };
    let tile = |id, block, at| walk(id, (96, 128), (4, 3), block, at);
    let queue = |id| walk(id, (128, 192), (1, 1), (256, 1), 0..1);
    let dram = |id| walk(id, (2048, 2048), (64, 64), (32, 8), 0..64);
    let model = DramModel::new(8, 256, 1024);
    [
        tile("tiled", (32, 8), 6..7).map(|walk| plot::tile_turn("tiled: one block", &walk)),
        tile("naive_read", (32, 32), 11..12).map(|walk| plot::tile_turn("naive_read", &walk)),
        tile("vectorized", (8, 8), 0..1).map(|walk| plot::tile_turn("vectorized", &walk)),
        tile("vectorized", (8, 8), 6..7)
            .map(|walk| plot::register_patch("vectorized: thread 9", &walk, 9)),
        queue("tma_pipelined").map(|walk| plot::tma_pipeline("tma_pipelined: one block", &walk)),
        dram("padded").map(|walk| plot::dram_rows("Rows of tiles: 64 blocks", &walk, &model)),
        dram("diagonal").map(|walk| plot::dram_rows("Diagonals: 64 blocks", &walk, &model)),
        plot::articles::A100.figure(&[]),
        plot::articles::RTX5060.figure(&["naive_read", "tiled"]),
    ]
    .map(shown)
    .concat()
}

/// Pictures of matrix products: fragments by the manual's formulas, the rest from traces of registered kernels.
fn multiplied() -> String {
    let bf16 = |shape: [usize; 3]| {
        let problem = ProductProblem::new(shape[0], shape[1], shape[2]);
        problem.input(NumberType::Bf16).output(NumberType::Bf16)
    };
    let walk = |id: &str, side: usize, (grid, block): (u32, u32)| {
        TileWalk::of(
            &Kernel::registered(id)?,
            &bf16([side, side, 64]),
            grid,
            block,
            40,
        )
    };
    let walks = || {
        let (by_groups, one_each) = (
            walk("persistent_bf16", 3072, (40, 384))?,
            walk("mma_bf16", 3072, (24 * 12, 256))?,
        );
        let both = [
            ("persistent, 40 blocks", &by_groups),
            ("a tile a block", &one_each),
        ];
        Ok(plot::tile_walk("C of 3072 × 3072", &both))
    };
    let traced = |id: &str, shape, launch: (u32, u32), blocks: &[u32], warps: Option<Vec<u32>>| {
        let request = TraceRequest {
            blocks: blocks.iter().map(|x| [*x, 0, 0]).collect(),
            warps,
            max_accesses: 1 << 16,
            ..TraceRequest::default()
        };
        let product = Product::new(&Device::emulator(), bf16(shape))?;
        product.trace(&Kernel::registered(id)?, launch.0, launch.1, request)
    };
    let pipeline = traced("persistent_bf16", [512, 512, 384], (2, 384), &[0, 1], None);
    let alone = traced("wgmma_bf16", [128, 128, 384], (1, 256), &[0], None);
    let loads = traced("mma_bf16", [256, 512, 128], (4, 256), &[0], None);
    let straight: Vec<u32> = (0..64).collect();
    let layouts = |trace: Trace| {
        let swizzled = plot::Pieces::loaded("mma_bf16", &trace, 256);
        let straight = plot::Pieces::found("straight", 8, &straight);
        plot::pieces("ldmatrix", &[straight, swizzled])
    };
    let title = "persistent_bf16: block 0 of a cluster";
    [
        Ok(fragments()),
        loads.map(layouts),
        walks(),
        pipeline.map(|trace| plot::product_pipeline(title, &trace)),
        alone.map(|trace| plot::product_pipeline("wgmma_bf16", &trace)),
    ]
    .map(shown)
    .concat()
}

fn fragments() -> Figure {
    let (mut a, mut b, mut c, mut group) = (vec![], vec![], vec![], vec![]);
    for thread in 0..128_u32 {
        let (g, t, warp) = (thread % 32 / 4, thread % 4, thread / 32);
        for place in 0..8 {
            let row = warp * 16 + g + place / 2 % 2 * 8;
            group.push(row * 16 + 2 * t + place % 2 + place / 4 * 8);
        }
        if thread < 32 {
            a.extend((0..8).map(|i| (g + i / 2 % 2 * 8) * 16 + 2 * t + i % 2 + i / 4 * 8));
            b.extend((0..4).map(|i| (2 * t + i % 2 + i / 2 * 8) * 8 + g));
            c.extend((0..4).map(|i| (g + i / 2 * 8) * 8 + 2 * t + i % 2));
        }
    }
    let small = [
        plot::Fragment::found("A", (16, 16), 8, &a),
        plot::Fragment::found("B", (16, 8), 4, &b),
        plot::Fragment::found("C", (16, 8), 4, &c),
    ];
    let large = [plot::Fragment::found("C", (64, 16), 8, &group)];
    plot::fragments("wgmma, m64n16", &large, 5);
    let mut both = plot::fragments("mma, m16n8k16", &small, 5);
    let below = plot::fragments("wgmma, m64n16", &large, 5);
    both.svg.push_str(&below.svg);
    both.narrow.push_str(&below.narrow);
    both
}

fn bars() -> String {
    let steps = [
        Bar::measured("naive_read", gb(530.0))
            .note("neighbouring threads read neighbours, write a column"),
        Bar::measured("naive_write", gb(1860.0)).quartiles(gb(1790.0), gb(1905.0)),
        Bar::measured("tiled", gb(1670.0)).quartiles(gb(1665.0), gb(1675.0)),
        Bar::measured("padded", gb(3413.0)).quartiles(gb(3350.0), gb(3440.0)),
    ];
    let long = "a label that says far more than a label should, with <markup> & \"quotes\", 转置, and no end in sight \
                until a second line has been filled as well, and then some more";
    let mixed = [
        Bar::measured(long, gb(0.5)),
        Bar::measured("above the copy", gb(5000.0)),
        Bar::measured("middle", gb(2950.0)).note("a note that does not fit beside its label and therefore takes a line below it, or two, when needed"),
        Bar::published("published", gb(4100.4), "made-up source, 2026"),
        Bar::measured("not a number", gb(f64::NAN)),
    ];
    let many: Vec<Bar> = (1..=12)
        .map(|i| Bar::measured(&format!("step {i}"), gb(f64::from(i) * 9.37)))
        .collect();
    let articles = [
        Published::new("naive", gb(219.17)),
        Published::new("shared memory", gb(627.0)),
        Published::new("padded", gb(1179.0)),
    ];
    let published = plot::published(
        "An article's numbers",
        "made-up GPU",
        &articles,
        Some(gb(1555.0)),
        "Made-up author, “Article”, 2026-02-07",
    );
    let small = plot::bandwidth("One bar", &steps[3..], Some(gb(3873.0)), "made up");
    [
        plot::bandwidth("Transpose of 4096 × 4096 float32", &steps, Some(gb(3873.0)), "made-up GPU · driver 0 · 4096×4096 · median of 0 samples").to_html(),
        published.to_html(),
        plot::row(&[small, published]).to_html(),
        plot::bandwidth("Labels, notes and values that are hard to place, in a figure whose title is long enough for two lines", &mixed, Some(gb(3224.0)), "made up").to_html(),
        plot::bandwidth("Twelve bars, small values, no copy", &many, None, "made up").to_html(),
        plot::bandwidth("Nothing to draw", &[], Some(gb(1.0)), "made up").to_html(),
    ]
    .concat()
}

/// An access made up from a rule: lane to address.
fn access(space: Space, access_bytes: u32, address: impl Fn(u64) -> Option<u64>) -> Access {
    Access {
        site: 0,
        block: [0; 3],
        warp: 0,
        order: 0,
        space,
        is_store: false,
        access_bytes,
        addresses: std::array::from_fn(|lane| address(lane as u64)),
    }
}

/// The shuffles of four kernels, as the emulator traced them.
fn shuffled() -> String {
    let steps = |id: &str, work: cornerturn::Work, grid: u32, block: u32, most: usize| {
        let request = TraceRequest {
            blocks: vec![[0; 3]],
            warps: Some(vec![0]),
            max_accesses: most,
            ..TraceRequest::default()
        };
        let kernel = Kernel::registered(id).expect("a registered kernel");
        let trace = work.trace(&kernel, grid, block, request);
        plot::shuffles(id, &trace.expect("the emulator runs it").shuffles).to_html()
    };
    [
        steps("sum_shuffle", works::block_sums(1003), 4, 256, 5),
        steps("scan_shuffle", works::block_scans(1003), 4, 256, 5),
        steps("softmax_warp", works::softmax(7, 75), 1, 256, 5),
        steps("turn_shuffle", works::turn(3), 3, 32, 80),
        plot::shuffles("Nothing to draw", &[]).to_html(),
    ]
    .concat()
}

fn pictures() -> String {
    let start = 0x7000_0000;
    let global = |bytes, address: fn(u64) -> Option<u64>| {
        access(Space::Global, bytes, move |lane| {
            address(lane).map(|a| start + a)
        })
    };
    let shared = |bytes, address: fn(u64) -> Option<u64>| access(Space::Shared, bytes, address);
    let local = |bytes, address: fn(u64) -> Option<u64>| access(Space::Local, bytes, address);
    let column = shared(4, |lane| Some(lane * 32 * 4 + 20));
    let padded = shared(4, |lane| Some(lane * 33 * 4 + 20));
    let fetch = |address: fn(u64) -> Option<u64>| access(Space::Texture, 4, address);
    let pixels = Shape::new(48, 64);
    let (mut filtered, corners) = (Vec::new(), [0, 1, 64, 65]);
    for (order, corner) in (0..).zip(corners) {
        let place = move |lane| Some(4 * (lane % 8 + lane / 8 * 64 + 8 * 64 + 17 + corner));
        filtered.push(Access {
            order,
            ..access(Space::Texture, 4, place)
        });
    }
    let mut store = global(4, |lane| Some(lane * 16384));
    store.is_store = true;
    [
        plot::sectors("Side by side", &global(4, |lane| Some(lane * 4)), start),
        plot::sectors("A column of a 4096-wide matrix", &store, start),
        plot::sectors(
            "Off by one word",
            &global(4, |lane| Some(lane * 4 + 4)),
            start,
        ),
        plot::sectors("float4", &global(16, |lane| Some(lane * 16 + 512)), start),
        plot::sectors(
            "Every second word",
            &global(4, |lane| Some(lane * 8)),
            start,
        ),
        plot::sectors(
            "A stride of 40 bytes",
            &global(8, |lane| Some(lane * 40)),
            start,
        ),
        plot::sectors("One word for all", &global(4, |_| Some(64)), start),
        plot::sectors(
            "Reversed, the odd lanes inactive",
            &global(4, |lane| (lane % 2 == 0).then_some(124 - lane * 4)),
            start,
        ),
        plot::sectors(
            "Two rows of 16 lanes, far apart",
            &global(4, |lane| Some(lane % 16 * 4 + lane / 16 * 100_000)),
            start,
        ),
        plot::texels(
            "A fetch of 8 × 4 pixels",
            &[fetch(|lane| {
                Some(4 * (lane % 8 + lane / 8 * 64 + 8 * 64 + 16))
            })],
            pixels,
        ),
        plot::texels(
            "A row, half of it beyond a black border",
            &[fetch(|lane| {
                (lane < 16).then_some(4 * (47 * 64 + 48 + lane))
            })],
            pixels,
        ),
        plot::texels(
            "A column",
            &[fetch(|lane| Some(4 * (lane * 64 + 7)))],
            pixels,
        ),
        plot::texels("A linear filter, 8 × 4", &filtered, pixels),
        plot::local("A spilled word", &local(4, |_| Some(20))),
        plot::local("Each lane another word", &local(4, |lane| Some(4 * lane))),
        plot::local(
            "Sixteen bytes, at two places",
            &local(16, |lane| Some(lane / 16 * 48)),
        ),
        plot::banks("A column of a 32-word-wide tile", &column),
        plot::banks("A column of a 33-word-wide tile", &padded),
        plot::banks("A stride of two words", &shared(4, |lane| Some(lane * 8))),
        plot::banks("One word for all", &shared(4, |_| Some(64))),
        plot::banks("8 bytes a lane", &shared(8, |lane| Some(lane * 8))),
        plot::banks(
            "16 bytes a lane, a stride of 32",
            &shared(16, |lane| Some(lane * 32)),
        ),
        plot::bank_map(
            "32 × 32 tile, one column read",
            &Tile::new(32, 32, 32),
            &column,
        ),
        plot::bank_map(
            "32 × 32 tile, rows of 33 words, one column read",
            &Tile::new(32, 32, 33),
            &padded,
        ),
        plot::bank_map(
            "8 × 8 tile",
            &Tile::new(8, 8, 9),
            &shared(4, |lane| Some(lane % 8 * 36 + lane / 8 * 4)),
        ),
        plot::bank_map(
            "32 × 32 tile, columns exchanged by xor",
            &Tile::new(32, 32, 32),
            &shared(4, |lane| Some(lane * 128 + (lane ^ 5) * 4)),
        ),
        plot::bank_map(
            "32 × 33 doubles, one column read",
            &Tile::new(32, 64, 66),
            &shared(8, |lane| Some(lane * 264 + 40)),
        ),
        plot::bank_map(
            "16 bytes a lane, a column of chunks exchanged by xor",
            &Tile::new(32, 32, 32),
            &shared(16, |lane| Some(lane * 128 + ((lane ^ 3) % 8) * 16)),
        ),
        plot::bank_map("No tile", &Tile::new(0, 8, 9), &padded),
    ]
    .map(|figure| figure.to_html())
    .concat()
}

/// Orders of blocks, and warps that are resident.
fn launches() -> String {
    let diagonal = |side: usize, block: usize| (block % side, (block + block / side) % side);
    let row_order = |side: usize, block: usize| (block / side, block % side);
    let resident = |side: u32, blocks: u32, warps: u32, limit: &str| {
        Resident::new(&format!("{side} × {side}"), blocks, warps, 48, limit)
    };
    let rows = [
        resident(8, 24, 48, "blocks").measured(gb(1200.0)),
        resident(16, 6, 48, "threads").measured(gb(1858.0)),
        resident(32, 1, 32, "threads"),
    ];
    [
        plot::row(&[
            plot::block_order("Row order", &order(8, |block| row_order(8, block))),
            plot::block_order("Diagonal order", &order(16, |block| diagonal(16, block))),
        ])
        .to_html(),
        plot::occupancy("Blocks on a GPU of 48 warps", &rows, "made up").to_html(),
    ]
    .concat()
}

/// Blocks of 32 × 32 over a square, where a rule puts them.
fn order(side: usize, place: impl Fn(usize) -> (usize, usize)) -> BlockOrder {
    let tile = |(row, column): (usize, usize)| {
        let span = |at: usize| at * 32..(at + 1) * 32;
        Some(Region {
            rows: span(row),
            columns: span(column),
        })
    };
    let places = || (0..side * side).map(&place);
    BlockOrder {
        input: Shape::new(side * 32, side * 32),
        output: Shape::new(side * 32, side * 32),
        reads: places().map(tile).collect(),
        writes: places().map(|(row, column)| tile((column, row))).collect(),
    }
}

/// Roofs with kernels below them, one of which was not timed, and the axis without roofs.
fn roofs() -> String {
    let roofs = [
        Roof::memory("copy", 4000.0),
        Roof::memory("L2", 6500.0),
        Roof::memory("shared", 31000.0),
        Roof::arithmetic("float32", 60.0),
        Roof::arithmetic("float64", 30.0),
        Roof::arithmetic("half2", 120.0),
        Roof::arithmetic("tensor, f16", 640.0),
        Roof::arithmetic("tensor, bf16", 640.0),
        Roof::arithmetic("tensor, tf32", 320.0),
        Roof::arithmetic("tensor, s8", 1300.0),
    ];
    let point = |label: &str, intensity, tera| Placed {
        label: label.to_owned(),
        intensity,
        tera_per_s: Some(tera),
    };
    let points = [
        point("an addition", 1.0 / 12.0, 0.31),
        point("a sum", 0.25, 0.98),
        point("another sum", 0.251, 0.97),
        point("no operations", 0.0, 0.0),
        point("a normalisation", 1.37, 3.1),
        point("a product", 85.3, 8.4),
        point("a chain", 128.0, 59.0),
        point("a tensor core", 1024.0, 610.0),
        Placed::counted("counted alone", 30.0),
    ];
    [
        plot::roofline("Under the roofs", &roofs, &points, "made up"),
        plot::roofline("Along the axis", &[], &points, "made up"),
        plot::roofline("Nothing to draw", &[], &[], "made up"),
    ]
    .map(|figure| figure.to_html())
    .concat()
}

fn tables() -> String {
    let counters = Counters {
        global_load_requests: 524_288,
        global_load_sectors: 2_097_152,
        global_store_requests: 524_288,
        global_store_sectors: 16_777_216,
        shared_load_instructions: 524_288,
        shared_load_wavefronts: 16_777_216,
        shared_load_bank_conflicts: 16_252_928,
        shared_store_instructions: 524_288,
        shared_store_wavefronts: 524_288,
        ptx_warp_instructions: 33_030_144,
        ..Counters::default()
    };
    let wanted = Wanted {
        load_bytes: 67_108_864,
        store_bytes: 67_108_864,
    };
    let site = |line, space, is_store, sectors, wavefronts, bank_conflicts| Site {
        ptx_line: line + 40,
        source: Some(SourceLine {
            file: "made_up.cu".to_owned(),
            line,
        }),
        space,
        is_store,
        is_atomic: false,
        is_matrix: false,
        is_generic: false,
        access_bytes: 4,
        executed: 1024,
        requests: 1024,
        sectors,
        wavefronts,
        bank_conflicts,
        path: Path::Registers,
        bytes: 0,
        demand: Demand::default(),
    };
    let sites = [
        site(12, Space::Global, false, 4096, 0, 0),
        site(12, Space::Shared, true, 0, 1024, 0),
        site(15, Space::Shared, false, 0, 32768, 31744),
        site(15, Space::Global, true, 32768, 0, 0),
    ];
    let rows = [["tiled", "1670", "43 %"], ["padded", "3413", "88 %"]]
        .map(|row| row.map(str::to_owned).to_vec());
    [
        plot::counters_table(&counters, Some(wanted)),
        plot::sites_table(&sites),
        plot::table("Any table", &["kernel", "GB/s", "of copy"], &rows).to_html(),
    ]
    .join("\n")
}
