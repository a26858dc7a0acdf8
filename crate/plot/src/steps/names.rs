//! What the registers are called that an instruction writes, from its text in the PTX.

use super::values::Kind;
use super::{Step, WarpSteps};

/// The registers that an instruction's text writes, and its opcode: `mad.lo.s32 %r1, %r2, 4, %r3;`.
pub(super) fn results(instruction: &str) -> (&str, Vec<&str>) {
    let text = instruction.trim_end_matches(';');
    // Behind a guard and a label.
    let text = text
        .rsplit_once(": ")
        .map_or(text, |(_, rest)| rest)
        .trim_start();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest),
        None => text,
    };
    let (opcode, operands) = text
        .trim_start()
        .split_once(char::is_whitespace)
        .unwrap_or((text, ""));
    let operands = operands.trim_start();
    let first = match operands.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default(),
        None => operands.split(',').next().unwrap_or_default(),
    };
    let names = first.split([',', '|']).map(str::trim);
    (opcode, names.filter(|name| !name.is_empty()).collect())
}

/// The registers that a step writes: name, kind, and their values.
pub(super) fn written<'w>(
    walk: &'w WarpSteps,
    step: &'w Step,
) -> Vec<(&'w str, Kind, &'w [u64; 32])> {
    let (opcode, names) = results(walk.instruction(step.ptx_line));
    let Some(unnamed) = step.written.len().checked_sub(names.len()) else {
        return Vec::new();
    };
    let written = step.written.iter().skip(unnamed);
    let fitting = |kind: Kind, bits: u32| match (kind, bits) {
        (_, 1) => Kind::Predicate,
        (Kind::Predicate, _) => Kind::Unsigned(bits),
        (Kind::Double, 32) => Kind::Bits(32),
        (kind, _) => kind,
    };
    (names.into_iter().zip(written))
        .map(|(name, written)| {
            (
                name,
                fitting(Kind::of(opcode, name), written.bits),
                &written.values,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Kind, results};

    #[test]
    fn an_instruction_names_what_it_writes() {
        let [one, several, guarded] = [
            "mad.lo.s32 %r1, %r2, 4, %r3;",
            "ld.global.v2.f32 {%f1, %f2}, [%rd1];",
            "@!%p1 setp.lt.s32 %p2|%p3, %r1, 4;",
        ]
        .map(results);
        assert_eq!(one, ("mad.lo.s32", vec!["%r1"]));
        assert_eq!(several, ("ld.global.v2.f32", vec!["%f1", "%f2"]));
        assert_eq!(guarded, ("setp.lt.s32", vec!["%p2", "%p3"]));
        assert_eq!(Kind::of("mul.wide.s32", "%rd1"), Kind::Signed(64));
        assert_eq!(Kind::of("cvt.f32.s32", "%f1"), Kind::Single);
        assert_eq!(Kind::of("mov.b32", "%f1"), Kind::Single);
        assert_eq!(Kind::Single.show(u64::from(1.5f32.to_bits())), "1.5");
        assert_eq!(Kind::Signed(32).show(0xffff_ffff), "-1");
    }
}
