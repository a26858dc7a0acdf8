//! Texture fetches against the bits that an H200 gave, in `h200/textures.bin`, and what is wrong with a fetch.
//!
//! The file holds for each texture: 15 numbers of 32 bits (see [`Case`]), its texels, the coordinates, the results.
//! `CORNERTURN_TEXTURES=FILE` compares another such file.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use cornerturn_emulator::{
    AddressMode, Arg, Filter, Launch, Memory, Module, Options, Report, Sampling, TexelFormat,
    TexelMemory, Texture, TextureLayout, launch,
};

/// A texture and the fetches from it.
struct Case {
    dimensions: u32,
    width: u32,
    height: u32,
    format: TexelFormat,
    channels: u32,
    sampling: Sampling,
    /// `tex` by floats, by integers, or `tld4` of a channel.
    operation: u32,
    /// An array, linear or pitched memory.
    memory: u32,
    /// Words of each result.
    words: usize,
    texels: Vec<u8>,
    coordinates: Vec<u32>,
    results: Vec<u32>,
}

/// The numbers at the front of a file.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> u32 {
        let (word, rest) = self.0.split_at(4);
        self.0 = rest;
        u32::from_le_bytes(word.try_into().unwrap())
    }

    fn numbers(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.number()).collect()
    }

    fn case(&mut self) -> Case {
        let head = self.numbers(15);
        let modes = [
            AddressMode::Wrap,
            AddressMode::Clamp,
            AddressMode::Mirror,
            AddressMode::Border,
        ];
        let (bytes, fetches, words) = (head[13] as usize, head[14] as usize, head[12] as usize);
        let (texels, rest) = self.0.split_at(bytes);
        self.0 = rest;
        Case {
            dimensions: head[0],
            width: head[1],
            height: head[2],
            format: TexelFormat::ALL[head[3] as usize],
            channels: head[4],
            sampling: Sampling {
                filter: [Filter::Point, Filter::Linear][head[5] as usize],
                address: [modes[head[6] as usize], modes[head[7] as usize]],
                normalized_coordinates: head[8] == 1,
                normalized_reads: head[9] == 1,
            },
            operation: head[10],
            memory: head[11],
            words,
            texels: texels.to_vec(),
            coordinates: self.numbers(fetches * head[0] as usize),
            results: self.numbers(fetches * words),
        }
    }
}

impl Case {
    fn fetches(&self) -> usize {
        self.results.len() / self.words
    }

    fn ptx(&self) -> String {
        let ty = if self.operation == 1 { "s32" } else { "f32" };
        let (load, place) = match self.dimensions {
            1 => (format!("ld.global.{ty} %c0, [%rd4];"), "{%c0}"),
            _ => (
                format!("ld.global.v2.{ty} {{%c0, %c1}}, [%rd4];"),
                "{%c0, %c1}",
            ),
        };
        let fetch = match self.operation {
            0 | 1 => format!("tex.{}d.v4.u32.{ty}", self.dimensions),
            channel => format!(
                "tld4.{}.2d.v4.u32.f32",
                ["r", "g", "b", "a"][channel as usize - 2]
            ),
        };
        format!(
            ".version 6.4\n.target sm_75\n.address_size 64\n
            .visible .entry fetch(.param .u64 texture, .param .u64 places, .param .u64 out, .param .u32 count) {{
                .reg .pred %p; .reg .b32 %r<9>; .reg .{ty} %c<2>; .reg .b64 %rd<7>;
                ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [places]; ld.param.u64 %rd3, [out];
                ld.param.u32 %r5, [count];
                mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
                setp.ge.u32 %p, %r4, %r5; @%p bra END;
                mul.wide.u32 %rd4, %r4, {}; add.u64 %rd4, %rd4, %rd2; {load}
                {fetch} {{%r5, %r6, %r7, %r8}}, [%rd1, {place}];
                mul.wide.u32 %rd5, %r4, 16; add.u64 %rd5, %rd5, %rd3;
                st.global.v4.u32 [%rd5], {{%r5, %r6, %r7, %r8}};
            END: ret; }}",
            4 * self.dimensions
        )
    }

    fn bind(&self, memory: &mut Memory) -> u64 {
        let row = u64::from(self.width * self.format.bytes() * self.channels);
        let pitch_bytes = row.next_multiple_of(32);
        let texels = match self.memory {
            0 => TexelMemory::Array(Arc::from(self.texels.as_slice())),
            1 => {
                let address = memory.allocate(self.texels.len(), "texels").unwrap();
                memory.write(address, &self.texels).unwrap();
                TexelMemory::Linear { address }
            }
            _ => {
                let bytes = pitch_bytes * u64::from(self.height);
                let address = memory.allocate(bytes as usize, "texels").unwrap();
                for (y, texels) in (0..).zip(self.texels.chunks(row as usize)) {
                    memory.write(address + y * pitch_bytes, texels).unwrap();
                }
                TexelMemory::Pitched {
                    address,
                    pitch_bytes,
                }
            }
        };
        let layout = TextureLayout {
            name: "texture",
            format: self.format,
            channels: self.channels,
            width: u64::from(self.width),
            height: (self.dimensions == 2).then_some(u64::from(self.height)),
            layers: None,
            is_cube: false,
            memory: texels,
            sampling: self.sampling,
        };
        memory.bind_texture(Texture::new(&layout).unwrap())
    }

    fn run(&self, check: bool) -> (Report, Vec<u32>) {
        let module = Module::load(&self.ptx()).unwrap();
        let mut memory = Memory::new();
        let texture = self.bind(&mut memory);
        let places = memory
            .allocate(4 * self.coordinates.len(), "places")
            .unwrap();
        let bytes: Vec<u8> = self
            .coordinates
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        memory.write(places, &bytes).unwrap();
        let out = memory.allocate(16 * self.fetches(), "out").unwrap();
        let args = [
            Arg::from(texture),
            Arg::from(places),
            Arg::from(out),
            Arg::from(self.fetches() as u32),
        ];
        let job = Launch {
            entry: "fetch",
            grid: [(self.fetches() as u32).div_ceil(96), 1, 1],
            block: [96, 1, 1],
            dynamic_shared_bytes: 0,
            args: &args,
        };
        let options = Options {
            check,
            ..Options::default()
        };
        let report = launch(&module, &memory, &job, &options).unwrap();
        let mut bytes = vec![0; 16 * self.fetches()];
        memory.read(out, &mut bytes).unwrap();
        let words = bytes
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()));
        (report, words.collect())
    }
}

fn cases() -> Vec<Case> {
    let bytes = match std::env::var("CORNERTURN_TEXTURES") {
        Ok(path) => std::fs::read(path).unwrap(),
        Err(_) => std::fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/h200/textures.bin"
        ))
        .unwrap(),
    };
    let (mut reader, mut cases) = (Reader(&bytes), Vec::new());
    while !reader.0.is_empty() {
        cases.push(reader.case());
    }
    cases
}

#[test]
fn fetches_give_the_bits_of_an_h200() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for (number, case) in cases().iter().enumerate() {
        let (report, found) = case.run(number % 3 == 0);
        assert!(
            report.findings.is_empty(),
            "{number}: {:?}",
            report.findings
        );
        let before = wrong.len();
        for fetch in 0..case.fetches() {
            compared += 1;
            let expected = &case.results[fetch * case.words..][..case.words];
            let found = &found[4 * fetch..][..case.words];
            if expected != found && wrong.len() < before + 2 {
                let dimensions = case.dimensions as usize;
                let place = &case.coordinates[fetch * dimensions..][..dimensions];
                let place: Vec<String> = place
                    .iter()
                    .map(|word| format!("{} {:?}", *word as i32, f32::from_bits(*word)))
                    .collect();
                wrong.push(format!(
                    "{number}: {}d {}x{} {:?}x{} {:?} operation {} memory {} at {place:?}: {found:x?}, an H200 {expected:x?}",
                    case.dimensions, case.width, case.height, case.format, case.channels, case.sampling, case.operation, case.memory,
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared}: {wrong:#?}",
        wrong.len()
    );
    assert!(compared > 10_000, "only {compared} fetches");
}

/// The texel that a lane fetches, by the shape of the warp's fetch.
fn place(shape: &str, lane: u32, random: &mut u32) -> (u32, u32) {
    *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    match shape {
        "same" => (3, 3),
        "row32" => (lane, 0),
        "column32" => (0, lane),
        "8x4" => (lane % 8, lane / 8),
        "4x8" => (lane % 4, lane / 4),
        "16x2" => (lane % 16, lane / 16),
        "diagonal" => (lane, lane),
        "stride2" => (2 * lane, 0),
        "row32+1" => (lane + 1, 0),
        "random" => ((*random >> 10) % 64, (*random >> 20) % 64),
        "two" => (lane % 2, 0),
        "column stride 2" => (0, 2 * lane),
        "morton" => (
            (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4),
            (lane >> 1 & 1) | (lane >> 2 & 2),
        ),
        "scattered" => (lane % 4 * 16, lane / 4 * 8),
        "reversed" => (31 - lane, 0),
        "each4" => (lane / 4, 0),
        "swapped" => (lane % 4 * 4 + lane / 4 % 4, 0),
        other => panic!("no shape {other}"),
    }
}

#[test]
fn fetches_count_what_the_hardware_counts() {
    let mut compared = 0;
    let text = common::fixture("h200/textures.csv");
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            memory,
            texel,
            filter,
            offset,
            lanes,
            shape,
            requests,
            sectors,
        ] = fields[..]
        else {
            panic!("{line}")
        };
        let (format, channels) = texel.split_once('x').unwrap_or((texel, "1"));
        let channels: u32 = channels.parse().unwrap();
        let format = if format == "u8" {
            TexelFormat::U8
        } else {
            TexelFormat::F32
        };
        let (dimensions, height) = match memory {
            "1d" => (1, 0),
            "linear" => (1, 0),
            _ => (2, 64),
        };
        let width = if memory == "linear" { 64 * 64 } else { 64 };
        let offset: f32 = offset.parse().unwrap();
        let mut random = 12345;
        let mut coordinates = Vec::new();
        for lane in 0..lanes.parse().unwrap() {
            let (x, y) = place(shape, lane, &mut random);
            match memory {
                "linear" => coordinates.push(x),
                "1d" => coordinates.push((x as f32 + offset).to_bits()),
                _ => coordinates.extend([x, y].map(|place| (place as f32 + offset).to_bits())),
            }
        }
        let bytes = width * height.max(1) * format.bytes() * channels;
        let case = Case {
            dimensions,
            width,
            height,
            format,
            channels,
            sampling: Sampling {
                filter: if filter == "linear" {
                    Filter::Linear
                } else {
                    Filter::Point
                },
                normalized_reads: texel == "u8",
                ..Sampling::default()
            },
            operation: match memory {
                "gather" => 2,
                "linear" => 1,
                _ => 0,
            },
            memory: match memory {
                "linear" => 1,
                "pitched" => 2,
                _ => 0,
            },
            words: 4,
            texels: vec![1; bytes as usize],
            results: vec![0; 4 * coordinates.len() / dimensions as usize],
            coordinates,
        };
        let counters = case.run(false).0.counters;
        let counted = [counters.texture_requests, counters.texture_sectors];
        let measured = [requests, sectors].map(|field| field.parse().unwrap());
        assert_eq!(counted, measured, "{line}");
        assert_eq!(counters.texture_instructions, 1);
        compared += 1;
    }
    assert!(compared > 120, "only {compared} launches");
}

/// One fetch by each of 32 threads from linear memory, which each of them stores to before.
const STALE: &str = "
.version 6.4
.target sm_75
.address_size 64
.visible .entry stale(.param .u64 texture, .param .u64 values) {
    .reg .b32 %r<9>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [values];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd2;
    add.u32 %r2, %r1, 100; st.global.u32 [%rd3], %r2; bar.sync 0;
    tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r1}];
    add.u32 %r3, %r3, 1; st.global.u32 [%rd3+128], %r3;
    ret;
}";

fn finding(ptx: &str, entry: &str, handle: impl Fn(&mut Memory, u64) -> u64) -> String {
    let module = Module::load(ptx).unwrap();
    let mut memory = Memory::new();
    let values = memory.allocate(256, "values").unwrap();
    memory.fill(values, 256, 7).unwrap();
    let args = [Arg::from(handle(&mut memory, values)), Arg::from(values)];
    let job = Launch {
        entry,
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared_bytes: 0,
        args: &args,
    };
    let options = Options {
        check: true,
        ..Options::default()
    };
    let report = launch(&module, &memory, &job, &options).unwrap();
    let messages: Vec<String> = report
        .findings
        .iter()
        .map(|finding| finding.message())
        .collect();
    messages.join("\n")
}

fn linear(address: u64) -> Texture {
    let layout = TextureLayout {
        name: "values",
        format: TexelFormat::U32,
        channels: 1,
        width: 32,
        height: None,
        layers: None,
        is_cube: false,
        memory: TexelMemory::Linear { address },
        sampling: Sampling::default(),
    };
    Texture::new(&layout).unwrap()
}

#[test]
fn a_stale_texture_is_found() {
    let message = finding(STALE, "stale", |memory, values| {
        memory.bind_texture(linear(values))
    });
    assert!(
        message.contains("does not see what the kernel stores"),
        "{message}"
    );
}

#[test]
fn a_freed_texture_is_found() {
    let message = finding(STALE, "stale", |memory, values| {
        let handle = memory.bind_texture(linear(values));
        memory.unbind_texture(handle).unwrap();
        assert!(memory.unbind_texture(handle).is_err());
        handle
    });
    assert!(message.contains("no texture has this handle"), "{message}");
}

#[test]
fn a_texture_over_freed_memory_is_found() {
    let message = finding(STALE, "stale", |memory, _| {
        let other = memory.allocate(128, "other").unwrap();
        let handle = memory.bind_texture(linear(other));
        memory.free(other).unwrap();
        handle
    });
    assert!(
        message.contains("the memory that the texture lies over was freed"),
        "{message}"
    );
}

#[test]
fn what_cuda_refuses_is_refused_with_its_limit() {
    let texels = TexelMemory::Array(Arc::from(vec![0; 64]));
    let good = TextureLayout {
        name: "picture",
        format: TexelFormat::U8,
        channels: 1,
        width: 8,
        height: Some(8),
        layers: None,
        is_cube: false,
        memory: texels,
        sampling: Sampling::default(),
    };
    assert!(Texture::new(&good).is_ok());
    let refused = |change: &dyn Fn(&mut TextureLayout)| {
        let mut layout = good.clone();
        change(&mut layout);
        Texture::new(&layout).unwrap_err().to_string()
    };
    type Change<'c> = &'c dyn Fn(&mut TextureLayout);
    let cases: [(&str, Change); 9] = [
        (
            "131073 texels in x: a 2D texture has 1 to 131072",
            &|layout| layout.width = 131_073,
        ),
        (
            "65537 texels in y: a 2D texture has 1 to 65536",
            &|layout| layout.height = Some(65_537),
        ),
        (
            "131073 texels in x: a 1D texture has 1 to 131072",
            &|layout| {
                (layout.width, layout.height) = (131_073, None);
            },
        ),
        ("0 texels in y", &|layout| layout.height = Some(0)),
        ("1, 2 or 4 channels, not 3", &|layout| layout.channels = 3),
        ("its texels have 72 bytes, and 64 were given", &|layout| {
            layout.width = 9
        }),
        ("need normalised coordinates", &|layout| {
            layout.sampling = layout.sampling.beyond(AddressMode::Wrap);
        }),
        ("a linear filter gives floats: u8 texels", &|layout| {
            layout.sampling.filter = Filter::Linear
        }),
        ("only integers of 8 or 16 bits", &|layout| {
            layout.format = TexelFormat::F32;
            layout.memory = TexelMemory::Array(Arc::from(vec![0; 256]));
            layout.sampling = layout.sampling.as_floats();
        }),
    ];
    for (expected, change) in cases {
        let message = refused(change);
        assert!(
            message.contains(expected),
            "{message} instead of {expected}"
        );
    }
}
