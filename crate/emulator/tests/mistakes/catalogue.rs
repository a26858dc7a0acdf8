//! The planted mistakes as their CUDA C++ describes them, in comments that begin with `//#`. How they are launched is here, what must come of them is not.
//!
//! ```text
//! //# mistake NAME: what is wrong, in a sentence
//! //# launch  the options of `cornerturn launch`
//! //# fixed   those of the corrected twin, where they differ
//! //# finds   the kinds of finding that must appear, and no others
//! //# gives   N REFERENCE, what argument N of the corrected twin holds in the end
//! //# uncompared  the GPU and compute-sanitizer have not run it; must go when they have
//! //# misses  in place of `finds`: what should be found and is not yet; must go when it is
//! ```
//!
//! Then follows the kernel NAME. The lines at which findings may point end in `// MISTAKE`. The same file compiled with
//! `FIXED` defined holds the corrected twins.

use crate::common::{Gpu, fixture};
use cornerturn_emulator::{Arg, LoadError, Memory, Module, Options, Report};

/// The files of the folder, each a theme.
pub const THEMES: [&str; 25] = [
    "advice",
    "asserts",
    "asynchronous",
    "barriers",
    "bounds",
    "clusters",
    "frames",
    "heap",
    "loops",
    "masks",
    "mbarriers",
    "padding",
    "partners",
    "pointers",
    "races_atomic",
    "races_global",
    "races_shared",
    "races_strong",
    "races_warp",
    "releases",
    "shared",
    "shared_limit",
    "stops",
    "uninitialized",
    "values",
];

/// One planted mistake.
#[derive(Debug)]
pub struct Mistake {
    pub theme: &'static str,
    pub name: String,
    pub launch: Launch,
    pub fixed: Launch,
    /// Names of finding kinds, sorted.
    pub finds: Vec<String>,
    /// The argument that holds the result, and the words that name its reference.
    pub gives: (usize, String),
    /// Whether the emulator is known to miss it.
    pub is_unseen: bool,
    /// Whether the GPU has run it, so that there is something to compare with.
    pub is_compared: bool,
    /// Lines of the file at which findings may point.
    pub marked: Vec<u32>,
}

/// The options of `cornerturn launch`.
#[derive(Debug, Clone)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub arguments: Vec<Argument>,
}

/// An argument before the launch.
#[derive(Debug, Clone)]
pub enum Argument {
    Buffer { bytes: Vec<u8>, written: bool },
    Scalar(Vec<u8>),
}

/// What a launch left behind.
pub struct Outcome {
    pub report: Report,
    /// The bytes of the buffers, by argument; of scalars none.
    pub results: Vec<Vec<u8>>,
}

/// All mistakes of a theme.
pub fn mistakes(theme: &'static str) -> Vec<Mistake> {
    let source = fixture(&format!("fail/{theme}.cu"));
    let lines: Vec<&str> = source.lines().collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|line| lines[*line].starts_with("//# mistake "))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| mistake(theme, *start, &lines[*start..end]))
        .collect()
}

fn mistake(theme: &'static str, start: usize, lines: &[&str]) -> Mistake {
    let value = |key: &str| {
        let prefix = format!("//# {key} ");
        lines
            .iter()
            .find_map(|line| line.strip_prefix(prefix.as_str()))
    };
    let title = value("mistake").unwrap();
    let (name, _) = title.split_once(": ").unwrap();
    let needed = |key: &str| value(key).unwrap_or_else(|| panic!("{name} has no `{key}`"));
    let (position, reference) = needed("gives").split_once(' ').unwrap();
    let mut finds: Vec<String> = value("misses")
        .unwrap_or_else(|| needed("finds"))
        .split(' ')
        .map(str::to_string)
        .collect();
    finds.sort();
    Mistake {
        theme,
        name: name.to_string(),
        launch: launch(needed("launch")),
        fixed: launch(value("fixed").unwrap_or_else(|| needed("launch"))),
        finds,
        gives: (position.parse().unwrap(), reference.to_string()),
        is_unseen: value("misses").is_some(),
        is_compared: !lines.contains(&"//# uncompared"),
        marked: (start as u32 + 1..)
            .zip(lines)
            .filter(|(_, line)| line.ends_with("// MISTAKE"))
            .map(|(number, _)| number)
            .collect(),
    }
}

fn launch(text: &str) -> Launch {
    let mut launch = Launch {
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        arguments: Vec::new(),
    };
    let mut words = text.split(' ');
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        match option {
            "--grid" => launch.grid = dimensions(value),
            "--block" => launch.block = dimensions(value),
            "--shared" => launch.shared = value.parse().unwrap(),
            "--arg" => launch.arguments.push(argument(value)),
            _ => panic!("{option} is no option of a launch"),
        }
    }
    launch
}

fn dimensions(text: &str) -> [u32; 3] {
    let mut dimensions = [1; 3];
    for (dimension, part) in dimensions.iter_mut().zip(text.split(',')) {
        *dimension = part.parse().unwrap();
    }
    dimensions
}

/// `TYPE[LENGTH]=FILL` or `TYPE=VALUE`, as far as the mistakes need it.
fn argument(text: &str) -> Argument {
    let (left, value) = text.split_once('=').unwrap();
    match left.split_once('[') {
        None => Argument::Scalar(scalar(left, value)),
        Some((ty, length)) => {
            let length: u64 = length.strip_suffix(']').unwrap().parse().unwrap();
            let bytes = (0..length).flat_map(|i| element(ty, value, i)).collect();
            let written = value != "poison";
            Argument::Buffer { bytes, written }
        }
    }
}

fn scalar(ty: &str, value: &str) -> Vec<u8> {
    match (ty, value.strip_prefix("0x")) {
        ("i32", None) => value.parse::<i32>().unwrap().to_le_bytes().to_vec(),
        ("u32", None) => value.parse::<u32>().unwrap().to_le_bytes().to_vec(),
        ("u64", None) => value.parse::<u64>().unwrap().to_le_bytes().to_vec(),
        ("u64", Some(digits)) => u64::from_str_radix(digits, 16)
            .unwrap()
            .to_le_bytes()
            .to_vec(),
        ("f32", None) => value.parse::<f32>().unwrap().to_le_bytes().to_vec(),
        _ => panic!("{ty}={value}"),
    }
}

/// Element `i` of a buffer, as `cornerturn launch --help` defines the fills.
fn element(ty: &str, fill: &str, i: u64) -> Vec<u8> {
    let random = |seed: &str| {
        let seed: u64 = seed.parse().unwrap();
        let z = seed.wrapping_add((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let size = match ty {
        "u8" => 1,
        "i32" | "u32" | "f32" => 4,
        "f64" => 8,
        _ => panic!("{ty}"),
    };
    let bits = match (fill, fill.strip_prefix("random:")) {
        ("zero", _) => 0,
        ("poison", _) => u64::MAX,
        ("iota", _) if ty == "f32" => (i as f32).to_bits().into(),
        ("iota", _) if ty == "f64" => (i as f64).to_bits(),
        ("iota", _) => i,
        (_, Some(seed)) if ty.starts_with('u') => random(seed) >> (64 - 8 * size),
        _ => panic!("{fill}"),
    };
    bits.to_le_bytes()[..size].to_vec()
}

/// The PTX of a theme, as the mistakes are or corrected.
pub fn ptx(theme: &str, fixed: bool) -> String {
    fixture(&format!(
        "fail/{theme}{}.ptx",
        if fixed { ".fixed" } else { "" }
    ))
}

/// Loads the PTX of a theme.
pub fn load(theme: &str, fixed: bool) -> Result<Module, LoadError> {
    Module::load(&ptx(theme, fixed))
}

/// Runs a kernel with all checks on.
pub fn run(
    module: &Module,
    entry: &str,
    launch: &Launch,
    threads: usize,
    instruction_budget: u64,
) -> Outcome {
    let options = Options {
        check: true,
        threads,
        instruction_budget,
        ..Options::default()
    };
    let mut gpu = Gpu {
        options,
        ..Gpu::default()
    };
    let given = &launch.arguments;
    let args: Vec<Arg> = (given.iter().enumerate())
        .map(|(index, argument)| upload(&mut gpu.memory, index, argument))
        .collect();
    let report = gpu.launch(
        module,
        entry,
        launch.grid,
        launch.block,
        launch.shared,
        &args,
    );
    let result = |(argument, arg): (&Argument, &Arg)| match argument {
        Argument::Scalar(_) => Vec::new(),
        Argument::Buffer { bytes, .. } => {
            let address = u64::from_le_bytes(arg.0.as_slice().try_into().unwrap());
            gpu.download(address, bytes.len())
        }
    };
    let results = given.iter().zip(&args).map(result).collect();
    Outcome { report, results }
}

fn upload(memory: &mut Memory, index: usize, argument: &Argument) -> Arg {
    match argument {
        Argument::Scalar(bytes) => Arg(bytes.clone()),
        Argument::Buffer { bytes, written } => {
            let address = memory
                .allocate(bytes.len(), &format!("argument {index}"))
                .unwrap();
            if *written {
                memory.write(address, bytes).unwrap();
            } else {
                memory.poison(address, bytes.len(), u32::MAX).unwrap();
            }
            Arg::from(address)
        }
    }
}
