//! Textures with layers: a fetch from a layer gives what a fetch from a texture of that layer alone gives.

#![allow(clippy::unwrap_used)]

use cornerturn_emulator::{
    AddressMode, Arg, Launch, Memory, Module, Options, Sampling, TexelFormat, TexelMemory, Texture,
    TextureError, TextureLayout, launch,
};

const WIDTH: u64 = 7;
const HEIGHT: u64 = 5;
const LAYERS: u64 = 3;
const THREADS: u32 = 64;

/// A kernel `(texture, out)` whose threads fetch at places within and around the texture.
fn kernel(instruction: &str) -> Module {
    let text = format!(
        ".version 6.4\n.target sm_75\n.address_size 64\n
        .visible .entry k(.param .u64 texture, .param .u64 out, .param .u32 layer) {{
            .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [out]; ld.param.u32 %r7, [layer];
            mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd2, %rd2, %rd3;
            and.b32 %r2, %r1, 7; shr.u32 %r3, %r1, 3;
            cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r3;
            fma.rn.f32 %f1, %f1, 0f3FA00000, 0fBF400000; fma.rn.f32 %f2, %f2, 0f3F600000, 0fBF400000;
            {instruction};
            st.global.v4.u32 [%rd2], {{%r3, %r4, %r5, %r6}};
            ret; }}"
    );
    Module::load(&text).unwrap()
}

/// What the threads fetch.
fn fetched(layout: &TextureLayout, instruction: &str, layer: u32) -> Vec<u8> {
    let mut memory = Memory::new();
    let handle = memory.bind_texture(Texture::new(layout).unwrap());
    let mut out = vec![0; 16 * THREADS as usize];
    let to = memory.allocate(out.len(), "out").unwrap();
    let job = Launch {
        entry: "k",
        grid: [1, 1, 1],
        block: [THREADS, 1, 1],
        dynamic_shared_bytes: 0,
        args: &[Arg::from(handle), Arg::from(to), Arg::from(layer)],
    };
    let options = Options {
        check: true,
        ..Options::default()
    };
    let report = launch(&kernel(instruction), &memory, &job, &options).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    memory.read(to, &mut out).unwrap();
    out
}

/// Random bytes that follow from each other.
fn texels(count: u64) -> Vec<u8> {
    let mut state = 12_345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn a_layer_is_a_texture_of_its_own() {
    let samplings = [
        Sampling::point(),
        Sampling::point().beyond(AddressMode::Border),
        Sampling::linear().as_floats(),
        Sampling::linear().as_floats().beyond(AddressMode::Border),
        Sampling::linear()
            .as_floats()
            .normalized()
            .beyond(AddressMode::Mirror),
    ];
    for (height, plain, layered) in [
        (
            Some(HEIGHT),
            "tex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%f1, %f2}]",
            "tex.a2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r7, %f1, %f2, %f2}]",
        ),
        (
            None,
            "tex.1d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%f1}]",
            "tex.a1d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r7, %f1}]",
        ),
    ] {
        let bytes = (4 * WIDTH * height.unwrap_or(1)) as usize;
        let all = texels(bytes as u64 * LAYERS);
        for sampling in samplings {
            let layout = |texels: &[u8], layers| TextureLayout {
                name: "t",
                format: TexelFormat::U8,
                channels: 4,
                width: WIDTH,
                height,
                layers,
                is_cube: false,
                memory: TexelMemory::Array(texels.into()),
                sampling,
            };
            for layer in [0, 1, 2, 9] {
                let alone = &all[bytes * layer.min(2)..][..bytes];
                let expected = fetched(&layout(alone, None), plain, 0);
                let found = fetched(&layout(&all, Some(LAYERS)), layered, layer as u32);
                assert_eq!(found, expected, "layer {layer}, {sampling:?}");
            }
        }
    }
}

#[test]
fn layers_lie_in_an_array_and_are_not_too_many() {
    let layout = TextureLayout {
        name: "t",
        format: TexelFormat::U8,
        channels: 1,
        width: 8,
        height: None,
        layers: Some(2),
        is_cube: false,
        memory: TexelMemory::Linear { address: 512 },
        sampling: Sampling::point(),
    };
    assert_eq!(
        Texture::new(&layout).unwrap_err(),
        TextureError::LayersLieInArray
    );
    let many = TextureLayout {
        layers: Some(2049),
        memory: TexelMemory::Array(vec![0; 8 * 2049].into()),
        ..layout
    };
    assert!(
        Texture::new(&many)
            .unwrap_err()
            .to_string()
            .contains("1 to 2048")
    );
}

/// A kernel `(texture, directions, out, cube)`: each thread fetches one texel of bytes.
fn cube_kernel(instruction: &str) -> Module {
    let text = format!(
        ".version 6.4\n.target sm_75\n.address_size 64\n
        .visible .entry k(.param .u64 texture, .param .u64 directions, .param .u64 out) {{
            .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %rd<6>;
            ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [directions]; ld.param.u64 %rd3, [out];
            mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 12; add.u64 %rd4, %rd4, %rd2;
            ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd4+4]; ld.global.f32 %f3, [%rd4+8];
            {instruction};
            mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd3; st.global.u32 [%rd5], %r3;
            ret; }}"
    );
    Module::load(&text).unwrap()
}

#[test]
fn a_direction_leads_to_a_texel_of_a_face() {
    const SIDE: u32 = 4;
    const FACE: u32 = SIDE * SIDE;
    let layout = |layers: u64| TextureLayout {
        name: "t",
        format: TexelFormat::U8,
        channels: 1,
        width: u64::from(SIDE),
        height: Some(u64::from(SIDE)),
        layers: Some(layers),
        is_cube: true,
        memory: TexelMemory::Array((0..layers * u64::from(FACE)).map(|at| at as u8).collect()),
        sampling: Sampling::point(),
    };
    // The middle of each texel: what the programming guide's table for faces says, from right to left.
    let direction = |at: u32| -> [f32; 3] {
        let (face, x, y) = (at / FACE, at % SIDE, at % FACE / SIDE);
        let [s, t] = [x, y].map(|at| (2 * at + 1) as f32 / SIDE as f32 - 1.0);
        let unit = match face {
            0 => [1.0, -t, -s],
            1 => [-1.0, -t, s],
            2 => [s, 1.0, t],
            3 => [s, -1.0, -t],
            4 => [s, -t, 1.0],
            _ => [-s, -t, -1.0],
        };
        unit.map(|part| part * (1 + at % 5) as f32)
    };
    let threads = 6 * FACE;
    let directions: Vec<u8> = (0..threads)
        .flat_map(direction)
        .flat_map(f32::to_le_bytes)
        .collect();
    let one = "tex.cube.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%f1, %f2, %f3, %f3}]";
    let second =
        "mov.u32 %r2, 1; tex.acube.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%rd1, {%r2, %f1, %f2, %f3}]";
    for (layers, instruction, first) in [(6, one, 0), (12, second, threads)] {
        let mut memory = Memory::new();
        let handle = memory.bind_texture(Texture::new(&layout(layers)).unwrap());
        let from = memory.allocate(directions.len(), "directions").unwrap();
        memory.write(from, &directions).unwrap();
        let mut out = vec![0; 4 * threads as usize];
        let to = memory.allocate(out.len(), "out").unwrap();
        let job = Launch {
            entry: "k",
            grid: [1, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared_bytes: 0,
            args: &[Arg::from(handle), Arg::from(from), Arg::from(to)],
        };
        let options = Options {
            check: true,
            ..Options::default()
        };
        let report = launch(&cube_kernel(instruction), &memory, &job, &options).unwrap();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        memory.read(to, &mut out).unwrap();
        let expected: Vec<u8> = (first..first + threads)
            .flat_map(|at| u32::from(at as u8).to_le_bytes())
            .collect();
        assert_eq!(out, expected);
    }
    let mixed = TextureLayout {
        sampling: Sampling::linear().as_floats(),
        ..layout(6)
    };
    assert_eq!(Texture::new(&mixed).unwrap_err(), TextureError::FiltersCube);
    assert_eq!(Texture::new(&layout(5)).unwrap_err(), TextureError::NoCube);
}
