//! Fat binaries as `fatbinary` of CUDA 13.0 writes them, of `loaded/add.ptx`: plain, compressed in both ways, machine code alone; and broken ones.

// A test may fail where it stands.
#![allow(clippy::unwrap_used)]

use cornerturn_cuda::{Status, container_bytes, parse_image};

const PTX: &str = include_str!("loaded/add.ptx");
const PLAIN: &[u8] = include_bytes!("fatbin/plain.fatbin");
const LZ4: &[u8] = include_bytes!("fatbin/lz4.fatbin");
const ZSTD: &[u8] = include_bytes!("fatbin/zstd.fatbin");
const MACHINE: &[u8] = include_bytes!("fatbin/machine.fatbin");

#[test]
fn ptx_is_found_however_it_is_packed() {
    for (bytes, machines) in [(PLAIN, vec![]), (LZ4, vec![]), (ZSTD, vec![80])] {
        assert_eq!(container_bytes(bytes), Some(bytes.len()));
        let image = parse_image(bytes).unwrap();
        // `fatbinary` takes the spaces before lines away.
        let lines = |text: &str| {
            text.lines()
                .map(|line| line.trim().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(lines(&image.ptx.unwrap()), lines(PTX));
        assert_eq!(image.machines, machines);
    }
    let image = parse_image(MACHINE).unwrap();
    assert_eq!((image.ptx, image.machines), (None, vec![80]));
    let image = parse_image(PTX.as_bytes()).unwrap();
    assert_eq!(image.ptx.unwrap(), PTX);
}

#[test]
fn a_broken_one_is_refused_and_never_a_panic() {
    for bytes in [PLAIN, LZ4, ZSTD, MACHINE] {
        for length in 0..bytes.len() {
            if let Err(error) = parse_image(&bytes[..length]) {
                assert_eq!(error.status, Status::INVALID_IMAGE);
                continue;
            }
            panic!("{length} of {} bytes are no image", bytes.len());
        }
        for at in 0..bytes.len().min(160) {
            for bit in 0..8 {
                let mut wrong = bytes.to_vec();
                wrong[at] ^= 1 << bit;
                // It may still be one.
                let _ = parse_image(&wrong);
            }
        }
    }
    assert!(parse_image(b"").is_err() && parse_image(b"int main() {}").is_err());
}
