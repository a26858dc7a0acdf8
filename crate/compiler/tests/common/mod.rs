//! Runs a kernel's PTX in the emulator on inputs that follow from its parameters' names, and compares two such runs.

#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

pub mod mixed;
pub mod parts;
pub mod program;
pub mod random_numbers;

use cornerturn_emulator::{
    Arg, Counters, Fill, Launch, Memory, Module, Options, ParamType, Sampling, Swizzle,
    TensorElement, TensorLayout, TensorMap, TexelFormat, TexelMemory, Texture, TextureLayout,
    launch,
};
use std::path::{Path, PathBuf};

/// A registered kernel.
#[derive(Debug, Clone)]
pub struct Case {
    pub id: String,
    pub file: String,
    pub entry: String,
    pub arch: String,
    pub block: [u32; 2],
    /// Rows and columns that a block covers; none for works on arrays.
    pub tile: Option<[u32; 2]>,
    pub is_linear: bool,
    pub items_per_block: u32,
    pub dynamic_shared_bytes: u32,
    pub cluster_blocks: u32,
    pub element_bytes: u64,
    pub multiple_of: u32,
    pub swizzle: Option<Swizzle>,
    pub box_side: Option<u32>,
}

/// The folder of kernels.
pub fn kernels() -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = above.map(|folder| folder.join("kernels"));
    let is_registry = |folder: &PathBuf| folder.join("kernels.toml").is_file();
    folders.find(is_registry).unwrap()
}

/// Every kernel of the registry, each file and entry once.
pub fn registered() -> Vec<Case> {
    let text = std::fs::read_to_string(kernels().join("kernels.toml")).unwrap();
    let registry: toml::Table = text.parse().unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for kind in ["kernel", "work"] {
        for table in registry[kind].as_array().unwrap() {
            let case = case_of(table.as_table().unwrap(), kind == "kernel");
            if !cases
                .iter()
                .any(|other| other.file == case.file && other.entry == case.entry)
            {
                cases.push(case);
            }
        }
    }
    cases
}

/// The registered products of matrices: their files, the architectures they are for, and their entries.
pub fn products() -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(kernels().join("kernels.toml")).unwrap();
    let registry: toml::Table = text.parse().unwrap();
    let text = |table: &toml::Value, key: &str| table[key].as_str().unwrap().to_string();
    let products = registry["product"].as_array().unwrap().iter();
    products
        .map(|product| {
            (
                text(product, "file"),
                text(product, "arch"),
                text(product, "entry"),
            )
        })
        .collect()
}

fn case_of(table: &toml::Table, is_matrix: bool) -> Case {
    let text = |key: &str| {
        table
            .get(key)
            .and_then(|value| value.as_str())
            .unwrap_or("")
            .to_string()
    };
    let number = |key: &str| {
        table
            .get(key)
            .and_then(|value| value.as_integer())
            .map(|value| value as u32)
    };
    let pair = |value: &toml::Value| {
        let list = value.as_array().unwrap();
        [
            list[0].as_integer().unwrap() as u32,
            list[1].as_integer().unwrap() as u32,
        ]
    };
    let block = match table.get("block") {
        Some(toml::Value::Integer(threads)) => [*threads as u32, 1],
        Some(value) => pair(value),
        None => [256, 1],
    };
    let maps = table.get("tensor_maps").and_then(|maps| maps.as_table());
    let output = maps.and_then(|maps| maps["output"].as_table());
    let swizzle = output.map(|map| {
        match map
            .get("swizzle_bytes")
            .and_then(|bytes| bytes.as_integer())
        {
            Some(128) => Swizzle::Bytes128,
            _ => Swizzle::None,
        }
    });
    Case {
        id: text("id"),
        file: text("file"),
        entry: text("entry"),
        arch: text("arch"),
        block,
        tile: table.get("tile").filter(|_| is_matrix).map(pair),
        is_linear: matches!(text("grid").as_str(), "linear" | "persistent"),
        items_per_block: number("items_per_block").unwrap_or(block[0]),
        dynamic_shared_bytes: number("dynamic_shared_bytes").unwrap_or(0),
        cluster_blocks: number("cluster_blocks").unwrap_or(1),
        element_bytes: match text("element").as_str() {
            "f64" | "i64" | "u64" => 8,
            "u16" | "f16" => 2,
            "u8" => 1,
            _ => 4,
        },
        multiple_of: table
            .get("multiple_of")
            .map_or(1, |value| pair(value)[0].max(pair(value)[1])),
        swizzle,
        box_side: output.map(|map| map["box"].as_array().unwrap()[0].as_integer().unwrap() as u32),
    }
}

/// What a run leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub outputs: Vec<Vec<u8>>,
    pub counters: Vec<(&'static str, u64)>,
    pub findings: Vec<String>,
    pub warp_instructions: u64,
    /// Requests by line of the source, space and direction.
    pub lines: std::collections::BTreeMap<(u32, String), u64>,
}

/// The names of an entry's parameters and what they are in C++, from its source.
pub fn signature(source: &str, entry: &str) -> Option<Vec<(String, String)>> {
    let plain: String = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join(" ");
    let mut from = 0;
    while let Some(found) = plain[from..].find(entry) {
        let start = from + found;
        from = start + entry.len();
        let rest = plain[from..].trim_start();
        let before = plain[..start].chars().next_back().unwrap_or(' ');
        if before.is_alphanumeric()
            || before == '_'
            || !rest.starts_with('(')
            || !plain[..start].contains("__global__")
        {
            continue;
        }
        let end = rest.find(") ").or_else(|| rest.find(')'))?;
        let list = &rest[1..end];
        let of = |parameter: &str| {
            let words = parameter.replace("__restrict__", "").replace('*', "* ");
            let words: Vec<&str> = words.split_whitespace().collect();
            let last = words.last().copied().unwrap_or("");
            let is_name = words.len() > 1
                && !last.contains('*')
                && !["unsigned", "float", "int"].contains(&last);
            let name = if is_name {
                last.to_string()
            } else {
                String::new()
            };
            let ty = if is_name {
                words[..words.len() - 1].join(" ")
            } else {
                words.join(" ")
            };
            (name, ty)
        };
        return Some(list.split(',').map(of).collect());
    }
    None
}

/// Numbers that follow from each other.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let mixed = (self.0 >> 33) ^ (self.0 >> 15);
        mixed as u32
    }

    fn float(&mut self) -> f32 {
        (self.next() % 4_000_003) as f32 / 1_000_000.0 - 2.0
    }
}

/// Sizes of one run.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub rows: u32,
    pub columns: u32,
    /// Which of several values the parameters of works take.
    pub variant: u32,
}

fn scalar(name: &str, case: &Case, sizes: Sizes) -> u64 {
    let v = u64::from(sizes.variant);
    match name {
        "rows" if case.tile.is_some() => u64::from(sizes.rows),
        "columns" if case.tile.is_some() => u64::from(sizes.columns),
        "side" if case.tile.is_some() => u64::from(sizes.columns),
        "items" | "rows" => u64::from(items(case, sizes)),
        "columns" => 129 + 127 * v,
        "batches" => 3,
        "bins" => 31,
        "stride" => 3 + v,
        "offset" => 1 + v,
        "spread" => 5 + 2 * v,
        "period" => 37 - 21 * v,
        "width" => 61 + v,
        "height" => 45,
        "pieces" => 129 + 300 * v,
        "slots" => 64,
        "slot_bytes" => 256,
        "warm_up" => 5,
        "steps" => 9 + v,
        "times" => 3 + 14 * v,
        "rounds" => 4,
        "first" => 5,
        "count" => 67,
        "tiles" => 3,
        "side_of" => 31,
        "cosine" => 50_000,
        "sine" => 30_000,
        _ => 7 + v,
    }
}

fn items(case: &Case, sizes: Sizes) -> u32 {
    let each = case.items_per_block.min(20_000);
    match sizes.variant {
        0 => 2 * each + each / 3 + 1,
        _ => each + 13,
    }
}

/// Words of a buffer, by its name and type.
fn fill(bytes: usize, name: &str, ty: &str, random: &mut Random) -> Vec<u8> {
    let mut data = Vec::with_capacity(bytes + 8);
    let zero = matches!(name, "ticket" | "total" | "counts" | "sum" | "checksum");
    while data.len() < bytes.min(40_000) {
        match ty {
            _ if zero => data.extend([0; 8]),
            _ if ty.contains("double") => {
                data.extend((f64::from(random.float()) * 1.0000001).to_le_bytes())
            }
            _ if ty.contains("float") => data.extend(random.float().to_le_bytes()),
            _ if name == "keys" => data.extend((random.next() % 31).to_le_bytes()),
            _ if ty.contains("char") || ty.contains("uint4") => {
                data.extend(random.next().to_le_bytes())
            }
            _ => data.extend((random.next() % 997 + 1).to_le_bytes()),
        }
    }
    // Long buffers repeat, by a number of words that is no multiple of a block's.
    while data.len() < bytes {
        data.extend_from_within(..(bytes - data.len()).min(39_992));
    }
    data.truncate(bytes);
    data
}

/// Runs an entry; the outputs are all its buffers.
pub fn run(ptx: &str, source: &str, case: &Case, sizes: Sizes) -> Result<Outcome, String> {
    run_with(ptx, source, case, sizes, false)
}

/// The same, with all the emulator's checks where they are asked for: they find races and what is not initialised.
pub fn run_with(
    ptx: &str,
    source: &str,
    case: &Case,
    sizes: Sizes,
    check: bool,
) -> Result<Outcome, String> {
    let module = Module::load(ptx).map_err(|error| format!("load: {error}"))?;
    let entry = module
        .entry(&case.entry)
        .map_err(|error| format!("entry: {error}"))?;
    if let Some(error) = entry.unsupported() {
        return Err(format!("unsupported: {error}"));
    }
    let names = signature(source, &case.entry);
    let mut memory = Memory::new();
    let mut random = Random(42);
    let (mut args, mut buffers) = (Vec::new(), Vec::new());
    let elements = u64::from(sizes.rows) * u64::from(sizes.columns);
    for (number, param) in entry.params().iter().enumerate() {
        let named = names.as_ref().and_then(|names| names.get(number).cloned());
        let fallback = match (case.tile.is_some(), number) {
            (true, 2) => "rows",
            (true, 3) => "columns",
            (false, 2) => "items",
            _ => "",
        };
        let (name, ty) = named.unwrap_or((
            fallback.to_string(),
            if param.bytes == 8 {
                "unsigned*".to_string()
            } else {
                String::new()
            },
        ));
        args.push(match param.ty {
            ParamType::Bytes(128) if case.box_side.is_some() => {
                tensor_map(&mut memory, case, sizes, number, &mut buffers, &mut random)
            }
            ParamType::Bytes(bytes) => Arg(fill(bytes, &name, "float", &mut random)),
            _ if ty.contains("Texture") => Arg::from(texture(&mut memory, &mut random)),
            _ if param.bytes == 8 && (ty.contains('*') || ty.contains("Word")) => {
                let bytes = match case.tile {
                    Some(_) => (elements * case.element_bytes * 3) as usize,
                    None => 1 << 20,
                };
                let address = memory
                    .allocate(bytes, &name)
                    .map_err(|error| error.to_string())?;
                let data = fill(bytes, &name, &ty, &mut random);
                memory
                    .write(address, &data)
                    .map_err(|error| error.to_string())?;
                buffers.push((address, bytes));
                Arg::from(address)
            }
            _ if ty == "float" => Arg::from(1.25_f32),
            _ if ty == "double" => Arg::from(1.25_f64),
            _ => {
                let value = scalar(&name, case, sizes);
                Arg(value.to_le_bytes()[..param.bytes].to_vec())
            }
        });
    }
    let job = Launch {
        entry: &case.entry,
        grid: grid(case, sizes),
        block: [case.block[0], case.block[1], 1],
        dynamic_shared_bytes: case.dynamic_shared_bytes,
        args: &args,
    };
    let options = Options {
        threads: 1,
        launch_budget: 20_000_000,
        check,
        ..Options::default()
    };
    let report =
        launch(&module, &memory, &job, &options).map_err(|error| format!("launch: {error}"))?;
    let mut outputs = Vec::new();
    for (address, bytes) in buffers {
        let mut data = vec![0; bytes];
        memory
            .read(address, &mut data)
            .map_err(|error| error.to_string())?;
        outputs.push(data);
    }
    Ok(Outcome {
        outputs,
        counters: memory_counters(&report.counters),
        findings: report
            .findings
            .iter()
            .map(|finding| format!("{:?}", finding.kind))
            .collect(),
        warp_instructions: report.warp_instructions,
        lines: lines(&report.sites),
    })
}

fn grid(case: &Case, sizes: Sizes) -> [u32; 3] {
    match case.tile {
        Some([wide, high]) => {
            let (x, y) = (sizes.columns.div_ceil(wide), sizes.rows.div_ceil(high));
            if case.is_linear {
                [x * y, 1, 1]
            } else {
                [x, y, 1]
            }
        }
        None => {
            let blocks = items(case, sizes).div_ceil(case.items_per_block).max(1);
            [blocks.next_multiple_of(case.cluster_blocks), 1, 1]
        }
    }
}

/// Counters of memory and of floating-point operations, those that are not zero.
fn memory_counters(counters: &Counters) -> Vec<(&'static str, u64)> {
    Counters::NAMES
        .iter()
        .filter(|(field, _)| {
            !field.contains("_instructions")
                || field.starts_with("global")
                || field.starts_with("shared")
                || field.starts_with("local")
                || field.starts_with("async")
        })
        .filter_map(|(field, _)| {
            counters
                .field(field)
                .filter(|value| *value != 0)
                .map(|value| (*field, value))
        })
        .collect()
}

fn texture(memory: &mut Memory, random: &mut Random) -> u64 {
    let (width, height) = (64_u64, 48_u64);
    let texels = fill((width * height * 4) as usize, "", "float", random);
    let layout = TextureLayout {
        name: "texture",
        format: TexelFormat::F32,
        channels: 1,
        width,
        height: Some(height),
        layers: None,
        is_cube: false,
        memory: TexelMemory::Array(texels.into()),
        sampling: Sampling::point(),
    };
    memory.bind_texture(Texture::new(&layout).unwrap())
}

fn tensor_map(
    memory: &mut Memory,
    case: &Case,
    sizes: Sizes,
    number: usize,
    buffers: &mut Vec<(u64, usize)>,
    random: &mut Random,
) -> Arg {
    let (wide, high) = if number == 0 {
        (sizes.columns, sizes.rows)
    } else {
        (sizes.rows, sizes.columns)
    };
    let bytes = wide as usize * high as usize * 4;
    let address = memory.allocate(bytes, "matrix").unwrap();
    memory
        .write(address, &fill(bytes, "", "float", random))
        .unwrap();
    buffers.push((address, bytes));
    let side = case.box_side.unwrap_or(32);
    let map = TensorMap::new(&TensorLayout {
        element: TensorElement::F32,
        address,
        lengths: &[u64::from(wide), u64::from(high)],
        strides: &[u64::from(wide) * 4],
        tile: &[side, side],
        element_strides: &[1, 1],
        swizzle: if number == 1 {
            case.swizzle.unwrap_or(Swizzle::None)
        } else {
            Swizzle::None
        },
        fill: Fill::Zero,
    });
    Arg(map.unwrap().encode().to_vec())
}

/// The sizes on which a kernel is compared.
pub fn sizes(case: &Case) -> Vec<Sizes> {
    let of = |(rows, columns)| Sizes {
        rows: u32::next_multiple_of(
            rows,
            case.multiple_of
                .max(if case.box_side.is_some() { 4 } else { 1 }),
        ),
        columns: u32::next_multiple_of(
            columns,
            case.multiple_of
                .max(if case.box_side.is_some() { 4 } else { 1 }),
        ),
        variant: 0,
    };
    match case.tile {
        Some(_) if case.entry == "in_place" => vec![of((93, 93)), of((136, 136))],
        Some(_) => [(61, 93), (200, 136), (1, 77), (130, 4)].map(of).to_vec(),
        None => (0..2)
            .map(|variant| Sizes {
                variant,
                ..of((0, 0))
            })
            .collect(),
    }
}

/// How our PTX compares with a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// The reference itself cannot be run on these inputs.
    NoReference(String),
    Fails(String),
    OtherResults(String),
    OtherCounters(String),
    Equal,
}

/// Buffers, by their place among the parameters, that hold what clocks told: in the emulator, how many instructions ran between two
/// questions, of which ours has another number than NVRTC's.
const CLOCKS: [(&str, usize); 3] = [
    ("memory/chase.cu", 2),
    ("memory/chase_shared.cu", 2),
    ("memory/chase_lines.cu", 2),
];

/// On all sizes: where results differ it is told of the first of them, where counters do of each.
pub fn compare(ours: &str, theirs: &str, source: &str, case: &Case) -> Compared {
    let mut other: Vec<String> = Vec::new();
    let clock = CLOCKS.iter().find(|(file, _)| *file == case.file);
    let mut are_clocks_alike = true;
    for sizes in sizes(case) {
        let reference = match run(theirs, source, case, sizes) {
            Ok(outcome) if outcome.findings.is_empty() => outcome,
            Ok(outcome) => return Compared::NoReference(format!("{:?}", outcome.findings.first())),
            Err(error) => return Compared::NoReference(error),
        };
        let mut found = match run(ours, source, case, sizes) {
            Ok(outcome) if outcome.findings.is_empty() => outcome,
            Ok(outcome) => return Compared::Fails(format!("{:?}", outcome.findings.first())),
            Err(error) => return Compared::Fails(error),
        };
        if let Some((_, buffer)) = clock {
            are_clocks_alike &= found.outputs[*buffer] == reference.outputs[*buffer];
            found.outputs[*buffer].clone_from(&reference.outputs[*buffer]);
        }
        if found.outputs != reference.outputs {
            let at = found.outputs.iter().zip(&reference.outputs).enumerate();
            let first = at
                .filter_map(|(buffer, (a, b))| {
                    Some((buffer, a.iter().zip(b).position(|(a, b)| a != b)?))
                })
                .next();
            let all: Vec<usize> = found
                .outputs
                .iter()
                .zip(&reference.outputs)
                .flat_map(|(a, b)| (0..a.len()).filter(move |at| a[*at] != b[*at]))
                .map(|at| at / 4)
                .take(400)
                .collect();
            return Compared::OtherResults(format!(
                "{sizes:?}: buffer and byte {first:?}; words {:?}",
                all.iter()
                    .map(|word| word % 64)
                    .collect::<std::collections::BTreeSet<_>>()
            ));
        }
        if found.counters != reference.counters {
            other.push(difference(&found, &reference, sizes));
        }
    }
    if clock.is_some() && are_clocks_alike {
        return Compared::Fails(
            "its clocks tell what NVRTC's do: it needs no exception".to_string(),
        );
    }
    match other.is_empty() {
        true => Compared::Equal,
        false => Compared::OtherCounters(other.join("; ")),
    }
}

fn difference(found: &Outcome, reference: &Outcome, sizes: Sizes) -> String {
    let value = |outcome: &Outcome, name: &str| {
        outcome
            .counters
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(0, |(_, value)| *value)
    };
    let mut names: Vec<&str> = found
        .counters
        .iter()
        .chain(&reference.counters)
        .map(|(name, _)| *name)
        .collect();
    names.sort_unstable();
    names.dedup();
    let apart = names
        .iter()
        .filter(|name| value(found, name) != value(reference, name));
    let words: Vec<String> = apart
        .map(|name| {
            format!(
                "{name} {} for {}",
                value(found, name),
                value(reference, name)
            )
        })
        .collect();
    format!(
        "{}x{} variant {}: {}",
        sizes.rows,
        sizes.columns,
        sizes.variant,
        words.join(", ")
    )
}

/// The exercises, one case each.
pub fn exercises() -> Vec<Case> {
    let text = std::fs::read_to_string(kernels().join("exercises/exercises.toml")).unwrap();
    let registry: toml::Table = text.parse().unwrap();
    let list = registry["exercise"].as_array().unwrap().iter();
    list.filter_map(|table| {
        let table = table.as_table()?;
        let of_matrix = ["copy", "transpose", "histogram", "column_sum", "row_sum"];
        let work = table.get("work")?.as_str()?;
        let case = case_of(table, of_matrix.contains(&work));
        let items = table
            .get("tile")
            .and_then(|tile| tile.as_array()?.first()?.as_integer())
            .unwrap_or(256);
        Some(Case {
            items_per_block: items as u32,
            ..case
        })
    })
    .collect()
}

/// The architecture that a fixture asks for in a line `//# arch compute_80`, else the oldest.
pub fn arch_of(source: &str) -> String {
    let mut lines = source.lines();
    let asked = lines.find_map(|line| line.strip_prefix("//# arch "));
    asked.unwrap_or("compute_75").trim().to_string()
}

/// The kernel `test` of a fixture, of one warp where the fixture asks for nothing else: `//# block 16 16` gives its threads,
/// `//# tile 32 8` the columns and rows of a matrix that a block covers, `//# items 512` the items of a block, `//# bytes 8`
/// the size of a matrix's element.
pub fn fixture(name: &str, source: &str) -> Case {
    let mut case = single(name);
    for line in source.lines().filter_map(|line| line.strip_prefix("//# ")) {
        let mut words = line.split_whitespace();
        let key = words.next().unwrap_or("");
        let numbers: Vec<u32> = words.filter_map(|word| word.parse().ok()).collect();
        let pair = [
            numbers.first().copied().unwrap_or(1),
            numbers.get(1).copied().unwrap_or(1),
        ];
        match key {
            "block" => (case.block, case.items_per_block) = (pair, pair[0] * pair[1]),
            "tile" => case.tile = Some(pair),
            "items" => case.items_per_block = pair[0],
            "bytes" => case.element_bytes = u64::from(pair[0]),
            _ => {}
        }
    }
    case
}

/// A kernel `test` of one warp.
pub fn single(name: &str) -> Case {
    Case {
        id: name.to_string(),
        file: name.to_string(),
        entry: "test".to_string(),
        arch: "compute_75".to_string(),
        block: [32, 1],
        tile: None,
        is_linear: false,
        items_per_block: 32,
        dynamic_shared_bytes: 128,
        cluster_blocks: 1,
        element_bytes: 4,
        multiple_of: 1,
        swizzle: None,
        box_side: None,
    }
}

fn lines(sites: &[cornerturn_emulator::Site]) -> std::collections::BTreeMap<(u32, String), u64> {
    let mut lines = std::collections::BTreeMap::new();
    for site in sites.iter().filter(|site| site.requests > 0) {
        let line = site.source.as_ref().map_or(0, |source| source.line);
        let kind = format!("{:?} {} {}", site.space, site.is_store, site.is_atomic);
        *lines.entry((line, kind)).or_default() += site.requests;
    }
    lines
}

/// Whether two PTX texts ask for as much on every line of the source, on the first sizes.
pub fn same_lines(ours: &str, theirs: &str, source: &str, case: &Case) -> Result<(), String> {
    let sizes = sizes(case)[0];
    let (a, b) = (
        run(ours, source, case, sizes)?,
        run(theirs, source, case, sizes)?,
    );
    match a.lines == b.lines {
        true => Ok(()),
        false => Err(format!("{:?} for {:?}", a.lines, b.lines)),
    }
}
