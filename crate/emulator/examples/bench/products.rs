//! Products of bfloat16 matrices by tensor cores: by warps and by warpgroups. The kernels are those of `tests/pass` and of the book.

use std::path::Path;

use cornerturn_emulator::{
    Arg, Fill, Launch, Memory, Module, Swizzle, TensorElement, TensorLayout, TensorMap,
};

use crate::{Error, Request, expect, timed};

/// Rows, columns and elements along `k`.
const SIZE: usize = 1024;

/// Kernel, its file, threads of a block, the tile that a block covers (columns, rows), bytes of dynamic shared memory.
const KERNELS: [(&str, &str, u32, [usize; 2], u32); 7] = [
    ("wmma_m16n16k16_bf16", "tests/pass/matrix", 32, [16, 16], 0),
    ("mma_swizzled", "tests/pass/matrix", 128, [64, 64], 0),
    ("simple", "tests/pass/warpgroup", 128, [128, 64], 0),
    ("stored", "tests/pass/warpgroup", 128, [128, 64], 0),
    (
        "specialised",
        "tests/pass/warpgroup",
        384,
        [128, 128],
        6 * 16384 + 65536,
    ),
    (
        "wgmma_bf16",
        "../../kernels/tensor/wgmma",
        256,
        [128, 128],
        132096,
    ),
    (
        "persistent_bf16",
        "../../kernels/tensor/persistent",
        384,
        [128, 256],
        230400,
    ),
];

pub fn products(request: &Request) -> Result<(), Error> {
    for (entry, file, threads, tile, shared) in KERNELS {
        if !request.wants(entry) {
            continue;
        }
        let path = format!("{file}.ptx");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let module = Module::load(&std::fs::read_to_string(path)?)?;
        let mut memory = Memory::new();
        // No small whole numbers: the time may depend on the values.
        let mut seed = 1u64;
        let mut factor = |name: &str| -> Result<u64, Error> {
            let address = memory.allocate(2 * SIZE * SIZE, name)?;
            let values: Vec<u8> = (0..SIZE * SIZE).flat_map(|_| value(&mut seed)).collect();
            memory.write(address, &values)?;
            Ok(address)
        };
        let (a, b) = (factor("a")?, factor("b")?);
        let c = memory.allocate(4 * SIZE * SIZE, "c")?;
        let pointers = [a, b, c].map(Arg::from);
        let mut args = match entry {
            "wgmma_bf16" => vec![map(a, 128)?, map(b, 64)?, Arg::from(c)],
            "persistent_bf16" => vec![map(a, 128)?, map(b, 64)?, map(c, 64)?],
            "simple" => vec![map(a, 64)?, map(b, 128)?, Arg::from(c)],
            "specialised" => vec![map(a, 128)?, map(b, 128)?, result(c)?],
            _ => pointers.to_vec(),
        };
        args.extend([
            Arg::from(SIZE as i32),
            Arg::from(SIZE as i32),
            Arg::from(SIZE as i32),
        ]);
        let blocks = [SIZE / tile[0], SIZE / tile[1]].map(|blocks| blocks as u32);
        let grid = match entry {
            "specialised" | "persistent_bf16" => [8, 1, 1],
            _ => [blocks[0], blocks[1], 1],
        };
        let job = Launch {
            entry,
            grid,
            block: [threads, 1, 1],
            dynamic_shared_bytes: shared,
            args: &args,
        };
        timed(&module, &memory, &job, request)?;
        let mut first = [0; 4];
        memory.read(c, &mut first)?;
        expect(f32::from_le_bytes(first).is_finite(), entry)?;
    }
    Ok(())
}

/// A bfloat16 between -2 and 2; as a half it is a small number as well.
fn value(seed: &mut u64) -> [u8; 2] {
    *seed = seed
        .wrapping_mul(0x5851_f42d_4c95_7f2d)
        .wrapping_add(0x1405_7b7e_f767_814f);
    let random = (*seed >> 33) as u16;
    (random & 0x807f | (120 + (random >> 8 & 7)) << 7).to_le_bytes()
}

fn map(address: u64, rows: u32) -> Result<Arg, Error> {
    tensor(TensorElement::Bf16, address, [64, rows], Swizzle::Bytes128)
}

fn result(address: u64) -> Result<Arg, Error> {
    tensor(TensorElement::F32, address, [128, 64], Swizzle::None)
}

fn tensor(
    element: TensorElement,
    address: u64,
    tile: [u32; 2],
    swizzle: Swizzle,
) -> Result<Arg, Error> {
    let bytes = if element == TensorElement::F32 { 4 } else { 2 };
    Ok(Arg::from(TensorMap::new(&TensorLayout {
        element,
        address,
        lengths: &[SIZE as u64; 2],
        strides: &[(bytes * SIZE) as u64],
        tile: &tile,
        element_strides: &[1, 1],
        swizzle,
        fill: Fill::Zero,
    })?))
}
