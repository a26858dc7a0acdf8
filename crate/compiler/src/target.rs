//! The architectures that a source can be compiled for.

use crate::diagnostics::{Res, Sink};
use crate::source::Span;

/// The numbers that NVRTC 13.0 takes, and the letters behind each: `a` for what only this GPU has, `f` for its family too.
const KNOWN: [(u32, &[&str]); 12] = [
    (75, &[""]),
    (80, &[""]),
    (86, &[""]),
    (87, &[""]),
    (88, &[""]),
    (89, &[""]),
    (90, &["", "a"]),
    (100, &["", "a", "f"]),
    (103, &["", "a", "f"]),
    (110, &["", "a", "f"]),
    (120, &["", "a", "f"]),
    (121, &["", "a", "f"]),
];

/// `sm_90a` and 90 for `compute_90a`.
pub(crate) fn target(arch: &str, sink: &mut Sink) -> Res<(String, u32)> {
    let spelled = (arch.strip_prefix("compute_")).or_else(|| arch.strip_prefix("sm_"));
    let mut known = KNOWN.iter();
    let is_asked = |number: u32, letter: &str| spelled == Some(&format!("{number}{letter}"));
    let found =
        known.find(|(number, letters)| letters.iter().any(|letter| is_asked(*number, letter)));
    match (spelled, found) {
        (Some(spelled), Some((number, _))) => Ok((format!("sm_{spelled}"), *number)),
        _ => Err(sink.error_help(
            Span::default(),
            format!("`{arch}` is no architecture that this compiler knows"),
            format!("write one of {}", all()),
        )),
    }
}

/// `compute_75, …, compute_90, compute_90a`.
fn all() -> String {
    let spelled = KNOWN.iter().flat_map(|(number, letters)| {
        letters
            .iter()
            .map(move |letter| format!("compute_{number}{letter}"))
    });
    spelled.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::{Options, compile};

    fn header(arch: &str) -> Result<String, String> {
        let options = Options {
            arch: arch.to_string(),
            ..Options::default()
        };
        let source = "extern \"C\" __global__ void test(int* x) { *x = __CUDA_ARCH__; }";
        compile(source, "kernel.cu", &options)
            .map(|compiled| compiled.ptx)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn architectures_are_those_of_nvrtc() {
        for (arch, version, target, number) in [
            ("compute_75", "6.3", "sm_75", "750"),
            ("sm_88", "7.4", "sm_88", "880"),
            ("compute_90a", "8.0", "sm_90a", "900"),
            ("compute_100a", "8.6", "sm_100a", "1000"),
            ("sm_103", "8.8", "sm_103", "1030"),
            ("compute_110", "9.0", "sm_110", "1100"),
            ("compute_120", "8.7", "sm_120", "1200"),
            ("compute_120f", "8.8", "sm_120f", "1200"),
        ] {
            let ptx = header(arch).unwrap_or_else(|told| panic!("{told}"));
            for words in [
                format!(".version {version}"),
                format!(".target {target}"),
                number.to_string(),
            ] {
                assert!(ptx.contains(&words), "{arch}: {words}");
            }
        }
        let others = [
            "compute_70",
            "compute_71",
            "compute_75a",
            "compute_87a",
            "compute_90f",
            "compute_90aa",
            "compute_101",
            "compute_075",
            "compute_+75",
            "sm_121 ",
            "75",
            "compute_",
            "",
        ];
        for arch in others {
            let told = header(arch).err().unwrap_or_default();
            assert!(
                told.contains("compute_90, compute_90a, compute_100,"),
                "{arch}: {told}"
            );
        }
    }
}
