//! What a buffer of a launch holds that was written as text before the run: the fills, element by element.

use super::f16;
use cornerturn_base::element::ElementType;
use cornerturn_base::pattern;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// How a buffer is filled, as the long help of `launch` defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// All bits zero.
    Zero,
    /// Element i has the value i.
    Iota,
    /// SplitMix64 from this seed.
    Random(u64),
    /// All bits one.
    Poison,
    /// The bytes of a file.
    File(PathBuf),
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Iota => f.write_str("iota"),
            Self::Random(seed) => write!(f, "random:{seed}"),
            Self::Poison => f.write_str("poison"),
            Self::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

impl FromStr for Fill {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "zero" => Ok(Self::Zero),
            None if text == "iota" => Ok(Self::Iota),
            None if text == "poison" => Ok(Self::Poison),
            Some(("random", seed)) => parse_seed(seed).map(Self::Random),
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            _ => Err(format!(
                "`{text}` is no fill; there are zero, iota, random:SEED, poison and file:PATH"
            )),
        }
    }
}

fn parse_seed(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x");
    let seed = match digits {
        Some(hex) if !hex.starts_with('+') => u64::from_str_radix(hex, 16).ok(),
        None if !text.starts_with('+') => text.parse().ok(),
        _ => None,
    };
    seed.ok_or_else(|| format!("`{text}` is no seed; write an integer from 0 to 2^64 - 1"))
}

impl Fill {
    /// Writes the elements from the position `first` on into `out`, little-endian; nothing for [`Fill::File`], whose
    /// bytes are the file's.
    pub fn elements(&self, element: ElementType, first: u64, out: &mut [u8]) {
        let size = element.bytes();
        match self {
            Self::Zero => out.fill(0),
            Self::Poison => out.fill(pattern::POISON_BYTE),
            Self::File(_) => {}
            Self::Iota => {
                for (i, slot) in (first..).zip(out.chunks_exact_mut(size)) {
                    slot.copy_from_slice(&iota(element, i).to_le_bytes()[..size]);
                }
            }
            Self::Random(seed) => {
                for (i, slot) in (first..).zip(out.chunks_exact_mut(size)) {
                    let word = random(element, split_mix_64(*seed, i));
                    slot.copy_from_slice(&word.to_le_bytes()[..size]);
                }
            }
        }
    }
}

/// The value i, its bits at the bottom of the result.
fn iota(element: ElementType, i: u64) -> u64 {
    match element {
        ElementType::F16 => f16::from_f64(i as f64).into(),
        ElementType::F32 => (i as f32).to_bits().into(),
        ElementType::F64 => (i as f64).to_bits(),
        _ => i,
    }
}

/// The i-th output of SplitMix64 (Steele, Lea and Flood, 2014), which needs no earlier one.
fn split_mix_64(seed: u64, i: u64) -> u64 {
    let z = seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An element made from 64 random bits, its own bits at the bottom of the result.
fn random(element: ElementType, x: u64) -> u64 {
    match element {
        ElementType::F16 => f16::from_f64((x >> 53) as f64 * 2_f64.powi(-11)).into(),
        ElementType::F32 => ((x >> 40) as f32 * 2_f32.powi(-24)).to_bits().into(),
        ElementType::F64 => ((x >> 11) as f64 * 2_f64.powi(-53)).to_bits(),
        _ => x >> (64 - 8 * element.bytes() as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(fill: &Fill, element: ElementType, first: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0x5a; length * element.bytes()];
        fill.elements(element, first, &mut bytes);
        bytes
    }

    #[test]
    fn fills_are_parsed() {
        assert_eq!("zero".parse(), Ok(Fill::Zero));
        assert_eq!("random:7".parse(), Ok(Fill::Random(7)));
        assert_eq!("random:0xff".parse(), Ok(Fill::Random(255)));
        assert_eq!(
            "random:18446744073709551615".parse(),
            Ok(Fill::Random(u64::MAX))
        );
        for wrong in [
            "",
            "Zero",
            "zero:",
            "random",
            "random:",
            "random:-1",
            "random:+1",
            "random:0x+1",
            "random:18446744073709551616",
            "file",
            "file:",
            "poison:1",
        ] {
            assert!(wrong.parse::<Fill>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_generator_gives_its_published_outputs() {
        // The first outputs for the seed 1234567, as widely used to check implementations.
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for (i, expected) in (0..).zip(expected) {
            assert_eq!(split_mix_64(1_234_567, i), expected);
        }
    }

    #[test]
    fn iota_wraps_in_integers_and_rounds_in_floats() {
        assert_eq!(
            filled(&Fill::Iota, ElementType::U8, 254, 4),
            [254, 255, 0, 1]
        );
        let floats = filled(&Fill::Iota, ElementType::F32, (1 << 24) + 1, 1);
        assert_eq!(floats, 16_777_216_f32.to_le_bytes());
        assert_eq!(
            filled(&Fill::Iota, ElementType::F16, 2049, 1),
            0x6800_u16.to_le_bytes()
        );
        assert_eq!(
            filled(&Fill::Iota, ElementType::F16, 70_000, 1),
            0x7c00_u16.to_le_bytes()
        );
    }

    #[test]
    fn random_floats_lie_in_the_unit_interval_and_differ() {
        let bytes = filled(&Fill::Random(42), ElementType::F32, 0, 4096);
        let floats: Vec<f32> = bytemuck::pod_collect_to_vec(&bytes);
        assert!(floats.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = floats.iter().sum::<f32>() / 4096.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
        assert_ne!(filled(&Fill::Random(43), ElementType::F32, 0, 4096), bytes);
    }

    #[test]
    fn pieces_join_to_the_whole() {
        for element in [
            ElementType::U8,
            ElementType::F16,
            ElementType::I32,
            ElementType::F64,
        ] {
            for fill in [Fill::Iota, Fill::Random(9), Fill::Poison, Fill::Zero] {
                let mut pieces = filled(&fill, element, 0, 300);
                pieces.extend(filled(&fill, element, 300, 57));
                assert_eq!(pieces, filled(&fill, element, 0, 357));
            }
        }
    }
}
