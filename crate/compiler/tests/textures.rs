//! Textures and surfaces: each function becomes the instruction that NVRTC 13.0.88 writes, and what kernels fetch, read and write.

#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use cornerturn_compiler::{Options, compile};
use cornerturn_emulator::{
    Arg, Launch, Memory, Module, Sampling, Surface, SurfaceLayout, TexelFormat, TexelMemory,
    Texture, TextureLayout, launch,
};

fn ptx(source: &str) -> String {
    match compile(source, "textures.cu", &Options::default()) {
        Ok(compiled) => compiled.ptx,
        Err(error) => panic!("{error}"),
    }
}

/// Statements, and the first words of the instruction that they become.
const INSTRUCTIONS: [(&str, &str); 41] = [
    ("f[0] = tex1Dfetch<float>(t, i);", "tex.1d.v4.f32.s32"),
    ("f[0] = tex1D<float>(t, x);", "tex.1d.v4.f32.f32"),
    ("f[0] = tex2D<float>(t, x, y);", "tex.2d.v4.f32.f32"),
    ("f[0] = tex3D<float>(t, x, y, z);", "tex.3d.v4.f32.f32"),
    ("f[0] = tex1DLayered<float>(t, x, i);", "tex.a1d.v4.f32.f32"),
    (
        "f[0] = tex2DLayered<float>(t, x, y, i);",
        "tex.a2d.v4.f32.f32",
    ),
    (
        "f[0] = texCubemap<float>(t, x, y, z);",
        "tex.cube.v4.f32.f32",
    ),
    (
        "f[0] = texCubemapLayered<float>(t, x, y, z, i);",
        "tex.acube.v4.f32.f32",
    ),
    (
        "f[0] = tex1DLod<float>(t, x, z);",
        "tex.level.1d.v4.f32.f32",
    ),
    (
        "f[0] = tex2DLod<float>(t, x, y, z);",
        "tex.level.2d.v4.f32.f32",
    ),
    (
        "f[0] = tex3DLod<float>(t, x, y, z, x);",
        "tex.level.3d.v4.f32.f32",
    ),
    (
        "f[0] = tex1DLayeredLod<float>(t, x, i, z);",
        "tex.level.a1d.v4.f32.f32",
    ),
    (
        "f[0] = tex2DLayeredLod<float>(t, x, y, i, z);",
        "tex.level.a2d.v4.f32.f32",
    ),
    (
        "f[0] = texCubemapLod<float>(t, x, y, z, x);",
        "tex.level.cube.v4.f32.f32",
    ),
    (
        "f[0] = texCubemapLayeredLod<float>(t, x, y, z, i, x);",
        "tex.level.acube.v4.f32.f32",
    ),
    (
        "*(float4*)f = tex2Dgather<float4>(t, x, y);",
        "tld4.r.2d.v4.f32.f32",
    ),
    (
        "*(uint4*)f = tex2Dgather<uint4>(t, x, y, 3);",
        "tld4.a.2d.v4.u32.f32",
    ),
    ("tex1Dfetch(f, t, i);", "tex.1d.v4.f32.s32"),
    (
        "float v; tex2D(&v, t, x, y); f[0] = v;",
        "tex.2d.v4.f32.f32",
    ),
    (
        "float4 v; tex2D(&v, t, x, y); f[0] = v.w;",
        "tex.2d.v4.f32.f32",
    ),
    ("*(char*)f = tex2D<char>(t, x, y);", "tex.2d.v4.s32.f32"),
    ("*(uchar4*)f = tex2D<uchar4>(t, x, y);", "tex.2d.v4.u32.f32"),
    ("*(short2*)f = tex1D<short2>(t, x);", "tex.1d.v4.s32.f32"),
    (
        "*(unsigned short*)f = tex1Dfetch<unsigned short>(t, i);",
        "tex.1d.v4.u32.s32",
    ),
    ("*(int*)f = tex2D<int>(t, x, y);", "tex.2d.v4.s32.f32"),
    (
        "*(uint2*)f = tex2DLayered<uint2>(t, x, y, i);",
        "tex.a2d.v4.u32.f32",
    ),
    ("f[0] = surf1Dread<float>(t, 4 * i);", "suld.b.1d.b32.trap"),
    (
        "f[0] = surf2Dread<float>(t, 4 * i, i);",
        "suld.b.2d.b32.trap",
    ),
    (
        "f[0] = surf2Dread<float>(t, 4 * i, i, cudaBoundaryModeZero);",
        "suld.b.2d.b32.zero",
    ),
    (
        "f[0] = surf3Dread<float>(t, 4 * i, i, i);",
        "suld.b.3d.b32.trap",
    ),
    (
        "*(uchar4*)f = surf1DLayeredread<uchar4>(t, 4 * i, i);",
        "suld.b.a1d.v4.b8.trap",
    ),
    (
        "*(short2*)f = surf2DLayeredread<short2>(t, 4 * i, i, i);",
        "suld.b.a2d.v2.b16.trap",
    ),
    (
        "f[0] = surfCubemapread<float>(t, 4 * i, i, 5);",
        "suld.b.a2d.b32.trap",
    ),
    ("surf2Dread(f, t, 4 * i, i);", "suld.b.2d.b32.trap"),
    ("surf1Dwrite(f[0], t, 4 * i);", "sust.b.1d.b32.trap"),
    (
        "surf2Dwrite(f[0], t, 4 * i, i, cudaBoundaryModeClamp);",
        "sust.b.2d.b32.clamp",
    ),
    (
        "surf2Dwrite<uchar4>(make_uchar4(1, 2, 3, 4), t, 4 * i, i);",
        "sust.b.2d.v4.b8.trap",
    ),
    ("surf3Dwrite(i, t, 4 * i, i, i);", "sust.b.3d.b32.trap"),
    ("surf1Dwrite((long long)i, t, 8 * i);", "sust.b.1d.b64.trap"),
    (
        "surf2DLayeredwrite(make_float4(x, y, z, 1), t, 16 * i, i, 2);",
        "sust.b.a2d.v4.b32.trap",
    ),
    (
        "surfCubemapLayeredwrite(x, t, 4 * i, i, 7);",
        "sust.b.a2d.b32.trap",
    ),
];

#[test]
fn each_function_becomes_nvrtcs_instruction() {
    for (statement, instruction) in INSTRUCTIONS {
        let source = format!(
            "extern \"C\" __global__ void k(unsigned long long t, float* f, float x, float y, float z, int i) {{ {statement} }}"
        );
        let ptx = ptx(&source);
        let lines = ptx.lines().map(str::trim);
        let found: Vec<&str> = lines
            .filter(|line| {
                ["tex.", "tld4.", "suld.", "sust."]
                    .iter()
                    .any(|word| line.starts_with(word))
            })
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(found, [instruction], "{statement}");
    }
}

/// What a kernel `k(handle, out)` of 8 threads leaves in 64 bytes.
fn run(memory: &mut Memory, handle: u64, source: &str) -> Vec<u8> {
    let mut out = vec![0; 64];
    let to = memory.allocate(out.len(), "out").unwrap();
    memory.write(to, &out).unwrap();
    let job = Launch {
        entry: "k",
        grid: [1, 1, 1],
        block: [8, 1, 1],
        dynamic_shared_bytes: 0,
        args: &[Arg::from(handle), Arg::from(to)],
    };
    let module = Module::load(&ptx(source)).unwrap();
    let options = cornerturn_emulator::Options {
        check: true,
        ..Default::default()
    };
    let report = launch(&module, memory, &job, &options).unwrap();
    assert!(report.findings.is_empty(), "{source}");
    memory.read(to, &mut out).unwrap();
    out
}

#[test]
fn texels_of_small_integers_keep_their_signs() {
    let mut memory = Memory::new();
    let texels: Vec<u8> = (0..32).map(|at| 0xf0_u8.wrapping_add(at)).collect();
    let address = memory.allocate(texels.len(), "texels").unwrap();
    memory.write(address, &texels).unwrap();
    let fetched = |memory: &mut Memory, format: TexelFormat, channels: u32, ty: &str| {
        let layout = TextureLayout {
            name: "t",
            format,
            channels,
            width: 32 / u64::from(format.bytes() * channels),
            height: None,
            layers: None,
            is_cube: false,
            memory: TexelMemory::Linear { address },
            sampling: Sampling::point(),
        };
        let handle = memory.bind_texture(Texture::new(&layout).unwrap());
        let source = format!(
            "extern \"C\" __global__ void k(cudaTextureObject_t t, {ty}* out) {{
                 {ty} v;
                 tex1Dfetch(&v, t, (int)threadIdx.x);
                 out[threadIdx.x] = threadIdx.x % 2 ? v : tex1Dfetch<{ty}>(t, threadIdx.x);
             }}"
        );
        let bytes = 8 * (format.bytes() * channels) as usize;
        (
            run(memory, handle, &source)[..bytes].to_vec(),
            texels[..bytes].to_vec(),
        )
    };
    let kinds = [
        (TexelFormat::S8, 1, "signed char"),
        (TexelFormat::U8, 4, "uchar4"),
        (TexelFormat::S8, 4, "char4"),
        (TexelFormat::S16, 2, "short2"),
        (TexelFormat::U16, 1, "unsigned short"),
        (TexelFormat::S32, 1, "int"),
        (TexelFormat::U32, 1, "unsigned"),
        (TexelFormat::F32, 1, "float"),
    ];
    for (format, channels, ty) in kinds {
        let (found, expected) = fetched(&mut memory, format, channels, ty);
        assert_eq!(found, expected, "{ty}");
    }
}

#[test]
fn what_is_written_to_a_surface_is_read_from_it() {
    for (ty, bytes) in [
        ("signed char", 1),
        ("ushort2", 4),
        ("float", 4),
        ("char4", 4),
        ("long long", 8),
        ("uint2", 8),
    ] {
        let mut memory = Memory::new();
        let address = memory.allocate(8 * 2 * bytes, "texels").unwrap();
        memory.write(address, &vec![0; 8 * 2 * bytes]).unwrap();
        let layout = SurfaceLayout {
            name: "s",
            address,
            texel_bytes: bytes as u32,
            width: 8,
            height: Some(2),
            layers: None,
        };
        let handle = memory.bind_surface(Surface::new(&layout).unwrap());
        let source = format!(
            "extern \"C\" __global__ void k(cudaSurfaceObject_t s, {ty}* out) {{
                 const int i = threadIdx.x;
                 {ty} v;
                 unsigned char* bytes = (unsigned char*)&v;
                 for (int at = 0; at < (int)sizeof(v); at++)
                     bytes[at] = 250 + i + 16 * at;
                 surf2Dwrite(v, s, i * (int)sizeof(v), 1);
                 out[i] = surf2Dread<{ty}>(s, i * (int)sizeof(v), 1);
             }}"
        );
        let found = run(&mut memory, handle, &source);
        let expected: Vec<u8> = (0..8)
            .flat_map(|i| (0..bytes).map(move |at| (250 + i + 16 * at) as u8))
            .collect();
        assert_eq!(found[..8 * bytes], expected, "{ty}");
        let mut rows = vec![1; 16 * bytes];
        memory.read(address, &mut rows).unwrap();
        assert_eq!(rows[..8 * bytes], vec![0; 8 * bytes], "{ty}");
        assert_eq!(rows[8 * bytes..], expected, "{ty}");
    }
}

#[test]
fn a_gap_costs_its_own_kernel_only() {
    let source = "extern \"C\" __global__ void plain(float* y) { y[0] = 1; }
extern \"C\" __global__ void slopes(cudaTextureObject_t t, float* y) { y[0] = tex1DGrad<float>(t, 1.0f, 1.0f, 1.0f); }";
    let compiled = compile(source, "gap.cu", &Options::default()).unwrap();
    assert!(compiled.ptx.contains("plain") && !compiled.ptx.contains("slopes("));
    assert!(
        compiled
            .warnings
            .contains("`slopes` is left out: the function `tex1DGrad` is not supported yet")
    );
    let wanted = |entry: &str| {
        let options = Options {
            entry: Some(entry.to_string()),
            ..Options::default()
        };
        compile(source, "gap.cu", &options)
    };
    assert!(wanted("plain").is_ok());
    assert!(wanted("slopes").unwrap_err().is_gap());
}
